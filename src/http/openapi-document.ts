import { TITLES } from './errors.ts';
import { ANSWER_KEY, type DescribedAnswer, PROBLEMS_KEY } from './openapi-details.ts';
import { mapValues, toOpenApiSchema } from './openapi-schema.ts';

type Json = Record<string, unknown>;
type Content = Record<string, { schema?: Json }>;

interface Operation extends Json {
  parameters?: Json[];
  requestBody?: { required?: boolean; content?: Content };
  responses?: Record<string, { description?: string; content?: Content; headers?: unknown; $ref?: string }>;
}

/** What the document says besides the routes. */
export interface DescribeOptions {
  /** True when calls need the bearer token. */
  guarded: boolean;
}

/**
 * Corrects the document that `@elysiajs/swagger` generates so that it says what the server does: media types, every
 * error status with the problem schema, plain integers, the token. Valid OpenAPI 3.0.3.
 */
export function describeApi(generated: Json, options: DescribeOptions): Json {
  const paths = mapValues(generated['paths'] as Record<string, Record<string, Operation>>, (methods) =>
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, toOperation(operation, options)])),
  );
  const components = generated['components'] as { schemas?: Json } | undefined;
  const used = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap((one) => one['tags'])));
  return {
    ...generated,
    tags: ((generated['tags'] ?? []) as { name: string }[]).filter((tag) => used.has(tag.name)),
    paths,
    components: {
      schemas: { Problem: PROBLEM, ...mapValues(components?.schemas ?? {}, toOpenApiSchema) },
      responses: problemComponents(Object.values(paths).flatMap((methods) => Object.values(methods))),
      ...(options.guarded && { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } }),
    },
    ...(options.guarded && { security: [{ bearer: [] }] }),
  };
}

function toOperation(operation: Operation, { guarded }: DescribeOptions): Operation {
  const { [PROBLEMS_KEY]: problems, [ANSWER_KEY]: answer, ...rest } = operation;
  const parameters = rest.parameters?.map(toParameter) ?? [];
  const hasInput = rest.requestBody !== undefined || parameters.some((parameter) => parameter['in'] === 'query');
  const isPublic = Array.isArray(rest['security']) && rest['security'].length === 0;
  const statuses = new Set<number>([
    ...((problems as number[] | undefined) ?? []),
    ...(guarded && !isPublic ? [401] : []),
    ...(rest.requestBody ? [400, 413, 415] : []),
    ...(hasInput ? [422] : []),
    500,
  ]);
  const result: Operation = {
    ...rest,
    ...(parameters.length > 0 && { parameters }),
    ...(rest.requestBody && { requestBody: toRequestBody(rest.requestBody) }),
    responses: {
      ...toResponses(rest.responses, answer as DescribedAnswer | undefined),
      ...Object.fromEntries(
        [...statuses]
          .sort((a, b) => a - b)
          .map((status) => [String(status), { $ref: `#/components/responses/${status}` }]),
      ),
    },
  };
  if (parameters.length === 0) delete result.parameters;
  return result;
}

function toParameter(parameter: Json): Json {
  const schema = toOpenApiSchema(parameter['schema']);
  const description = parameter['description'] ?? schema['description'];
  delete schema['description'];
  return {
    name: parameter['name'],
    in: parameter['in'],
    required: parameter['in'] === 'path' || parameter['required'] === true,
    ...(description !== undefined && { description }),
    schema,
  };
}

/** One response component for each error status that a route refers to. */
function problemComponents(operations: Operation[]): Json {
  const statuses = operations.flatMap((operation) =>
    Object.entries(operation.responses ?? {}).flatMap(([status, response]) => (response.$ref ? [status] : [])),
  );
  const describe = (status: string) => PROBLEM_TEXTS[status] ?? TITLES[Number(status)] ?? 'An error.';
  return Object.fromEntries(
    [...new Set(statuses)]
      .sort()
      .map((status) => [status, { description: describe(status), content: PROBLEM_CONTENT }]),
  );
}

/** Bodies are JSON unless a field is a file; the generator lists every media type the framework could read. */
function toRequestBody(body: NonNullable<Operation['requestBody']>): Operation['requestBody'] {
  const [first] = Object.values(body.content ?? {});
  const schema = toOpenApiSchema(first?.schema);
  const fields = Object.values((schema['properties'] ?? {}) as Record<string, Json>);
  const isForm = fields.some(
    (field) => field['format'] === 'binary' || (field['items'] as Json)?.['format'] === 'binary',
  );
  return { required: true, content: { [isForm ? 'multipart/form-data' : 'application/json']: { schema } } };
}

function toResponses(declared: Operation['responses'], answer: DescribedAnswer | undefined): Operation['responses'] {
  const responses: NonNullable<Operation['responses']> = {};
  for (const [status, response] of Object.entries(declared ?? {})) {
    // The generator lists every media type it knows for a schema; what a route wrote out by hand has its own.
    const json = response.content?.['application/json'];
    if (answer && !response.content) continue;
    responses[status] = {
      ...response,
      description: response.description || SUCCESS_TEXTS[status] || 'Done.',
      ...(json?.schema && { content: { 'application/json': { schema: toOpenApiSchema(json.schema) } } }),
    };
  }
  if (answer) {
    const { status, ...described } = answer;
    const key = String(status);
    const content = { ...responses[key]?.content, ...described.content };
    responses[key] = { ...described, ...(Object.keys(content).length > 0 && { content }) };
  }
  return responses;
}

const SUCCESS_TEXTS: Record<string, string> = { 200: 'OK', 202: 'Accepted; the work goes on.', 204: 'Done.' };

const PROBLEM = {
  type: 'object',
  description: 'An error (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string', description: 'Name of the status.' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'One sentence for people.' },
    code: { type: 'string', description: 'Stable code for programs.' },
    request_id: { type: 'string', description: 'Also in the header x-request-id and in the log.' },
    errors: {
      type: 'array',
      description: 'The fields that break the schema (422).',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string', description: 'JSON pointer.' }, message: { type: 'string' } },
      },
    },
  },
};

const PROBLEM_CONTENT = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

const PROBLEM_TEXTS: Record<string, string> = {
  400: 'The request is malformed, or a setting it needs is missing.',
  401: 'The bearer token is missing or wrong.',
  403: 'This is disabled on this server, or not for pages of this origin.',
  404: 'There is no such thing.',
  409: 'The thing is in another state.',
  413: 'The request body is too large.',
  415: 'The request body has a media type that is not read here.',
  422: 'The request does not match the schema.',
  429: 'Too many requests.',
  500: 'The server or a provider failed; `code` tells which.',
  501: 'The configured provider cannot do this.',
  503: 'The server is busy or stopping.',
};

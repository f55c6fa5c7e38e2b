import type { DocumentDecoration } from 'elysia';
import { problemResponses } from './openapi-details.ts';
import { type Schema, toOpenApiSchema } from './openapi-schema.ts';

/** What a route says of itself: its schemas, and the `detail` written next to it. */
export interface RouteDescription {
  detail?: DocumentDecoration;
  body?: unknown;
  query?: unknown;
  /** Schemas of the answers by status. */
  response?: unknown;
}

/** The OpenAPI operation of a route: what it takes and answers, with the errors that the server itself answers. */
export function describeOperation({ detail = {}, body, query, response }: RouteDescription, guarded: boolean) {
  const parameters = toParameters(toOpenApiSchema(query));
  const requestBody = detail.requestBody ?? (body ? toRequestBody(toOpenApiSchema(body)) : undefined);
  const successes = Object.entries(response ?? {}).map(([status, schema]) => [
    status,
    { description: SUCCESS_TEXTS[status], content: { 'application/json': { schema: toOpenApiSchema(schema) } } },
  ]);
  const responses = {
    ...Object.fromEntries(successes),
    ...detail.responses,
    ...(guarded && detail.security?.length !== 0 && problemResponses(401)),
    ...(requestBody && problemResponses(400, 413, 415)),
    ...((requestBody || parameters.length > 0) && problemResponses(422)),
    ...problemResponses(500),
  };
  if (!Object.keys(responses)[0]?.startsWith('2')) responses[200] = { description: SUCCESS_TEXTS[200] };
  return { ...detail, ...(parameters.length > 0 && { parameters }), ...(requestBody && { requestBody }), responses };
}

const SUCCESS_TEXTS: Record<string, string> = { 200: 'OK', 202: 'Accepted; the work goes on.' };

function toParameters({ properties = {}, required = [] }: Schema) {
  return Object.entries(properties as Record<string, Schema>).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: (required as string[]).includes(name),
    ...(description ? { description: String(description) } : {}),
    schema,
  }));
}

/** Bodies are JSON unless a field is a file. */
function toRequestBody(schema: Schema) {
  const fields = Object.values((schema['properties'] ?? {}) as Record<string, Schema>);
  const isForm = fields.some(({ format, items }) => format === 'binary' || (items as Schema)?.['format'] === 'binary');
  return { required: true, content: { [isForm ? 'multipart/form-data' : 'application/json']: { schema } } };
}

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ERRORS } from '../../src/errors.ts';
import { toOpenApiSchema } from '../../src/http/openapi-schema.ts';
import { Type } from '../../src/schema.ts';
import { startTestServer, type TestServer } from '../helpers/test-server.ts';
import { createSampleRoutes } from './fixtures.ts';

type Json = Record<string, unknown>;
interface Operation {
  summary?: string;
  parameters?: { name: string; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json & { properties: Record<string, Json> } }> };
  responses: Record<string, { content?: Record<string, { schema: Json }>; $ref?: string }>;
  security?: unknown;
}

let server: TestServer;
let document: Json & { paths: Record<string, Record<string, Operation>>; components: Record<string, Json> };
beforeAll(async () => {
  server = await startTestServer({ mount: (base) => base.use(createSampleRoutes()) });
  document = (await (await server.fetch('/openapi.json')).json()) as typeof document;
});
afterAll(() => server[Symbol.asyncDispose]());

const operation = (path: string, method: string) => document.paths[path]![method]!;

test('the document is valid OpenAPI 3.0', async () => {
  const result = await new Validator().validate(structuredClone(document));
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(document['openapi']).toBe('3.0.3');
});

test('every public route is in it and no internal one', () => {
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const mounted = server.server.routes
    .filter((route) => route.path !== '/' && !route.path.startsWith('/docs') && route.path !== '/openapi.json')
    .map((route) => `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect(listed.sort()).toEqual(mounted.sort());
});

test('integers are integers, in bodies and in queries', () => {
  const body = operation('/api/sample/echo', 'post').requestBody!.content['application/json']!.schema;
  expect(body.properties['count']).toEqual({ type: 'integer', minimum: 1, description: 'How many.' });
  const [limit] = operation('/api/sample/list', 'get').parameters!;
  expect(limit!.schema).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 20 });
});

test('enums, nullable fields, exclusive bounds and maps are written the OpenAPI way', () => {
  const body = operation('/api/sample/echo', 'post').requestBody!.content['application/json']!.schema;
  expect(body.properties['style']).toEqual({ type: 'string', enum: ['NEWS', 'ACADEMIC'], description: 'Style.' });
  expect(body.properties['note']).toEqual({
    type: 'string',
    maxLength: 20,
    nullable: true,
    description: 'May be null.',
  });
  expect(body.properties['ratio']).toEqual({ type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 3 });
  expect(body.properties['tags']).toEqual({ type: 'object', additionalProperties: { type: 'integer' } });
  expect(body['additionalProperties']).toBeUndefined();
});

test('a JSON body is only JSON and a file is only a form', () => {
  expect(Object.keys(operation('/api/sample/echo', 'post').requestBody!.content)).toEqual(['application/json']);
  const upload = operation('/api/sample/upload', 'post').requestBody!.content;
  expect(Object.keys(upload)).toEqual(['multipart/form-data']);
  expect(upload['multipart/form-data']!.schema.properties['file']).toEqual({ type: 'string', format: 'binary' });
});

test('files and event streams have their media types', () => {
  const file = operation('/api/sample/file', 'get').responses['200']!.content!;
  expect(file).toEqual({
    'audio/mp3': { schema: { type: 'string', format: 'binary' } },
    'audio/wav': { schema: { type: 'string', format: 'binary' } },
  });
  expect(Object.keys(operation('/api/sample/stream', 'get').responses['200']!.content!)).toEqual(['text/event-stream']);
});

test('a success without a body has none in the document', () => {
  expect(operation('/api/sample/items/{id}', 'delete').responses).toEqual({
    '204': { description: 'Done.' } as never,
    '500': { $ref: '#/components/responses/500' },
  });
});

type Documented = { content: Record<string, { examples: Record<string, { value: object }> }> };

test('the errors of a route and those of the server are listed with the problem schema', () => {
  const statuses = Object.keys(operation('/api/sample/echo', 'post').responses);
  expect(statuses).toEqual(['200', '400', '403', '413', '415', '422', '500']);
  expect(operation('/api/sample/echo', 'post').responses['403']).toEqual({ $ref: '#/components/responses/403' });
  expect(JSON.stringify(document.components['responses']!['403'])).toContain('application/problem+json');
  const { examples } = (document.components['responses']!['403'] as never as Documented).content[
    'application/problem+json'
  ]!;
  expect(examples['mcp_disabled']!.value).toMatchObject({ status: 403, detail: ERRORS.mcp_disabled.help });
  expect(Object.keys(examples)).not.toContain('not_found');
  expect(Object.keys(operation('/api/sample/upload', 'post').responses)).toContain('501');
  expect(Object.keys(operation('/health', 'get').responses)).toEqual(['200', '500']);
});

test('no extension of ours and no framework keyword is left in it', () => {
  expect(JSON.stringify(document)).not.toMatch(
    /x-problems|x-answer|"const"|patternProperties|"format":"integer"|undefined/,
  );
});

test('the token appears only when there is one', async () => {
  expect(document['security']).toBeUndefined();
  expect(document.components['securitySchemes']).toBeUndefined();
  await using guarded = await startTestServer({
    mount: (base) => base.use(createSampleRoutes()),
    server: { api_token: 't' },
  });
  const described = (await (await guarded.fetch('/openapi.json')).json()) as typeof document;
  expect(described['security']).toEqual([{ bearer: [] }]);
  expect(described.components['securitySchemes']).toEqual({ bearer: { type: 'http', scheme: 'bearer' } });
  expect(Object.keys(described.paths['/api/config']!['get']!.responses)).toContain('401');
  expect(described.paths['/health']!['get']!.security).toEqual([]);
  expect(Object.keys(described.paths['/health']!['get']!.responses)).not.toContain('401');
  expect((await new Validator().validate(structuredClone(described))).valid).toBe(true);
});

describe('toOpenApiSchema', () => {
  test.each([
    ['a constant', Type.Literal('a'), { type: 'string', enum: ['a'] }],
    [
      'constants of two types',
      Type.Union([Type.Literal('a'), Type.Literal(1)]),
      {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'number', enum: [1] },
        ],
      },
    ],
    [
      'a nullable union',
      Type.Union([Type.String(), Type.Integer(), Type.Null()]),
      { anyOf: [{ type: 'string' }, { type: 'integer' }], nullable: true },
    ],
    [
      'a nullable enum',
      Type.Union([Type.Union([Type.Literal('a'), Type.Literal('b')]), Type.Null()]),
      { type: 'string', enum: ['a', 'b'], nullable: true },
    ],
    ['an array without items', { type: 'array' }, { type: 'array', items: {} }],
    ['an unknown keyword', Type.String({ unit: 'seconds', env: ['A'] }), { type: 'string' }],
    ['examples', Type.String({ examples: ['a', 'b'] }), { type: 'string', example: 'a' }],
    ['anything', Type.Unknown(), {}],
    ['files', { type: 'Files' }, { type: 'array', items: { type: 'string', format: 'binary' } }],
  ])('%s', (_name, schema, expected) => {
    expect(toOpenApiSchema(schema)).toEqual(expected as Json);
  });
});

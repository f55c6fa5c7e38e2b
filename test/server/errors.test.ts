import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestServer, type TestServer } from '../helpers/test-server.ts';
import { createSampleRoutes } from './fixtures.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ mount: (base) => base.use(createSampleRoutes()) });
});
afterAll(() => server[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };
const post = (path: string, body: BodyInit, headers: Record<string, string> = json): [string, RequestInit] => [
  path,
  { method: 'POST', body, headers },
];
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe('every failure is one problem document', () => {
  test.each<[string, [string, RequestInit?], number, string]>([
    ['an unknown path', ['/nope'], 404, 'not_found'],
    ['an unknown API path', ['/api/nope'], 404, 'not_found'],
    ['a wrong method', ['/api/sample/echo'], 405, 'method_not_allowed'],
    ['a wrong method on a pattern', ['/api/sample/items/1', { method: 'PUT' }], 405, 'method_not_allowed'],
    ['malformed JSON', post('/api/sample/echo', '{bad'), 400, 'malformed_json'],
    ['a lone brace', post('/api/sample/echo', '{'), 400, 'malformed_json'],
    ['invalid UTF-8', post('/api/sample/echo', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22])), 400, 'malformed_json'],
    ['JSON nested 10,000 deep', post('/api/sample/echo', deep(10_000)), 400, 'malformed_json'],
    ['JSON nested 200,000 deep', post('/api/sample/echo', '['.repeat(200_000)), 400, 'malformed_json'],
    ['an array as body', post('/api/sample/echo', '[1]'), 422, 'invalid_request'],
    ['null as body', post('/api/sample/echo', 'null'), 422, 'invalid_request'],
    ['a missing body', post('/api/sample/echo', ''), 422, 'invalid_request'],
    ['a missing field', post('/api/sample/echo', '{}'), 422, 'invalid_request'],
    ['text for an integer', post('/api/sample/echo', '{"count":"3"}'), 422, 'invalid_request'],
    ['a fraction for an integer', post('/api/sample/echo', '{"count":1.5}'), 422, 'invalid_request'],
    ['zero for a positive integer', post('/api/sample/echo', '{"count":0}'), 422, 'invalid_request'],
    ['null for a field that is not nullable', post('/api/sample/echo', '{"count":null}'), 422, 'invalid_request'],
    ['an unknown enum value', post('/api/sample/echo', '{"count":1,"style":"X"}'), 422, 'invalid_request'],
    ['a query that is no number', ['/api/sample/list?limit=abc'], 422, 'invalid_request'],
    ['a query out of range', ['/api/sample/list?limit=0'], 422, 'invalid_request'],
    [
      'a form instead of JSON',
      post('/api/sample/echo', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'unsupported_media_type',
    ],
    [
      'a form without its boundary',
      post('/api/sample/upload', 'xx', { 'content-type': 'multipart/form-data' }),
      400,
      'malformed_form',
    ],
    ['a broken percent-encoding', ['/api/sample/items/%E0%A4%A'], 400, 'malformed_url'],
    ['a refusal', ['/api/sample/refused'], 403, 'mcp_disabled'],
    ['a provider failure', ['/api/sample/limited'], 500, 'upstream_rate_limited'],
    ['a busy server', ['/api/sample/busy'], 503, 'overloaded'],
    ['a defect', ['/api/sample/defect'], 500, 'internal_error'],
    ['a thrown string', ['/api/sample/thrown-string'], 500, 'internal_error'],
    ['an answer that breaks its own schema', ['/api/sample/broken-answer'], 500, 'internal_error'],
  ])('%s', async (_name, [path, init], status, code) => {
    const answer = await server.fetch(path, {
      ...init,
      headers: { ...init?.headers, origin: 'http://localhost:3000' },
    });
    const body = (await answer.json()) as Record<string, unknown>;
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({ type: 'about:blank', status, code, request_id: answer.headers.get('x-request-id') });
    expect(
      Object.keys(body)
        .filter((key) => key !== 'errors')
        .sort(),
    ).toEqual(['code', 'detail', 'request_id', 'status', 'title', 'type'].sort());
    expect(body['detail']).toMatch(/^[A-Z"].*[.\w]$/);
    expect(body['detail']).not.toContain('\n');
    expect(JSON.stringify(body)).not.toMatch(/hunter2|sk-1|\bat .*:\d+/);
    expect(answer.headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
  });
});

test('a 405 lists what the path answers', async () => {
  expect((await server.fetch('/api/sample/echo')).headers.get('allow')).toBe('POST, OPTIONS');
  expect((await server.fetch('/api/sample/items/1', { method: 'POST' })).headers.get('allow')).toBe(
    'GET, DELETE, HEAD, OPTIONS',
  );
  expect((await server.fetch('/api/config/', { method: 'PUT' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
});

test('a schema violation names every field with a JSON pointer and never repeats the value', async () => {
  const answer = await server.post('/api/sample/echo', {
    style: 'my-secret',
    ratio: 0,
    list: [{ name: 'a' }, { name: 5 }, {}],
  });
  const body = (await answer.json()) as { detail: string; errors: { path: string; message: string }[] };
  expect(body.errors).toEqual([
    { path: '/count', message: 'Required' },
    { path: '/ratio', message: 'Expected number to be greater than 0' },
    { path: '/style', message: 'Must be one of "NEWS", "ACADEMIC"' },
    { path: '/list/1/name', message: 'Expected string' },
    { path: '/list/2/name', message: 'Required' },
  ]);
  expect(body.detail).toBe('The request body is not valid: "count" is required (and 4 more).');
  expect(JSON.stringify(body)).not.toContain('my-secret');
});

test('unknown fields are ignored and null means absent for a nullable field', async () => {
  const answer = await server.post('/api/sample/echo', { count: 2, note: null, surprise: { a: null } });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ body: { count: 2 } });
});

test('nulls inside free-form objects are kept', async () => {
  const answer = await server.post('/api/sample/bare', { env: { a: null }, list: [null] });
  expect(await answer.json()).toEqual({ body: { env: { a: null }, list: [null] } });
});

test('a __proto__ key changes no prototype', async () => {
  const answer = await server.fetch(...post('/api/sample/echo', '{"count":1,"__proto__":{"style":"NEWS"},"note":"x"}'));
  expect(await answer.json()).toEqual({ body: { count: 1, note: 'x' } });
  expect(({} as Record<string, unknown>)['style']).toBeUndefined();
});

test('a route without a body schema takes an empty body with a JSON content type', async () => {
  expect(await (await server.fetch(...post('/api/sample/bare', ''))).json()).toEqual({ body: null });
});

test('a route that parses by itself gets the untouched body', async () => {
  expect(await (await server.fetch(...post('/api/sample/raw', '{bad'))).json()).toEqual({ text: '{bad' });
});

test('JSON without a content type is read', async () => {
  const answer = await server.fetch('/api/sample/echo', { method: 'POST', body: '{"count":1}' });
  expect(answer.status).toBe(200);
});

test('a byte order mark before the JSON is tolerated', async () => {
  expect((await server.fetch(...post('/api/sample/echo', '\ufeff{"count":1}'))).status).toBe(200);
});

test('the stack of a defect is in the log under the id of the answer and nowhere else', async () => {
  const answer = await server.fetch('/api/sample/defect');
  const { request_id } = (await answer.json()) as { request_id: string };
  const entry = server.log.find((line) => line['request_id'] === request_id && line['level'] === 'error');
  expect(entry?.['stack']).toContain('fixtures.ts');
});

test('Retry-After comes from the provider or from the error', async () => {
  expect((await server.fetch('/api/sample/limited')).headers.get('retry-after')).toBe('2');
  expect((await server.fetch('/api/sample/busy')).headers.get('retry-after')).toBe('7');
});

test('the log names the route pattern, never the address or the query', async () => {
  await server.fetch('/api/sample/items/private-name?token=hunter2');
  await server.fetch('/private-path');
  const entry = server.log.find((line) => line['route'] === '/api/sample/items/:id' && line['status'] === 200);
  expect(entry).toMatchObject({ message: 'request', method: 'GET' });
  expect(server.logText()).not.toMatch(/private-name|private-path|token=/);
});

test('a request that its client gave up is no error in the log', async () => {
  const abort = new AbortController();
  const pending = server.fetch('/api/sample/waits', { signal: abort.signal });
  await Bun.sleep(20);
  abort.abort();
  await pending.catch(() => undefined);
  const find = () => server.log.find((line) => line['route'] === '/api/sample/waits');
  for (let wait = 0; wait < 100 && !find(); wait++) await Bun.sleep(5);
  expect(find()).toMatchObject({ level: 'info', status: 499 });
  expect(server.logText()).not.toContain('upstream call was cut');
});

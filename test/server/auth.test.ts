import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PUBLIC_PATHS } from '../../src/http/auth.ts';
import { completeResponse, rawExchange } from '../helpers/raw-http.ts';
import { startTestServer, type TestServer } from '../helpers/test-server.ts';
import { createSampleRoutes } from './fixtures.ts';

const TOKEN = 'correct-horse-battery';
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ mount: (base) => base.use(createSampleRoutes()), server: { api_token: TOKEN } });
});
afterAll(() => server[Symbol.asyncDispose]());

const isPublic = (path: string) => PUBLIC_PATHS.includes(path) || path.startsWith('/docs/assets/');

test('every mounted route needs the token unless it is listed as public', async () => {
  expect(server.server.routes.length).toBeGreaterThan(15);
  for (const { method, path } of server.server.routes) {
    const address = path.replaceAll(/:\w+\??|\*/g, 'x');
    const answer = await server.fetch(address, { method });
    await answer.body?.cancel();
    if (isPublic(path)) expect([path, answer.status]).toEqual([path, 200]);
    else expect([path, answer.status]).toEqual([path, 401]);
  }
});

test('with the token every route lets the caller in', async () => {
  for (const { method, path } of server.server.routes) {
    if (path === '/api/sample/waits') continue;
    const address = path.replaceAll(/:\w+\??|\*/g, 'x');
    const answer = await server.fetch(address, { method, headers: { authorization: `Bearer ${TOKEN}` } });
    await answer.body?.cancel();
    expect([path, answer.status === 401]).toEqual([path, false]);
  }
});

describe('paths that are not mounted do not tell what exists', () => {
  test.each([
    '/api/nope',
    '/v1/models',
    '/mcp',
    '/nope',
    '//api/config',
    '/api%2fconfig',
    '/%61pi/config',
    '/API/config',
    '/health/../api/config',
    '/docs/assets/../../api/config',
    '/docs/../api/config',
    '/health;/api/config',
    '/api/config?x=/health',
    '/api/config#/health',
  ])('%s', async (path) => {
    const text = await rawExchange(server.port, [`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`], {
      done: completeResponse,
    });
    expect(text).toMatch(/^HTTP\/1\.1 40[01]/);
    expect(text).not.toContain('"rag"');
  });

  test.each(['a/health?', 'a/docs/assets/', 'health', '/health'])('a Host of %s opens nothing', async (host) => {
    const text = await rawExchange(server.port, [`GET /api/config HTTP/1.1\r\nHost: ${host}\r\n\r\n`], {
      done: completeResponse,
      timeoutMs: 200,
    });
    expect(text).not.toContain('"rag"');
  });
});

describe('credentials', () => {
  test.each<[string, string, boolean]>([
    ['the token', `Bearer ${TOKEN}`, true],
    ['another spelling of the scheme', `bearer ${TOKEN}`, true],
    ['two spaces', `Bearer  ${TOKEN}`, true],
    ['no scheme', TOKEN, false],
    ['another scheme', `Basic ${TOKEN}`, false],
    ['a prefix of the token', `Bearer ${TOKEN.slice(0, -1)}`, false],
    ['a longer token', `Bearer ${TOKEN}x`, false],
    ['another case', `Bearer ${TOKEN.toUpperCase()}`, false],
    ['an empty token', 'Bearer ', false],
    ['two tokens', `Bearer ${TOKEN}, Bearer ${TOKEN}`, false],
    ['a very long token', `Bearer ${'x'.repeat(8000)}`, false],
  ])('%s', async (_name, authorization, accepted) => {
    const answer = await server.fetch('/api/config', { headers: { authorization } });
    expect(answer.status).toBe(accepted ? 200 : 401);
    if (!accepted) {
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="agent", error="invalid_token"');
      expect(await answer.text()).not.toContain(TOKEN);
    }
  });

  test('none at all', async () => {
    const answer = await server.fetch('/api/config', { headers: { origin: 'http://localhost:3000' } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="agent"');
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
    expect(await answer.json()).toMatchObject({ code: 'unauthorized' });
  });

  test('two Authorization headers', async () => {
    for (const [first, second] of [
      [TOKEN, 'wrong'],
      ['wrong', TOKEN],
    ]) {
      const request = `GET /api/config HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${first}\r\nAuthorization: Bearer ${second}\r\n\r\n`;
      expect(await rawExchange(server.port, [request], { done: completeResponse })).toStartWith('HTTP/1.1 401');
    }
  });
});

test('a refused body is not read', async () => {
  const text = await rawExchange(
    server.port,
    ['POST /api/sample/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\n'],
    { done: completeResponse },
  );
  expect(text).toStartWith('HTTP/1.1 401');
});

test('neither the token nor a wrong guess is in the log', async () => {
  await server.fetch('/api/config', { headers: { authorization: 'Bearer my-wrong-guess' } });
  expect(server.logText()).not.toMatch(new RegExp(`${TOKEN}|my-wrong-guess`));
});

test('without a token everything is open', async () => {
  await using open = await startTestServer({ mount: (base) => base.use(createSampleRoutes()) });
  expect((await open.fetch('/api/config')).status).toBe(200);
});

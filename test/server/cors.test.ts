import { afterEach, expect, test } from 'bun:test';
import { startTestServer, type TestServer, type TestServerOptions } from '../helpers/test-server.ts';
import { createSampleRoutes } from './fixtures.ts';

const OWN = 'http://localhost:3000';
let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

async function start(options: TestServerOptions['server'] = {}) {
  server = await startTestServer({ mount: (base) => base.use(createSampleRoutes()), server: options });
}
const preflight = (origin: string, headers = 'content-type') =>
  server.fetch('/api/sample/echo', {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': headers },
  });

test('the default allows the web client on localhost:3000, with credentials', async () => {
  await start();
  const answer = await server.fetch('/api/config', { headers: { origin: OWN } });
  expect(answer.headers.get('access-control-allow-origin')).toBe(OWN);
  expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
  expect(answer.headers.get('access-control-expose-headers')).toContain('x-run-id, x-thread-id, x-request-id');
  expect(answer.headers.get('vary')).toContain('Origin');
});

test('a preflight is answered with 204 and the methods and headers asked for', async () => {
  await start({ api_token: 'secret' });
  const answer = await preflight(OWN, 'authorization,content-type,x-custom');
  expect(answer.status).toBe(204);
  expect(await answer.text()).toBe('');
  expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE, OPTIONS');
  expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,content-type,x-custom');
  expect(answer.headers.get('access-control-allow-origin')).toBe(OWN);
});

test.each([
  'http://evil.example',
  'null',
  'http://localhost:3000.evil.example',
  'HTTP://LOCALHOST:3000/',
  'http://localhost:30001',
])('the origin %s gets no permission', async (origin) => {
  await start();
  for (const answer of [await preflight(origin), await server.fetch('/api/config', { headers: { origin } })]) {
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('access-control-allow-methods')).toBeNull();
    expect(answer.headers.get('vary')).toContain('Origin');
  }
});

test('a star allows every origin but never with credentials', async () => {
  await start({ allowed_origins: ['*'] });
  const answer = await server.fetch('/api/config', { headers: { origin: 'http://any.example' } });
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
});

test('a listed origin next to a star keeps its credentials', async () => {
  await start({ allowed_origins: ['*', OWN] });
  const answer = await server.fetch('/api/config', { headers: { origin: OWN } });
  expect(answer.headers.get('access-control-allow-origin')).toBe(OWN);
  expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
});

test('streams carry the headers too', async () => {
  await start();
  const answer = await server.fetch('/api/sample/stream', { headers: { origin: OWN } });
  expect(answer.headers.get('access-control-allow-origin')).toBe(OWN);
  expect(answer.headers.get('x-run-id')).toBe('run_1');
  await answer.text();
});

test.each(['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])(
  'a foreign page cannot post %s, which browsers send without asking, to an open server',
  async (type) => {
    await start();
    const send = (origin: string) =>
      server.fetch('/api/sample/echo', {
        method: 'POST',
        headers: { origin, 'content-type': type },
        body: '{"count":1}',
      });
    const refused = await send('http://evil.example');
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: 'origin_not_allowed' });
    expect((await send(OWN)).status).not.toBe(403);
    expect((await send(server.url)).status).not.toBe(403);
  },
);

test.each([
  ['a bare list', 'a b; DROP', 'authorization, content-type, last-event-id, x-request-id'],
  ['a line break', 'x-a,\tx-b', 'x-a,\tx-b'],
])('asked headers with %s are not echoed blindly', async (_name, asked, expected) => {
  await start();
  expect((await preflight(OWN, asked)).headers.get('access-control-allow-headers')).toBe(expected);
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { completeResponse, rawExchange } from '../helpers/raw-http.ts';
import { startTestServer } from '../helpers/test-server.ts';
import { createSampleRoutes } from './fixtures.ts';

let now = 1_000_000;
const open = () =>
  startTestServer({
    mount: (base) => base.use(createSampleRoutes()),
    deps: { clock: { now: () => now, sleep: () => Promise.resolve() } },
  });
let server: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  server = await open();
});
afterAll(() => server[Symbol.asyncDispose]());

test('health says ok with the version and the uptime', async () => {
  now += 61_500;
  const answer = await server.fetch('/health');
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({
    status: 'ok',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    uptime_seconds: 61,
  });
});

test('health takes less than a millisecond of work', async () => {
  for (let warm = 0; warm < 50; warm++) await server.fetch('/health');
  const times = server.log.filter((line) => line['route'] === '/health').map((line) => line['ms'] as number);
  times.sort((a, b) => a - b);
  expect(times[Math.floor(times.length / 2)]).toBeLessThan(1);
});

test('the configuration shows the provider and the models', async () => {
  const { data } = await server.api.api.config.get();
  expect(data).toEqual({ rag: { provider: 'local' }, models: { basic: ['test-model'] } });
});

test('the root greets browsers with a page and programs with JSON', async () => {
  const page = await server.fetch('/', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await page.text();
  expect(html).toContain('href="/docs"');
  expect(html).not.toMatch(/https?:\/\//);
  const plain = await server.fetch('/', { headers: { accept: '*/*' } });
  expect(await plain.json()).toMatchObject({ name: 'agent', docs: '/docs' });
});

test('HEAD has the status and the length of GET and no body', async () => {
  const get = await server.fetch('/api/config');
  const length = (await get.text()).length;
  const text = await rawExchange(server.port, ['HEAD /api/config HTTP/1.1\r\nHost: localhost\r\n\r\n'], {
    timeoutMs: 100,
  });
  expect(text).toStartWith('HTTP/1.1 200');
  expect(text.toLowerCase()).toContain(`content-length: ${length}`);
  expect(text).toEndWith('\r\n\r\n');
});

test('HEAD on a stream answers at once and ends', async () => {
  const answer = await server.fetch('/api/sample/stream', { method: 'HEAD' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toStartWith('text/event-stream');
  expect(await answer.text()).toBe('');
});

test('HEAD of an unknown path is 404', async () => {
  expect((await server.fetch('/nope', { method: 'HEAD' })).status).toBe(404);
});

test('OPTIONS lists the methods of a path, and 404 where nothing is', async () => {
  const answer = await server.fetch('/api/sample/echo', { method: 'OPTIONS' });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
  expect((await server.fetch('/nope', { method: 'OPTIONS' })).status).toBe(404);
});

test.each(['abc-DEF_1.2', 'x', 'a'.repeat(64)])('the request id %s is taken over', async (id) => {
  const answer = await server.fetch('/health', { headers: { 'x-request-id': id } });
  expect(answer.headers.get('x-request-id')).toBe(id);
});

test.each(['', 'a b', 'a'.repeat(65), 'a,b', '<script>', 'é', 'a=b'])(
  'the request id %j is replaced by a fresh one',
  async (id) => {
    const answer = await server.fetch('/health', { headers: { 'x-request-id': id } });
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
  },
);

test('a request id cannot inject a header or a log line', async () => {
  const text = await rawExchange(
    server.port,
    ['GET /nope HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a\rX-Evil: 1\r\n\r\n'],
    {
      done: completeResponse,
      timeoutMs: 200,
    },
  );
  expect(text.toLowerCase()).not.toContain('\nx-evil');
  expect(server.logText()).not.toContain('X-Evil');
});

test('two requests never share an id', async () => {
  const ids = await Promise.all(
    Array.from({ length: 50 }, async () => (await server.fetch('/health')).headers.get('x-request-id')),
  );
  expect(new Set(ids).size).toBe(50);
});

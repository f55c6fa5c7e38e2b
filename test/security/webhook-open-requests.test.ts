import { expect, test } from 'bun:test';
import { completeResponse, rawExchange } from '../helpers/raw-http.ts';
import { startGateway } from '../webhooks/gateway.ts';

const routes = { gh: { secret: 'secret', prompt: 'x' } };
const head = (more = '') =>
  `POST /webhooks/gh HTTP/1.1\r\nHost: localhost\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\nContent-Length: 10\r\n${more}\r\n`;
const portOf = (gateway: { url: string }) => Number(new URL(gateway.url).port);

test.each([
  ['of announced length', head()],
  ['in chunks', head().replace('Content-Length: 10', 'Transfer-Encoding: chunked')],
])(
  'a body %s that does not come is answered 408 after 30 seconds and the connection closed',
  async (_name, request) => {
    await using gateway = await startGateway({ routes });
    const answer = rawExchange(portOf(gateway), [request], { timeoutMs: 10_000 });
    await Bun.sleep(30);
    gateway.clock.offset = 30_001;
    const text = await answer;
    expect(text).toStartWith('HTTP/1.1 408');
    expect(text.toLowerCase()).toContain('connection: close');
    expect(text).toEndWith('{"error":"The body took too long"}');
  },
);

test('one address has so many open requests, others are served meanwhile', async () => {
  await using gateway = await startGateway({ routes, webhook: { max_open_requests_per_address: 2 } });
  const open = (address: string) =>
    rawExchange(portOf(gateway), [head(`X-Forwarded-For: ${address}\r\n`)], {
      done: completeResponse,
      timeoutMs: 10_000,
    });
  const held = [open('203.0.113.9'), open('203.0.113.9')];
  await Bun.sleep(30);
  expect(await open('203.0.113.9')).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 5/i);
  expect((await gateway.post('gh', { a: 1 }, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(429);
  expect((await gateway.post('gh', { a: 1 }, { 'x-forwarded-for': '203.0.113.10' })).status).toBe(200);
  expect((await gateway.post('gh', { a: 2 })).status).toBe(200);
  gateway.clock.offset = 30_001;
  for (const text of await Promise.all(held)) expect(text).toStartWith('HTTP/1.1 408');
  expect((await gateway.post('gh', { a: 3 }, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
});

test('a sender that goes away in the middle of a body leaves no line in the log', async () => {
  await using gateway = await startGateway({ routes });
  await rawExchange(portOf(gateway), [head(), 'half'], { timeoutMs: 30 });
  expect((await gateway.post('gh', { a: 1 })).status).toBe(200);
  expect(gateway.logged.join()).not.toContain('webhook request failed');
});

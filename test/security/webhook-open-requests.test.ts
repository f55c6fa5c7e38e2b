import { expect, test } from 'bun:test';
import { completeResponse, rawExchange } from '../helpers/raw-http.ts';
import { startGateway, type TestGateway } from '../webhooks/gateway.ts';

const routes = { gh: { secret: 'secret', prompt: 'x' } };
const head = (more = '') =>
  `POST /webhooks/gh HTTP/1.1\r\nHost: localhost\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\nContent-Length: 10\r\n${more}\r\n`;
/** Moves the gateway's clock until the answer is there. */
async function passTime<T>(gateway: TestGateway, answer: Promise<T>): Promise<T> {
  let isOver = false;
  const over = answer.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await Bun.sleep(20);
    gateway.clock.offset += 30_001;
  }
  return over;
}
const portOf = (gateway: { url: string }) => Number(new URL(gateway.url).port);

test.each([
  ['of announced length', head()],
  ['in chunks', head().replace('Content-Length: 10', 'Transfer-Encoding: chunked')],
])(
  'a body %s that does not come is answered 408 after 30 seconds and the connection closed',
  async (_name, request) => {
    await using gateway = await startGateway({ routes });
    const answer = rawExchange(portOf(gateway), [request], { timeoutMs: 10_000 });
    const text = await passTime(gateway, answer);
    expect(text).toStartWith('HTTP/1.1 408');
    expect(text.toLowerCase()).toContain('connection: close');
    expect(text).toEndWith('{"error":"The body took too long"}');
  },
);

test('one address has so many open requests, others are served meanwhile', async () => {
  await using gateway = await startGateway({ routes, webhook: { max_open_requests_per_address: 2 } });
  const open = (address: string, timeoutMs = 10_000) =>
    rawExchange(portOf(gateway), [head(`X-Forwarded-For: ${address}\r\n`)], {
      done: completeResponse,
      timeoutMs,
    });
  const held = [open('203.0.113.9'), open('203.0.113.9')];
  let third = '';
  // On a busy machine it may come in before those that were sent first.
  for (let tries = 0; third === '' && tries < 50; tries++) third = await open('203.0.113.9', 200);
  expect(third).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 5/i);
  expect((await gateway.post('gh', { a: 1 }, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(429);
  expect((await gateway.post('gh', { a: 1 }, { 'x-forwarded-for': '203.0.113.10' })).status).toBe(200);
  expect((await gateway.post('gh', { a: 2 })).status).toBe(200);
  for (const text of await passTime(gateway, Promise.all(held))) expect(text).toStartWith('HTTP/1.1 408');
  expect((await gateway.post('gh', { a: 3 }, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
});

test('a sender that goes away in the middle of a body leaves no line in the log', async () => {
  await using gateway = await startGateway({ routes });
  await rawExchange(portOf(gateway), [head(), 'half'], { timeoutMs: 30 });
  expect((await gateway.post('gh', { a: 1 })).status).toBe(200);
  expect(gateway.logged.join()).not.toContain('webhook request failed');
});

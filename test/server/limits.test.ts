import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { completeResponse, rawExchange } from '../helpers/raw-http.ts';
import { startTestServer, type TestServer } from '../helpers/test-server.ts';
import { createSampleRoutes } from './fixtures.ts';

const LIMIT = 64 * 1024;
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    mount: (base) => base.use(createSampleRoutes()),
    server: { max_body_bytes: LIMIT },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const head = (extra: string) =>
  `POST /api/sample/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${extra}\r\n`;

function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ count: 1, pad: '' });
  return JSON.stringify({ count: 1, pad: 'x'.repeat(bytes - empty.length) });
}

test('a body of exactly the limit is read and one byte more is refused', async () => {
  const send = (bytes: number) =>
    server.fetch('/api/sample/echo', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: bodyOf(bytes),
    });
  expect((await send(LIMIT)).status).toBe(200);
  const refused = await send(LIMIT + 1);
  expect(refused.status).toBe(413);
  expect(refused.headers.get('content-type')).toBe('application/problem+json');
  expect(await refused.json()).toMatchObject({ code: 'body_too_large', status: 413 });
});

test('an announced size over the limit is refused before any of the body is sent', async () => {
  const text = await rawExchange(server.port, [head('Content-Length: 999999999\r\n')], { done: completeResponse });
  expect(text).toStartWith('HTTP/1.1 413');
  expect(text).toContain('application/problem+json');
  expect(text).toContain('"code":"body_too_large"');
});

test('a chunked body over the limit is refused with a problem document before it ends', async () => {
  const chunk = `${LIMIT.toString(16)}\r\n${'x'.repeat(LIMIT)}\r\n`;
  const text = await rawExchange(server.port, [head('Transfer-Encoding: chunked\r\n'), chunk, chunk], {
    done: completeResponse,
  });
  expect(text).toStartWith('HTTP/1.1 413');
  expect(text).toContain('"code":"body_too_large"');
});

test('a chunked body without an end does not fill the memory', async () => {
  const before = process.memoryUsage().rss;
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(head('Transfer-Encoding: chunked\r\n'));
  const chunk = `${(1 << 20).toString(16)}\r\n${'x'.repeat(1 << 20)}\r\n`;
  for (let sent = 0; sent < 200 && !socket.destroyed; sent++)
    if (!socket.write(chunk)) await new Promise<void>((resolve) => setTimeout(resolve, 2));
  socket.destroy();
  expect(process.memoryUsage().rss - before).toBeLessThan(300 << 20);
  expect((await server.fetch('/health')).status).toBe(200);
});

test('a chunked body within the limit is read', async () => {
  const body = JSON.stringify({ count: 3 });
  const text = await rawExchange(
    server.port,
    [head('Transfer-Encoding: chunked\r\n'), `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
    { done: completeResponse },
  );
  expect(text).toStartWith('HTTP/1.1 200');
  expect(text).toContain('{"body":{"count":3}}');
});

test('a file of the largest size passes although its form is larger than a JSON body may be', async () => {
  const form = new FormData();
  form.append('file', new File([new Uint8Array(10 << 20)], 'big.bin'));
  const answer = await server.fetch('/api/sample/upload', { method: 'POST', body: form });
  expect(await answer.json()).toEqual({ name: 'big.bin', size: 10 << 20 });
});

test('a form over the cap is refused', async () => {
  const form = new FormData();
  form.append('file', new File([new Uint8Array((10 << 20) + (80 << 10))], 'big.bin'));
  const answer = await server.fetch('/api/sample/upload', { method: 'POST', body: form });
  expect(answer.status).toBe(413);
});

test('a client that sends a large body and only then reads still gets the refusal', async () => {
  const answer = await server.fetch('/api/sample/echo', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Uint8Array(30 << 20),
  });
  expect(answer.status).toBe(413);
});

test.each([
  ['garbage', 'GARBAGE\x00\x01\r\n\r\n'],
  [
    'a pipelined second request that is garbage',
    'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n\x00\xff\xfe garbage\r\n\r\n',
  ],
  ['two different lengths', `${head('Content-Length: 5\r\nContent-Length: 6\r\n')}hello!`],
  ['a length and chunks at once', `${head('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n`],
  ['a negative length', head('Content-Length: -1\r\n')],
  ['a header line without a colon', 'GET /health HTTP/1.1\r\nHost x\r\n\r\n'],
  ['a header of a megabyte', `GET /health HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(1 << 20)}\r\n\r\n`],
])('the server survives %s', async (_name, bytes) => {
  await rawExchange(server.port, [bytes], { timeoutMs: 60 });
  expect((await server.fetch('/health')).status).toBe(200);
});

test('pipelined requests are answered in order', async () => {
  const text = await rawExchange(
    server.port,
    ['GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /nope HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    { done: (answer) => answer.includes('not_found') },
  );
  expect(text.indexOf('"status":"ok"')).toBeGreaterThan(0);
  expect(text.indexOf('"not_found"')).toBeGreaterThan(text.indexOf('"status":"ok"'));
});

test('a short host name does not become part of the path', async () => {
  const text = await rawExchange(server.port, ['GET /api/config HTTP/1.1\r\nHost: localhost\r\n\r\n'], {
    done: completeResponse,
  });
  expect(text).toStartWith('HTTP/1.1 200');
});

import { describe, expect, test } from 'bun:test';
import { OpenBodies, type OpenBodiesOptions } from '../../src/webhooks/open-bodies.ts';
import { TestClock } from './gateway.ts';

const KB = 1024;
const LIMIT = 100 * KB;
/** What an open request counts besides its body. */
const REQUEST_BYTES = 8 * KB;
const from = (address: string) => () => ({ address, isShared: false });

function createBodies(options: Partial<OpenBodiesOptions> = {}) {
  const clock = new TestClock();
  const { signal } = new AbortController();
  return { clock, bodies: new OpenBodies({ clock, maxBytes: 1 << 20, maxPerAddress: 100, signal, ...options }) };
}

const request = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request('http://localhost/', { method: 'POST', body, headers });

function chunked(sizes: number[], onPull: (index: number) => void = () => undefined) {
  let index = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      onPull(index);
      const size = sizes[index++];
      if (size === undefined) controller.close();
      else controller.enqueue(new Uint8Array(size).fill(120));
    },
  });
}

/** A body whose bytes come when they are sent. */
function slow() {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
    cancel() {
      isCancelled = true;
    },
  });
  return {
    stream,
    send: (bytes: number) => controller.enqueue(new Uint8Array(bytes)),
    end: () => controller.close(),
    fail: () => controller.error(new Error('gone')),
    isCancelled: () => isCancelled,
  };
}

const statusOf = async (result: ReturnType<OpenBodies['read']>) => {
  const read = await result;
  return read.ok ? read.body.length : read.answer.status;
};

describe('one body', () => {
  test('of exactly the limit passes, one byte more does not', async () => {
    const { bodies } = createBodies();
    const read = (body: Request) => statusOf(bodies.read(body, 10, from('a')));
    expect(await read(request(chunked([5, 5])))).toBe(10);
    expect(await read(request(chunked([5, 6])))).toBe(413);
    expect(await read(request('12345678901', { 'content-length': '11' }))).toBe(413);
    expect(await read(request('1234567890', { 'content-length': '10' }))).toBe(10);
    expect(await read(new Request('http://localhost/', { method: 'POST' }))).toBe(0);
  });

  test('in chunks is not read further than the limit', async () => {
    const { bodies } = createBodies();
    let pulled = 0;
    const endless = chunked(Array(1000).fill(100), (index) => {
      pulled = index;
    });
    expect(await statusOf(bodies.read(request(endless), 250, from('a')))).toBe(413);
    expect(pulled).toBeLessThan(10);
  });

  test('that breaks off is 400', async () => {
    const { bodies } = createBodies();
    const body = slow();
    const result = bodies.read(request(body.stream), LIMIT, from('a'));
    body.send(10);
    body.fail();
    expect(await statusOf(result)).toBe(400);
  });

  test('that takes longer than 30 seconds is 408, and its stream is let go', async () => {
    const { bodies, clock } = createBodies();
    const body = slow();
    const result = bodies.read(request(body.stream), LIMIT, from('a'));
    body.send(10);
    clock.offset = 29_000;
    await Bun.sleep(20);
    const other = bodies.read(request('{}'), LIMIT, from('a'));
    expect(await statusOf(other)).toBe(2);
    clock.offset = 30_001;
    expect(await statusOf(result)).toBe(408);
    expect(body.isCancelled()).toBe(true);
  });

  test('may be larger than all together when it is the only one', async () => {
    const { bodies } = createBodies({ maxBytes: 10 * KB });
    expect(await statusOf(bodies.read(request(chunked([50 * KB])), LIMIT, from('a')))).toBe(50 * KB);
  });
});

describe('many bodies', () => {
  test('over the cap, the one that is open for the longest is given up with 503 and whole ones pass', async () => {
    const { bodies } = createBodies({ maxBytes: 3 * (REQUEST_BYTES + 50 * KB) });
    const attack = Array.from({ length: 4 }, () => slow());
    const results = attack.map(({ stream }) => bodies.read(request(stream), LIMIT, from('a')));
    for (const body of attack.slice(0, 3)) body.send(50 * KB);
    await Bun.sleep(1);
    const whole = bodies.read(request(chunked([40 * KB])), LIMIT, from('b'));
    expect(await statusOf(whole)).toBe(40 * KB);
    expect(await results[0]).toEqual({
      ok: false,
      answer: { status: 503, body: { error: expect.any(String) }, retryAfterSeconds: 5 },
    });
    for (const body of attack.slice(1)) body.end();
    expect(await Promise.all(results.slice(1).map(statusOf))).toEqual([50 * KB, 50 * KB, 0]);
  });

  test('an announced length counts before the first byte', async () => {
    const { bodies } = createBodies({ maxBytes: 2 * (REQUEST_BYTES + 60 * KB) });
    const announced = () => request(slow().stream, { 'content-length': String(60 * KB) });
    const results = [1, 2, 3].map(() => bodies.read(announced(), LIMIT, from('a')));
    expect(await statusOf(results[0] as (typeof results)[0])).toBe(503);
  });

  test('empty ones count too', async () => {
    const { bodies } = createBodies({ maxBytes: 10 * REQUEST_BYTES });
    const results = Array.from({ length: 11 }, () => bodies.read(request(slow().stream), LIMIT, from('a')));
    expect(await statusOf(results[0] as (typeof results)[0])).toBe(503);
  });

  test('what was counted is given back, whatever became of it', async () => {
    const { bodies } = createBodies({ maxBytes: 2 * (REQUEST_BYTES + LIMIT) });
    const held = slow();
    const result = bodies.read(request(held.stream), LIMIT, from('a'));
    for (let round = 0; round < 50; round++) {
      expect(await statusOf(bodies.read(request(chunked([LIMIT])), LIMIT, from('a')))).toBe(LIMIT);
      expect(await statusOf(bodies.read(request(chunked([LIMIT, 1])), LIMIT, from('a')))).toBe(413);
      const broken = slow();
      const breaks = bodies.read(request(broken.stream), LIMIT, from('a'));
      broken.fail();
      expect(await statusOf(breaks)).toBe(400);
    }
    held.send(5);
    held.end();
    expect(await statusOf(result)).toBe(5);
  });

  test('one address has so many at once, others and shared proxies are not held back by it', async () => {
    const { bodies } = createBodies({ maxPerAddress: 3 });
    const held = Array.from({ length: 3 }, () => slow());
    const results = held.map(({ stream }) => bodies.read(request(stream), LIMIT, from('203.0.113.9')));
    expect(await bodies.read(request('{}'), LIMIT, from('203.0.113.9'))).toMatchObject({
      answer: { status: 429, retryAfterSeconds: 5 },
    });
    expect(await statusOf(bodies.read(request('{}'), LIMIT, from('203.0.113.10')))).toBe(2);
    const proxy = () => ({ address: '127.0.0.1', isShared: true });
    expect(await statusOf(bodies.read(request('{}'), LIMIT, proxy))).toBe(2);
    for (const body of held) body.end();
    await Promise.all(results);
    expect(await statusOf(bodies.read(request('{}'), LIMIT, from('203.0.113.9')))).toBe(2);
  });
});

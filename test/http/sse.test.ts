import { afterEach, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { formatFrame, type SseOptions, sseResponse } from '../../src/http/sse.ts';

type Options = Omit<SseOptions, 'request' | 'server'>;

let running: ReturnType<typeof Bun.serve> | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await running?.stop(true);
  running = undefined;
});

function serve(options: Options): string {
  running = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 1,
    fetch: (request, server) => sseResponse({ request, server, ...options }),
  });
  return `http://127.0.0.1:${running.port}/`;
}

async function until(condition: () => boolean, ms = 2000): Promise<void> {
  const end = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > end) throw new Error('the condition did not become true in time');
    await Bun.sleep(2);
  }
}

async function* list(frames: string[]) {
  yield* frames;
}

/** Yields one frame, then waits until `release` is called. */
function held(first: string) {
  const gate = Promise.withResolvers<void>();
  const state = { finished: false, release: gate.resolve, fail: gate.reject };
  const frames = (async function* () {
    try {
      yield first;
      await gate.promise;
      yield 'data: late\n\n';
    } finally {
      state.finished = true;
    }
  })();
  return { frames, state };
}

test('frames arrive byte for byte with the event-stream headers', async () => {
  const frames = ['id: r:1\nevent: a\ndata: {"x":"é"}\n\n', 'id: r:2\nevent: b\ndata: {}\n\n'];
  const answer = await fetch(serve({ frames: list(frames), heartbeatMs: 1000, headers: { 'x-run-id': 'r' } }));
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform');
  expect(answer.headers.get('x-accel-buffering')).toBe('no');
  expect(answer.headers.get('x-run-id')).toBe('r');
  expect(await answer.text()).toBe(frames.join(''));
});

test('an empty source ends cleanly with an empty body', async () => {
  const answer = await fetch(serve({ frames: list([]), heartbeatMs: 1000 }));
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('');
});

test('headers leave although no frame is ready', async () => {
  const gate = Promise.withResolvers<void>();
  const frames = (async function* () {
    await gate.promise;
    yield 'data: x\n\n';
  })();
  const answer = await fetch(serve({ frames, heartbeatMs: 10_000, openAfterMs: 10 }));
  expect(answer.status).toBe(200);
  gate.resolve();
  expect(await answer.text()).toBe(': ping\n\ndata: x\n\n');
});

test('the first frame is not delayed by the opening comment', async () => {
  const { frames, state } = held('data: first\n\n');
  const answer = await fetch(serve({ frames, heartbeatMs: 10_000, openAfterMs: 10_000 }));
  const reader = answer.body!.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: first\n\n');
  state.release();
  await reader.cancel();
});

test('silence is filled with ping comments and they never split a frame', async () => {
  const { frames, state } = held('data: first\n\n');
  const answer = await fetch(serve({ frames, heartbeatMs: 15 }));
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while ((text.match(/: ping\n\n/g) ?? []).length < 3) text += (await reader.read()).value;
  state.release();
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  expect(text).toMatch(/^data: first\n\n(: ping\n\n){3,}data: late\n\n$/);
});

test('a stream that is quiet for longer than the idle timeout is not cut', async () => {
  const { frames, state } = held('data: first\n\n');
  const answer = await fetch(serve({ frames, heartbeatMs: 60_000 }));
  // The idle timeout of Bun has a resolution of whole seconds, so this one test has to wait.
  setTimeout(state.release, 2500);
  expect(await answer.text()).toBe('data: first\n\ndata: late\n\n');
}, 10_000);

test('a client that leaves is noticed at once while the source is waiting', async () => {
  const { frames, state } = held('data: first\n\n');
  let disconnects = 0;
  const url = serve({ frames, heartbeatMs: 10_000, onDisconnect: () => disconnects++ });
  const abort = new AbortController();
  const answer = await fetch(url, { signal: abort.signal });
  await answer.body!.getReader().read();
  abort.abort();
  await until(() => disconnects > 0, 500);
  expect(state.finished).toBe(false);
  state.fail(new Error('aborted upstream call'));
  await until(() => state.finished);
  expect(disconnects).toBe(1);
});

test('a client that leaves before the first frame is noticed', async () => {
  const gate = Promise.withResolvers<void>();
  let left = false;
  const frames = (async function* () {
    await gate.promise;
    yield 'data: x\n\n';
  })();
  const url = serve({ frames, heartbeatMs: 10_000, openAfterMs: 10_000, onDisconnect: () => (left = true) });
  const abort = new AbortController();
  const pending = fetch(url, { signal: abort.signal }).catch(() => undefined);
  await Bun.sleep(30);
  abort.abort();
  await pending;
  await until(() => left, 500);
  gate.resolve();
});

test('a complete stream reports no disconnect', async () => {
  let left = false;
  const url = serve({ frames: list(['data: x\n\n']), heartbeatMs: 10_000, onDisconnect: () => (left = true) });
  await (await fetch(url)).text();
  await Bun.sleep(20);
  expect(left).toBe(false);
});

test('a source that throws mid-stream ends with the error frame on a whole socket', async () => {
  const frames = (async function* () {
    yield 'data: one\n\n';
    throw new Error('secret detail');
  })();
  const url = serve({
    frames,
    heartbeatMs: 1000,
    errorFrame: () => formatFrame({ event: 'error', data: '{"error":"It failed."}' }),
  });
  const text = await (await fetch(url)).text();
  expect(text).toBe('data: one\n\nevent: error\ndata: {"error":"It failed."}\n\n');
  expect(text).not.toContain('secret');
});

test('a source that throws without an error frame ends the stream cleanly', async () => {
  const frames = (async function* () {
    yield 'data: one\n\n';
    throw new Error('boom');
  })();
  expect(await (await fetch(serve({ frames, heartbeatMs: 1000 }))).text()).toBe('data: one\n\n');
});

test('a client that does not read holds the source back', async () => {
  let produced = 0;
  const frame = `data: ${'x'.repeat(16 * 1024)}\n\n`;
  const frames = (async function* () {
    for (; produced < 5000; produced++) yield frame;
  })();
  const url = new URL(serve({ frames, heartbeatMs: 10_000 }));
  const socket = connect(Number(url.port), '127.0.0.1');
  sockets.push(socket);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  let before = -1;
  while (before !== produced) {
    before = produced;
    await Bun.sleep(50);
  }
  // 80 MB were on offer; what the sockets buffer is far below that.
  expect(produced).toBeLessThan(2500);
  socket.resume();
  await until(() => produced === 5000, 8000);
}, 10_000);

test('frames that are ready together leave in few writes', async () => {
  let writes = 0;
  const frames = Array.from({ length: 1000 }, (_, index) => `data: ${index}\n\n`);
  const answer = await fetch(serve({ frames: list(frames), heartbeatMs: 1000 }));
  let text = '';
  for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
    writes++;
    text += part;
  }
  expect(text).toBe(frames.join(''));
  expect(writes).toBeLessThan(20);
});

test.each([
  [{ data: 'x' }, 'data: x\n\n'],
  [{ id: 'r:1', event: 'e', data: '{}' }, 'id: r:1\nevent: e\ndata: {}\n\n'],
  [{ data: 'a\nb\r\nc\rd' }, 'data: a\ndata: b\ndata: c\ndata: d\n\n'],
  [{ data: '\n' }, 'data: \ndata: \n\n'],
  [{ event: 'a\ndata: injected', id: 'x\r\ny', data: '' }, 'id: x y\nevent: a data: injected\ndata: \n\n'],
])('formatFrame writes %j', (frame, expected) => {
  expect(formatFrame(frame)).toBe(expected);
});

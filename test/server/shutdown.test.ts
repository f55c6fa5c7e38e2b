import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { Elysia } from 'elysia';
import { formatFrame, sseResponse } from '../../src/http/sse.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { type Base, createServer } from '../../src/server.ts';
import { rawExchange } from '../helpers/raw-http.ts';
import { defaultConfig, startTestServer } from '../helpers/test-server.ts';

/** A stream that ends with a last event when the server stops, as runs do. */
function stoppable() {
  const stop = Promise.withResolvers<void>();
  const routes = new Elysia({ prefix: '/api' })
    .get('/live', ({ request, server }) =>
      sseResponse({
        request,
        server,
        heartbeatMs: 10_000,
        frames: (async function* () {
          yield formatFrame({ event: 'first', data: '{}' });
          await stop.promise;
          yield formatFrame({ event: 'error', data: '{"code":"shutting_down"}' });
        })(),
      }),
    )
    .get('/stuck', () => new Promise<Response>(() => {}));
  return { mount: (base: Base) => base.use(routes), onShutdown: async () => stop.resolve() };
}

test('an open stream gets its last event and the stop does not take the whole deadline', async () => {
  const server = await startTestServer(stoppable());
  const reader = (await server.fetch('/api/live')).body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value!;
  const startedAt = performance.now();
  const stopped = server.server.listener.stop(5000);
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  await stopped;
  expect(text).toBe('event: first\ndata: {}\n\nevent: error\ndata: {"code":"shutting_down"}\n\n');
  expect(performance.now() - startedAt).toBeLessThan(1000);
});

test('a stopping server takes no new connection', async () => {
  const server = await startTestServer(stoppable());
  const pending = server.fetch('/api/stuck').catch(() => 'cut');
  await Bun.sleep(20);
  const stopped = server.server.listener.stop(100);
  expect(await rawExchange(server.port, ['GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'], { timeoutMs: 50 })).toBe(
    '',
  );
  await stopped;
  expect(await pending).toBe('cut');
});

test('a request that never ends is cut at the deadline', async () => {
  const server = await startTestServer(stoppable());
  const pending = server.fetch('/api/stuck').catch(() => 'cut');
  await Bun.sleep(20);
  const startedAt = performance.now();
  await server.server.listener.stop(60);
  expect(performance.now() - startedAt).toBeWithin(40, 1000);
  expect(await pending).toBe('cut');
});

test('an idle kept-alive connection does not hold the stop up', async () => {
  const server = await startTestServer();
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  const startedAt = performance.now();
  await server.server.listener.stop(5000);
  expect(performance.now() - startedAt).toBeLessThan(1000);
  socket.destroy();
});

test('a connection that never completes a request does not hold the stop up', async () => {
  const server = await startTestServer();
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET /health HT');
  await Bun.sleep(20);
  const startedAt = performance.now();
  await server.server.listener.stop(5000);
  expect(performance.now() - startedAt).toBeLessThan(1000);
  socket.destroy();
});

test('a short answer that is under way is completed', async () => {
  const begun = Promise.withResolvers<void>();
  const slow = new Elysia().get('/api/slow', async () => {
    begun.resolve();
    await Bun.sleep(45);
    return { done: true };
  });
  const server = await startTestServer({ mount: (base) => base.use(slow) });
  const pending = server.fetch('/api/slow');
  await begun.promise;
  await server.server.listener.stop(5000);
  expect(await (await pending).json()).toEqual({ done: true });
});

test('a shutdown hook that fails or hangs does not stop the stop', async () => {
  for (const onShutdown of [() => Promise.reject(new Error('no')), () => new Promise<void>(() => {})]) {
    const server = await startTestServer({ onShutdown });
    await server.server.listener.stop(60);
    expect(await rawExchange(server.port, ['GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'], { timeoutMs: 50 })).toBe(
      '',
    );
  }
});

test('stopping twice is stopping once', async () => {
  let calls = 0;
  const server = await startTestServer({
    onShutdown: async () => {
      calls++;
    },
  });
  await Promise.all([server.server.listener.stop(100), server.server.listener.stop(100)]);
  expect(calls).toBe(1);
});

test('a port in use is named in one sentence', async () => {
  await using server = await startTestServer();
  const config = defaultConfig();
  config.server.port = server.port;
  const second = createServer({
    config,
    log: silentLogger,
    clock: systemClock,
    models: { names: () => ({}) } as never,
  });
  await expect(second.listener.start()).rejects.toThrow(
    `Cannot listen on http://127.0.0.1:${server.port}: port ${server.port} on 127.0.0.1 is already in use; stop the program that uses it or choose another with --port.`,
  );
});

test('an address this machine does not have is named in one sentence', async () => {
  const config = defaultConfig();
  Object.assign(config.server, { port: 0, host: '192.0.2.1' });
  const server = createServer({
    config,
    log: silentLogger,
    clock: systemClock,
    models: { names: () => ({}) } as never,
  });
  await expect(server.listener.start()).rejects.toThrow(/^Cannot listen on http:\/\/192\.0\.2\.1:0: .*check --host\.$/);
});

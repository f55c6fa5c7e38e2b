#!/usr/bin/env bun
// The HTTP layer against a bare Bun.serve in the same run. Run it after a change of src/http or src/server.ts:
//   bun scripts/bench/http.ts [seconds]
// Prints small requests per second (/api/config), and 200 event streams of 50 frames per second each with the server's
// processor time per frame and the delay from frame to client.
import { Elysia } from 'elysia';
import { sseResponse } from '../../src/http/sse.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import type { Models } from '../../src/models/model.ts';
import { createServer } from '../../src/server.ts';
import { defaultConfig } from '../../test/helpers/test-server.ts';

const STREAMS = 200;
const FRAMES_PER_SECOND = 50;
const CALLERS = 32;

interface Usage {
  cpuMs: number;
  rssMb: number;
}

if (Bun.argv[2] === 'server') await serve(Bun.argv[3] === 'bare', Number(Bun.argv[4]));
else await compare(Number(Bun.argv[2] ?? 4));

async function compare(seconds: number): Promise<void> {
  const bare = await measure('bare', seconds);
  const ours = await measure('agent', seconds);
  const line = (label: string, own: number, floor: number, unit: string, digits = 0) =>
    console.log(
      `${label}: ${own.toFixed(digits)} ${unit} (bare Bun.serve ${floor.toFixed(digits)}, ratio ${floor > 0 ? (own / floor).toFixed(2) : 'unknown'})`,
    );
  line('GET /api/config', ours.requestsPerSecond, bare.requestsPerSecond, 'requests/s');
  line(`${STREAMS} streams, frames received`, ours.framesPerSecond, bare.framesPerSecond, 'frames/s');
  line('server time per frame', ours.cpuPerFrameUs, bare.cpuPerFrameUs, 'µs', 1);
  line('delay p95', ours.delayP95Ms, bare.delayP95Ms, 'ms', 1);
  line('memory per stream', ours.kbPerStream, bare.kbPerStream, 'KB');
}

async function measure(kind: 'bare' | 'agent', seconds: number) {
  const messages: ((message: unknown) => void)[] = [];
  const next = () => new Promise<unknown>((resolve) => messages.push(resolve));
  const ready = next();
  const child = Bun.spawn([process.execPath, import.meta.path, 'server', kind, String(seconds)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (message) => messages.shift()?.(message),
  });
  try {
    const url = (await ready) as string;
    const usage = async () => {
      const answer = next();
      child.send('usage');
      return (await answer) as Usage;
    };
    const requestsPerSecond = await callConfig(url, seconds);
    const before = await usage();
    const startedAt = performance.now();
    const reading = Promise.all(Array.from({ length: STREAMS }, () => readStream(`${url}/api/bench`)));
    await Bun.sleep(seconds * 500);
    const midway = await usage();
    const delays = (await reading).flat();
    const elapsed = (performance.now() - startedAt) / 1000;
    const after = await usage();
    if (delays.length !== STREAMS * FRAMES_PER_SECOND * seconds) throw new Error(`${kind}: frames are missing`);
    delays.sort((a, b) => a - b);
    return {
      requestsPerSecond,
      framesPerSecond: delays.length / elapsed,
      cpuPerFrameUs: ((after.cpuMs - before.cpuMs) * 1000) / delays.length,
      delayP95Ms: delays[Math.floor(delays.length * 0.95)] ?? 0,
      kbPerStream: (Math.max(0, midway.rssMb - before.rssMb) * 1024) / STREAMS,
    };
  } finally {
    child.kill();
    await child.exited;
  }
}

async function callConfig(url: string, seconds: number): Promise<number> {
  let calls = 0;
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (performance.now() < end) {
        await (await fetch(`${url}/api/config`)).text();
        calls++;
      }
    }),
  );
  return calls / seconds;
}

/** Reads a stream to its end; the delay of each frame in milliseconds. */
async function readStream(url: string): Promise<number[]> {
  const answer = await fetch(url);
  const delays: number[] = [];
  for await (const text of answer.body!.pipeThrough(new TextDecoderStream())) {
    const now = performance.timeOrigin + performance.now();
    for (const match of text.matchAll(/"t":([\d.]+)/g)) delays.push(now - Number(match[1]));
  }
  return delays;
}

async function serve(bare: boolean, seconds: number): Promise<void> {
  const config = defaultConfig();
  config.server.port = 0;
  // Nothing but their names is asked for here.
  const models = { names: () => ({ basic: ['extractive'] }) } as unknown as Models;
  const routes = new Elysia().get('/api/bench', ({ request, server }) =>
    sseResponse({ request, server, frames: frames(seconds), heartbeatMs: 15_000 }),
  );
  let url: string;
  if (bare) {
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 60,
      fetch: (request) => bareAnswer(request, seconds),
    });
    url = `http://127.0.0.1:${server.port}`;
  } else {
    const { listener } = createServer(
      { config, models, log: silentLogger, clock: systemClock },
      { mount: (base) => base.use(routes) },
    );
    await listener.start();
    url = listener.url;
  }
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage().rss / 2 ** 20 } satisfies Usage);
  });
  process.send?.(url);
}

function bareAnswer(request: Request, seconds: number): Response {
  if (!request.url.endsWith('/api/bench'))
    return Response.json({ rag: { provider: 'local' }, models: { basic: ['extractive'] } });
  const source = frames(seconds);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const frame = await source.next();
      if (frame.done) controller.close();
      else controller.enqueue(encoder.encode(frame.value));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

async function* frames(seconds: number): AsyncGenerator<string, undefined> {
  for (let seq = 1; seq <= FRAMES_PER_SECOND * seconds; seq++) {
    await Bun.sleep(1000 / FRAMES_PER_SECOND);
    const t = performance.timeOrigin + performance.now();
    yield `id: run_bench:${seq}\nevent: message_chunk\ndata: {"thread_id":"t","agent":"reporter","content":"token ","t":${t}}\n\n`;
  }
}

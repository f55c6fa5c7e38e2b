#!/usr/bin/env bun
/**
 * Podcasts and prompt enhancement through the compiled binary. Build first:
 *   bun scripts/bench/content.ts [binary=dist/agent]
 * The slides have a bench of their own: scripts/bench/slides.ts.
 */
import { join } from 'node:path';
import { Lame } from '../../src/speech/mp3-encoder.ts';
import { median, percentile, printRow, ROOT, startAgent, startProcess } from './lib.ts';

const BINARY = Bun.argv[2] ?? join(ROOT, 'dist/agent');
const LINES = 40;
const LATENCY_MS = 200;
const STREAMS = 50;

const post = (url: string, body: unknown, signal?: AbortSignal) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
const settings = (providers: string) => ({
  OPENAI_BASE_URL: `${providers}/v1`,
  OPENAI_API_KEY: 'bench',
  OPENAI_MODEL: 'bench',
  PROVIDER_TTS_APPID: 'bench',
  PROVIDER_TTS_ACCESS_TOKEN: 'bench',
  PROVIDER_TTS_URL: `${providers}/tts`,
});

async function makePodcast(url: string): Promise<number> {
  const started = performance.now();
  const response = await post(`${url}/api/podcast/generate`, { content: `lines=${LINES}` });
  if (response.status !== 200) throw new Error(`podcast: ${response.status} ${await response.text()}`);
  const size = (await response.arrayBuffer()).byteLength;
  if (size < 1000) throw new Error(`podcast of ${size} bytes`);
  return performance.now() - started;
}

async function podcastRow(): Promise<void> {
  await using providers = await startProcess(['bun', 'scripts/bench/speech-source.ts', String(LATENCY_MS), '2']);
  await using agent = await startAgent(settings(providers.url), BINARY);
  await makePodcast(agent.url);
  const times: number[] = [];
  for (let round = 0; round < 3; round++) times.push(await makePodcast(agent.url));
  const sequential = LINES * LATENCY_MS;
  const ratio = sequential / median(times);
  printRow(
    `podcast of ${LINES} lines`,
    `${median(times).toFixed(0)} ms (1/${ratio.toFixed(2)})`,
    `${sequential} ms one after the other`,
    '≤ 1/3.5',
    ratio >= 3.5,
  );
}

async function encodeRow(): Promise<void> {
  const sampleRate = 24_000;
  const seconds = 60;
  let seed = 1;
  const samples = Float32Array.from({ length: sampleRate * seconds }, (_, index) => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    const envelope = Math.abs(Math.sin(index / 4000));
    return envelope * (0.3 * Math.sin((index * 180 * 2 * Math.PI) / sampleRate) + 0.05 * ((seed >> 16) / 16_384 - 1));
  });
  const lame = new Lame();
  await lame.encode({ sampleRate, samples: samples.subarray(0, sampleRate) });
  const started = performance.now();
  await lame.encode({ sampleRate, samples });
  const speed = (seconds * 1000) / (performance.now() - started);
  printRow('MP3 encoder', `${speed.toFixed(0)}× real time`, '1×', '≥ 40×', speed >= 40);
}

async function enhanceRow(): Promise<void> {
  await using providers = await startProcess(['bun', 'scripts/bench/speech-source.ts']);
  await using agent = await startAgent(settings(providers.url), BINARY);
  const enhance = async () => {
    const response = await post(`${agent.url}/api/prompt/enhance`, { prompt: 'tides' });
    if (((await response.json()) as { result?: string }).result !== 'Better.') throw new Error('enhance failed');
  };
  await Promise.all(Array.from({ length: 20 }, enhance));
  const health: number[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const started = performance.now();
      await (await fetch(`${agent.url}/health`)).arrayBuffer();
      health.push(performance.now() - started);
      await Bun.sleep(5);
    }
  })();
  const started = performance.now();
  await Promise.all(Array.from({ length: 100 }, enhance));
  const ms = performance.now() - started;
  isOver = true;
  await watching;
  printRow('100 enhancements at once', `${ms.toFixed(0)} ms`, 'one model call 1000 ms', '≤ 1500 ms', ms <= 1500);
  const p95 = percentile(health, 0.95);
  printRow(
    '/health p95 meanwhile',
    `${p95.toFixed(1)} ms`,
    `median ${median(health).toFixed(1)} ms`,
    '≤ 20 ms',
    p95 <= 20,
  );
}

/** Times between the events of every stream while `work` runs. */
async function gaps(url: string, work: () => Promise<unknown>): Promise<number[]> {
  const stop = new AbortController();
  const times: number[] = [];
  let isMeasured = false;
  const streams = Array.from({ length: STREAMS }, async () => {
    const response = await post(
      `${url}/api/chat/stream`,
      { messages: [{ role: 'user', content: 'hello' }] },
      stop.signal,
    );
    let last = performance.now();
    for await (const _ of response.body!) {
      const now = performance.now();
      if (isMeasured) times.push(now - last);
      last = now;
    }
  });
  const settled = Promise.allSettled(streams);
  await Bun.sleep(1500);
  isMeasured = true;
  await work();
  isMeasured = false;
  stop.abort();
  await settled;
  return times;
}

async function streamsRow(): Promise<void> {
  await using providers = await startProcess(['bun', 'scripts/bench/speech-source.ts', '20', '5']);
  await using agent = await startAgent(settings(providers.url), BINARY);
  await makePodcast(agent.url);
  const quiet = percentile(await gaps(agent.url, () => Bun.sleep(4000)), 0.95);
  let made = 0;
  const busy = percentile(
    await gaps(agent.url, async () => {
      const end = performance.now() + 4000;
      const maker = async () => {
        for (; performance.now() < end; made++) await makePodcast(agent.url);
      };
      await Promise.all([maker(), maker()]);
    }),
    0.95,
  );
  printRow(
    `inter-event p95 of ${STREAMS} chat streams while ${made} podcasts are made`,
    `${busy.toFixed(1)} ms (+${(busy - quiet).toFixed(1)})`,
    `${quiet.toFixed(1)} ms`,
    '≤ +30 ms',
    busy - quiet <= 30,
  );
}

await encodeRow();
await podcastRow();
await enhanceRow();
await streamsRow();

#!/usr/bin/env bun
/**
 * Concurrent chat streams through the compiled binary, against a bare relay in the same run. Build first:
 *   bun scripts/bench/streams.ts [streams=200] [tokens=200] [rate=50]
 * Model server, agent and load are processes of their own; every word is numbered, so loss and disorder are seen.
 */
import { median, percentile, printRow, rssOf, startAgent, startProcess } from './lib.ts';

const STREAMS = Number(Bun.argv[2] ?? 200);
const TOKENS = Number(Bun.argv[3] ?? 200);
const RATE = Number(Bun.argv[4] ?? 50);

interface Result {
  firstMs: number[];
  seconds: number;
  broken: number;
  peakMb: number;
}

const expected = Array.from({ length: TOKENS }, (_, index) => `w${index} `).join('');

async function load(url: string, pid: number): Promise<Result> {
  const firstMs: number[] = [];
  let broken = 0;
  let peakMb = 0;
  const watch = setInterval(async () => {
    peakMb = Math.max(peakMb, await rssOf(pid));
  }, 200);
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: STREAMS }, async () => {
      const started = performance.now();
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] }),
      });
      let text = '';
      const decoder = new TextDecoder();
      for await (const bytes of response.body!) {
        if (text === '') firstMs.push(performance.now() - started);
        text += decoder.decode(bytes, { stream: true });
      }
      if (!isWhole(text)) broken++;
    }),
  );
  clearInterval(watch);
  return { firstMs, seconds: (performance.now() - begin) / 1000, broken, peakMb };
}

/** True when the words came whole and in order, and the events are numbered without a gap. */
function isWhole(text: string): boolean {
  let words = '';
  let sequence = 0;
  for (const frame of text.split('\n\n')) {
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    if (!data) continue;
    const id = /^id: [^:]+:(\d+)$/m.exec(frame)?.[1];
    if (id !== undefined && Number(id) !== ++sequence) return false;
    words += JSON.parse(data).content ?? '';
  }
  return words === expected;
}

await using model = await startProcess(['bun', 'scripts/bench/token-source.ts', String(RATE), String(TOKENS)]);
await using relay = await startProcess(['bun', 'scripts/bench/bare-relay.ts', model.url.replace(/\/?$/, '/')]);
await using agent = await startAgent({
  OPENAI_BASE_URL: `${model.url.replace(/\/$/, '')}/v1`,
  OPENAI_API_KEY: 'bench',
  OPENAI_MODEL: 'bench',
});

const idleMb = await rssOf(agent.pid);
// A first round of each warms up code and connections.
await load(relay.url, relay.pid);
await load(`${agent.url}/api/chat/stream`, agent.pid);
const floor = await load(relay.url, relay.pid);
const own = await load(`${agent.url}/api/chat/stream`, agent.pid);

const rate = (result: Result) => (STREAMS * TOKENS) / result.seconds;
console.log(`${STREAMS} streams × ${TOKENS} words at ${RATE || 'unlimited'} words/s`);
printRow(
  'first event p95',
  `${percentile(own.firstMs, 0.95).toFixed(0)} ms (median ${median(own.firstMs).toFixed(0)})`,
  `${percentile(floor.firstMs, 0.95).toFixed(0)} ms`,
  '≤ 100 ms',
  percentile(own.firstMs, 0.95) <= 100,
);
printRow('streams with lost or reordered frames', String(own.broken), String(floor.broken), '0', own.broken === 0);
printRow(
  'relayed words/s',
  `${rate(own).toFixed(0)} (ratio ${(rate(own) / rate(floor)).toFixed(2)})`,
  rate(floor).toFixed(0),
  '≥ 0.4',
  rate(own) / rate(floor) >= 0.4,
);
const perStream = (own.peakMb - idleMb) / STREAMS;
printRow(
  'more memory per stream',
  `${perStream.toFixed(2)} MB (peak ${own.peakMb.toFixed(0)} MB)`,
  `idle ${idleMb.toFixed(0)} MB`,
  '≤ 1 MB',
  perStream <= 1,
);

#!/usr/bin/env bun
/**
 * `GET /api/config` while chat streams run and a 1,000-page PDF is ingested. Build first:
 *   bun scripts/bench/responsive.ts [streams=50] [pages=1000]
 * The floor is the same request on the idle server of the same run.
 */
import { largePdf } from './large-pdf.ts';
import { median, percentile, printRow, startAgent, startProcess } from './lib.ts';

const STREAMS = Number(Bun.argv[2] ?? 50);
const PAGES = Number(Bun.argv[3] ?? 1000);

await using model = await startProcess(['bun', 'scripts/bench/token-source.ts', '50', '100000']);
await using agent = await startAgent({
  OPENAI_BASE_URL: `${model.url.replace(/\/$/, '')}/v1`,
  OPENAI_API_KEY: 'k',
  OPENAI_MODEL: 'm',
});

async function sample(until: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  void until.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const started = performance.now();
    await (await fetch(`${agent.url}/api/config`)).arrayBuffer();
    times.push(performance.now() - started);
    await Bun.sleep(5);
  }
  return times;
}

await sample(Bun.sleep(500));
const idle = await sample(Bun.sleep(2000));

const stop = new AbortController();
const streams = Array.from({ length: STREAMS }, async () => {
  const response = await fetch(`${agent.url}/api/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] }),
    signal: stop.signal,
  });
  for await (const _ of response.body!);
});
for (const stream of streams) stream.catch(() => undefined);
await Bun.sleep(500);

const form = new FormData();
form.set('file', new File([largePdf(PAGES)], 'large.pdf', { type: 'application/pdf' }));
const started = performance.now();
const upload = fetch(`${agent.url}/api/rag/upload`, { method: 'POST', body: form }).then(async (response) => {
  if (response.status !== 200) throw new Error(`upload: ${response.status} ${await response.text()}`);
});
const busy = await sample(upload);
await upload;
const seconds = (performance.now() - started) / 1000;
stop.abort();

printRow(
  `GET /api/config p95 while ${STREAMS} streams run and ${PAGES} pages are ingested (${seconds.toFixed(1)} s, ${busy.length} requests)`,
  `${percentile(busy, 0.95).toFixed(1)} ms (median ${median(busy).toFixed(1)}, max ${Math.max(...busy).toFixed(0)})`,
  `idle p95 ${percentile(idle, 0.95).toFixed(1)} ms`,
  '≤ 20 ms',
  percentile(busy, 0.95) <= 20,
);
process.exit(0);

#!/usr/bin/env bun
/**
 * `/v1/chat/completions` against `/api/chat/stream` on a plain answer, in one process with an in-process model:
 *   bun scripts/bench/openai.ts [requests=200]
 */
import { scriptedModel, scriptedModels } from '../../test/helpers/scripted-model.ts';
import { startOpenAiApp } from '../../test/openai-api/openai-app.ts';
import { median, percentile, printRow } from './lib.ts';

const REQUESTS = Number(Bun.argv[2] ?? 200);

const words = Array.from({ length: 40 }, (_, index) => `word${index} `);
const model = scriptedModel([{ agent: 'coordinator', text: words, times: 'any' }]);
await using api = await startOpenAiApp(scriptedModels({ basic: model }));
const messages = [{ role: 'user', content: 'hello' }];

interface Timing {
  firstMs: number;
  totalMs: number;
}

async function measure(path: string, body: unknown): Promise<Timing> {
  const started = performance.now();
  const response = await api.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  let firstMs = Number.NaN;
  let text = '';
  for await (const chunk of response.body!) {
    text += new TextDecoder().decode(chunk);
    if (Number.isNaN(firstMs) && text.includes('word0')) firstMs = performance.now() - started;
  }
  if (!text.includes('word39')) throw new Error(`${path} lost the answer: ${text.slice(-200)}`);
  return { firstMs, totalMs: performance.now() - started };
}

const own: Timing[] = [];
const whole: Timing[] = [];
const floor: Timing[] = [];
for (let index = 0; index < REQUESTS + 20; index++) {
  const chat = await measure('/api/chat/stream', { messages });
  const streamed = await measure('/v1/chat/completions', { model: 'agent-research', messages, stream: true });
  const collected = await measure('/v1/chat/completions', { model: 'agent-research', messages });
  // The first ones warm up code and connections.
  if (index < 20) continue;
  floor.push(chat);
  own.push(streamed);
  whole.push(collected);
}

for (const [name, timings, key] of [
  ['first word, streamed', own, 'firstMs'],
  ['whole answer, streamed', own, 'totalMs'],
  ['whole answer, one object', whole, 'totalMs'],
] as const) {
  const values = timings.map((timing) => timing[key]);
  const base = floor.map((timing) => timing[key]);
  const overhead = median(values) - median(base);
  printRow(
    name,
    `${median(values).toFixed(2)} ms (p95 ${percentile(values, 0.95).toFixed(1)})`,
    `chat stream ${median(base).toFixed(2)} ms`,
    '≤ 10 ms over it',
    overhead <= 10,
  );
}

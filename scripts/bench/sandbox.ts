#!/usr/bin/env bun
/**
 * The code sandbox: first and later evaluations, how late a loop is stopped, and how long the event loop is held.
 *   bun scripts/bench/sandbox.ts [runs=10]
 */
import type { ResearchInput } from '../../src/research/model.ts';
import { createCodeToolProvider } from '../../src/sandbox/code-tools.ts';
import { defaultConfig } from '../../test/helpers/test-server.ts';
import { median, printRow } from './lib.ts';

const RUNS = Number(Bun.argv[2] ?? 10);
const LOOP_LIMIT_MS = 1000;

const config = defaultConfig();
config.sandbox.time_limit_seconds = LOOP_LIMIT_MS / 1000;
const provider = createCodeToolProvider({ config });
const signal = new AbortController().signal;

/** Longest time the event loop was held since the last look. */
let held = 0;
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  held = Math.max(held, now - last - 1);
  last = now;
}, 1).unref();

async function begin() {
  const set = provider.forRun({} as ResearchInput, 'run_bench');
  const [tool] = await set.toolsFor('coder', signal);
  return { set, run: (code: string) => tool!.run({ code }, signal) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const first: number[] = [];
const later: number[] = [];
const stopped: number[] = [];
// The first thread of a process also reads the engine from disk.
await timed(async () => (await begin()).run('1'));
held = 0;
for (let index = 0; index < RUNS; index++) {
  const started = performance.now();
  const one = await begin();
  await one.run('1 + 1');
  first.push(performance.now() - started);
  for (let again = 0; again < 20; again++) later.push(await timed(() => one.run('[1, 2, 3].map((x) => x * 2)')));
  if (index < 3) stopped.push(await timed(() => one.run('while (true) {}')));
  await one.set.close();
}
await Bun.sleep(5);

printRow('first evaluation', `${median(first).toFixed(1)} ms`, 'none', '≤ 100 ms', median(first) <= 100);
printRow('later evaluations', `${median(later).toFixed(2)} ms`, 'none', '≤ 5 ms', median(later) <= 5);
const worst = Math.max(...stopped);
printRow('a loop with a limit of 1 s', `stopped after ${worst.toFixed(0)} ms`, '1000 ms', '≤ 1200 ms', worst <= 1200);
printRow('event loop held', `${held.toFixed(1)} ms`, 'none', '≤ 20 ms', held <= 20);
provider.stop();

#!/usr/bin/env bun
/**
 * A plan of three independent research steps against a plan of one, each model call taking one second:
 *   bun scripts/bench/steps.ts [latency-ms=1000]
 */
import { printRow, startAgent, startProcess } from './lib.ts';

const LATENCY = Number(Bun.argv[2] ?? 1000);

async function seconds(steps: number): Promise<number> {
  await using model = await startProcess([
    'bun',
    'scripts/bench/model-server.ts',
    '--latency-ms',
    String(LATENCY),
    '--steps',
    String(steps),
  ]);
  await using agent = await startAgent({ OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'k', OPENAI_MODEL: 'm' });
  const started = performance.now();
  const response = await fetch(`${agent.url}/api/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      messages: [{ role: 'user', content: 'Compare tides in three oceans' }],
      auto_accepted_plan: true,
      enable_web_search: false,
      enable_background_investigation: false,
    }),
  });
  if (!(await response.text()).includes('event: citations')) throw new Error('the run did not complete');
  return (performance.now() - started) / 1000;
}

const one = await seconds(1);
const three = await seconds(3);
printRow(
  'plan of 3 steps',
  `${three.toFixed(2)} s (ratio ${(three / one).toFixed(2)})`,
  `1 step ${one.toFixed(2)} s`,
  '≤ 1.3',
  three / one <= 1.3,
);

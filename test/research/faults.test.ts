import { expect, test } from 'bun:test';
import type { ModelsConfig } from '../../src/config/sections/models.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { createExtractiveModel } from '../../src/models/extractive/extractive.ts';
import { createModels } from '../../src/models/models.ts';
import { faults, type ModelServerOptions, type Reply, startModelServer } from '../helpers/model-server.ts';
import { startResearchApp, textOf } from '../helpers/research-app.ts';
import { planText, question } from './script.ts';

/** The whole chain over real HTTP: chat endpoint, workflow, adapter, a provider with faults. */
async function setup(options: ModelServerOptions, basic: NonNullable<ModelsConfig['basic']> = {}) {
  const provider = startModelServer(options);
  const models = createModels({
    config: { basic: { base_url: provider.baseUrl, api_key: 'sk-secret', model: 'm', max_retries: 2, ...basic } },
    fetch,
    // Waits between attempts are not what is tested here.
    clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal) },
    log: silentLogger,
    extractive: createExtractiveModel(),
  });
  const app = await startResearchApp({ models });
  return {
    provider,
    app,
    ask: () => app.chat({ ...question(), auto_accepted_plan: true }),
    async [Symbol.asyncDispose]() {
      await app.stop();
      await provider.stop();
    },
  };
}

/** Rows: the coordinator's first replies, and the code the stream ends with (none: the run completes). */
const rows: [string, Reply[], string | undefined][] = [
  ['401', [faults.unauthorized()], 'upstream_rejected'],
  ['429 with Retry-After, then an answer', [faults.rateLimited('1')], undefined],
  ['429 for ever', Array.from({ length: 3 }, () => faults.rateLimited('1')), 'upstream_rate_limited'],
  ['500 twice, then an answer', [{ status: 500 }, { status: 500 }], undefined],
  ['500 for ever', [{ status: 500 }, { status: 500 }, { status: 500 }], 'upstream_unavailable'],
  ['no answer within the timeout', [{ never: true }], 'upstream_timeout'],
  ['an empty answer', [{ text: '' }], undefined],
];

test.each(rows)('a coordinator model that gives %s', async (_name, replies, code) => {
  await using env = await setup({ queue: { coordinator: replies } }, { timeout: 0.2 });
  const { response, frames, raw } = await env.ask();
  expect(response.status).toBe(200);
  expect(frames.at(-1)?.event).toBe(code ? 'error' : 'citations');
  if (code) expect(frames.at(-1)?.data).toMatchObject({ code, error: expect.stringContaining('m') });
  expect(raw).not.toContain('sk-secret');
  expect(env.app.logText()).not.toContain('sk-secret');
});

test('a report that breaks off in the middle keeps what was sent and ends with an error event', async () => {
  await using env = await setup({ queue: { reporter: [{ text: ['One ', 'two ', 'three '], dropAfter: 3 }] } });
  const { frames } = await env.ask();
  expect(textOf(frames, 'reporter')).toStartWith('One two');
  expect(frames.at(-1)?.event).toBe('error');
  expect(frames.at(-1)?.data['code']).toStartWith('upstream_');
});

test('a researcher model that breaks off fails its step only', async () => {
  await using env = await setup({ queue: { researcher: [{ text: ['I am ', 'looking '], dropAfter: 2 }] } });
  const { frames } = await env.ask();
  expect(textOf(frames, 'researcher')).toContain('failed:');
  expect(frames.at(-1)?.event).not.toBe('error');
  expect(textOf(frames, 'reporter')).not.toBe('');
});

test('invalid JSON arguments and an unknown tool are told to the model, which goes on', async () => {
  const odd: Reply = {
    toolCalls: [
      { name: 'web_search', arguments: '{"query": ' },
      { name: 'nonsense', arguments: {} },
    ],
  };
  await using env = await setup({ queue: { researcher: [odd, { text: 'Found.' }] } });
  const { frames } = await env.ask();
  const results = frames.filter((frame) => frame.event === 'tool_call_result').map((frame) => frame.data['content']);
  expect(results).toHaveLength(2);
  expect(results.join()).toContain('there is no tool named nonsense');
  expect(frames.at(-1)?.event).not.toBe('error');
});

test.each([
  ['fences', `\`\`\`json\n${planText(1)}\n\`\`\``],
  ['an array', JSON.stringify(JSON.parse(planText(1)).steps)],
  ['prose', `Here you are: ${planText(1)} Enjoy!`],
])('a plan in %s is used', async (_name, text) => {
  await using env = await setup({ queue: { planner: [{ text: [text] }] } });
  const { frames } = await env.ask();
  expect(JSON.parse(textOf(frames, 'planner')).steps).toHaveLength(1);
  expect(frames.at(-1)?.event).toBe('citations');
});

test('a provider without tools still hands off and researches', async () => {
  const coordinator: Reply = {
    text: ['{"name": "handoff_to_planner", "arguments": {"research_topic": "tides", "locale": "en-US"}}'],
  };
  const searching: Reply = { text: ['{"name": "web_search", "arguments": {"query": "tides"}}'] };
  await using env = await setup({
    rejects: ['tools'],
    queue: { coordinator: [coordinator], researcher: [searching, { text: 'Found.' }] },
  });
  const { frames } = await env.ask();
  expect(frames.find((frame) => frame.event === 'tool_calls')?.data['tool_calls'][0].name).toBe('web_search');
  expect(textOf(frames, 'coordinator')).toBe('');
  expect(frames.at(-1)?.event).toBe('citations');
});

test('a window learnt from the provider shortens the prompt instead of failing the run', async () => {
  const long = 'tide '.repeat(30_000);
  const provider = startModelServer({ contextLimit: 6000 });
  const models = createModels({
    config: { basic: { base_url: provider.baseUrl, api_key: 'k', model: 'm' } },
    fetch,
    clock: systemClock,
    log: silentLogger,
    extractive: createExtractiveModel(),
  });
  const search = {
    name: 'long',
    search: async () => [{ type: 'page' as const, title: 'Long', url: 'https://example.org/long', content: long }],
  };
  const crawler = { crawl: async (url: string) => ({ url, title: 'Long', crawled_content: long }) };
  await using app = await startResearchApp({ models, deps: { search, crawler } });
  const { frames } = await app.chat({
    messages: [{ role: 'user', content: `How do tides work? ${long.slice(0, 60_000)}` }],
    auto_accepted_plan: true,
  });
  expect(frames.at(-1)?.event).toBe('citations');
  await provider.stop();
});

test('a model that leaves when the client does: the upstream call is aborted within a second', async () => {
  await using env = await setup({ queue: { coordinator: [{ text: 'a b c d e f g h', tokensPerSecond: 2 }] } });
  const controller = new AbortController();
  const response = await env.app.post(question(), { signal: controller.signal });
  await (response.body as ReadableStream).getReader().read();
  while (env.provider.requests.length === 0) await Bun.sleep(5);
  controller.abort();
  const started = performance.now();
  while (!env.provider.requests[0]?.aborted) await Bun.sleep(5);
  expect(performance.now() - started).toBeLessThan(1000);
});

test('headers name the agent and the run', async () => {
  await using env = await setup({});
  const { response } = await env.ask();
  expect([...new Set(env.provider.requests.map((request) => request.agent))]).toEqual([
    'coordinator',
    'planner',
    'researcher',
    'reporter',
  ]);
  expect(new Set(env.provider.requests.map((request) => request.runId))).toEqual(
    new Set([response.headers.get('x-run-id') as string]),
  );
});

test('the planner reasons on the reasoning model, and its reasoning belongs to the message of the plan', async () => {
  const provider = startModelServer({
    queue: { planner: [{ reasoning: ['Let me ', 'think.'], text: [planText(1)] }] },
  });
  const endpoint = { base_url: provider.baseUrl, api_key: 'k' };
  const models = createModels({
    config: { basic: { ...endpoint, model: 'small' }, reasoning: { ...endpoint, model: 'deep' } },
    fetch,
    clock: systemClock,
    log: silentLogger,
    extractive: createExtractiveModel(),
  });
  await using app = await startResearchApp({ models });
  const { frames } = await app.chat({ ...question(), auto_accepted_plan: true, enable_deep_thinking: true });
  expect(provider.of('planner').map((request) => request.body.model)).toEqual(['deep']);
  const planner = frames.filter((frame) => frame.data['agent'] === 'planner');
  expect(new Set(planner.map((frame) => frame.data['id'])).size).toBe(1);
  expect(planner.map((frame) => frame.data['reasoning_content'] ?? '').join('')).toBe('Let me think.');
  expect(planner.filter((frame) => frame.data['finish_reason'])).toHaveLength(1);
  await provider.stop();
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import type { Models } from '../../src/models/model.ts';
import { createOpenAiRoutes } from '../../src/openai-api/routes.ts';
import { createQuickWorkflow } from '../../src/research/quick.ts';
import { createChatRoutes } from '../../src/research/routes.ts';
import type { ResearchDeps } from '../../src/research/run-scope.ts';
import { createResearchWorkflow } from '../../src/research/workflow.ts';
import { RunService } from '../../src/runs/service.ts';
import { createStore } from '../../src/store/create-store.ts';
import { fixedKnowledge, fixedSearch, PAGES } from '../helpers/research-app.ts';
import { startTestServer } from '../helpers/test-server.ts';

/** The OpenAI-compatible API on a real server, with a client of the real SDK that does not retry. */
export async function startOpenAiApp(
  models: Models,
  options: { apiToken?: string; deps?: Partial<ResearchDeps> } = {},
) {
  const home = await mkdtemp(join(tmpdir(), 'agent-openai-'));
  const log = createLogger({ level: 'debug', format: 'json', write: () => {} });
  const store = createStore({ url: 'sqlite:agent.db', home, clock: systemClock });
  await store.start();
  const deps: ResearchDeps = {
    models,
    search: fixedSearch(PAGES),
    searchConfigured: true,
    crawler: { crawl: () => Promise.reject(new Error('no crawling here')) },
    knowledge: fixedKnowledge(),
    toolProviders: [],
    clock: systemClock,
    log,
    limits: {
      maxConcurrency: 3,
      maxToolRounds: 10,
      chunkIntervalMs: 0,
      stepTimeoutMs: 60_000,
      maxToolOutputTokens: 8000,
    },
    ...options.deps,
  };
  const runs = new RunService({
    store,
    workflows: { research: createResearchWorkflow(deps), quick: createQuickWorkflow(deps) },
    clock: systemClock,
    log,
    maxActive: 500,
    leaseMs: 15_000,
    workerConcurrency: 4,
  });
  await runs.start();
  const stream = { store, runs, clock: systemClock, heartbeatMs: 15_000 };
  const server = await startTestServer({
    mount: (base) => base.use(createChatRoutes(stream)).use(createOpenAiRoutes(stream)),
    deps: { models, log },
    ...(options.apiToken ? { server: { api_token: options.apiToken } } : {}),
  });
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: options.apiToken ?? 'unused', maxRetries: 0 });
  return {
    ...server,
    client,
    store,
    runs,
    complete: (body: Record<string, unknown>, init: RequestInit = {}) =>
      server.fetch('/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...init,
      }),
    async [Symbol.asyncDispose]() {
      await runs.stop();
      await server.server.listener.stop(0);
      await store.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A chunk of a stream, with what the SDK does not declare. */
interface StreamedDelta {
  role?: string;
  content?: string | null;
  reasoning_content?: string;
  annotations?: {
    type: string;
    url_citation: { url: string; title: string; start_index: number; end_index: number };
  }[];
}

/** Everything a stream said. */
export async function readStream(stream: AsyncIterable<OpenAI.Chat.ChatCompletionChunk>) {
  const chunks: OpenAI.Chat.ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta as StreamedDelta));
  return {
    chunks,
    deltas,
    content: deltas.map((delta) => delta.content ?? '').join(''),
    reasoning: deltas.map((delta) => delta.reasoning_content ?? '').join(''),
    annotations: deltas.flatMap((delta) => delta.annotations ?? []),
    finishReasons: chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.finish_reason)).filter(Boolean),
    usage: chunks.at(-1)?.usage,
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Crawler } from '../../src/crawl/crawl.ts';
import { fail } from '../../src/errors.ts';
import type { KnowledgeProvider, Passage } from '../../src/knowledge/model.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import type { Models } from '../../src/models/model.ts';
import { createChatRoutes } from '../../src/research/routes.ts';
import type { ResearchDeps } from '../../src/research/run-scope.ts';
import { createResearchWorkflow } from '../../src/research/workflow.ts';
import { createRunRoutes } from '../../src/runs/routes.ts';
import { RunService } from '../../src/runs/service.ts';
import type { SearchEngine } from '../../src/search/search.ts';
import { createStore } from '../../src/store/create-store.ts';
import type { Store } from '../../src/store/store.ts';
import { startTestServer } from './test-server.ts';

/** One SSE frame as a client reads it. */
export interface Frame {
  id: string | undefined;
  event: string;
  data: Record<string, any>;
  raw: string;
}

/** A search engine over fixed pages; every query finds the first `maxResults` of them. */
export function fixedSearch(
  pages: { title: string; url: string; content: string }[],
): SearchEngine & { queries: string[] } {
  const queries: string[] = [];
  return {
    name: 'fixed',
    queries,
    search: async (query, { maxResults }) => {
      queries.push(query);
      return pages.slice(0, maxResults).map((page) => ({ type: 'page' as const, ...page }));
    },
  };
}

/** Knowledge that holds the given passages, or nothing. */
export function fixedKnowledge(passages: Passage[] = []): KnowledgeProvider {
  return {
    name: 'local',
    listResources: async () => [],
    retrieve: async (_query, { resources, limit }) =>
      passages.filter((passage) => !resources || resources.includes(passage.resourceUri)).slice(0, limit),
    hasContent: async () => passages.length > 0,
  };
}

export const PAGES = [
  { title: 'Tides', url: 'https://example.org/tides', content: 'The Moon raises two tidal bulges on Earth.' },
  { title: 'Moon', url: 'https://example.org/moon', content: 'The Moon orbits Earth every 27.3 days.' },
  { title: 'Sun', url: 'https://example.org/sun', content: 'The Sun adds to the tides at new moon.' },
];

const crawler: Crawler = {
  crawl: async (url) => {
    const page = PAGES.find((entry) => entry.url === url);
    if (!page) throw fail('url_refused', 'The address is not allowed.');
    return { url, title: page.title, crawled_content: `# ${page.title}\n\n${page.content}` };
  },
};

export interface ResearchAppOptions {
  models: Models;
  deps?: Partial<ResearchDeps>;
  limits?: Partial<ResearchDeps['limits']>;
  /** Home of an earlier app, to go on with its database. */
  home?: string;
  databaseUrl?: string;
  leaseMs?: number;
  /** Leave the home behind on dispose. */
  keep?: boolean;
  /** Do not take over waiting runs at the start. */
  idle?: boolean;
}

/** The research API on a real server with a real database and the given models. */
export async function startResearchApp(options: ResearchAppOptions) {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'agent-research-')));
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  const store: Store = createStore({ url: options.databaseUrl ?? 'sqlite:agent.db', home, clock: systemClock });
  await store.start();
  const deps: ResearchDeps = {
    models: options.models,
    search: fixedSearch(PAGES),
    searchConfigured: true,
    crawler,
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
      ...options.limits,
    },
    ...options.deps,
  };
  const runs = new RunService({
    store,
    workflows: { research: createResearchWorkflow(deps) },
    clock: systemClock,
    log,
    maxActive: 500,
    leaseMs: options.leaseMs ?? 15_000,
    workerConcurrency: 4,
  });
  if (!options.idle) await runs.start();
  const stream = { store, runs, clock: systemClock, heartbeatMs: 15_000 };
  const server = await startTestServer({
    mount: (base) => base.use(createChatRoutes(stream)).use(createRunRoutes(stream)),
    deps: { models: options.models, log },
  });
  const post = (body: Record<string, unknown>, init: RequestInit = {}) =>
    server.fetch('/api/chat/stream', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...init,
    });
  return {
    ...server,
    home,
    store,
    runs,
    post,
    logText: () => lines.join('\n'),
    /** Posts and reads the whole stream. */
    async chat(body: Record<string, unknown>): Promise<{ response: Response; frames: Frame[]; raw: string }> {
      const response = await post(body);
      const raw = await response.text();
      return { response, raw, frames: parseFrames(raw) };
    },
    async stop() {
      await runs.stop();
      await server.server.listener.stop(1000);
      await store.stop();
      if (!options.keep) await rm(home, { recursive: true, force: true });
    },
    async [Symbol.asyncDispose]() {
      await this.stop();
    },
  };
}

/** The frames of a stream; comments are dropped. */
export function parseFrames(text: string): Frame[] {
  return text
    .split('\n\n')
    .filter((block) => /^data: /m.test(block))
    .map((block) => ({
      id: /^id: (.*)$/m.exec(block)?.[1],
      event: /^event: (.*)$/m.exec(block)?.[1] ?? 'message',
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null'),
      raw: `${block}\n\n`,
    }));
}

/** The joined content of all message chunks of an agent. */
export function textOf(frames: Frame[], agent: string): string {
  return frames
    .filter((frame) => frame.event === 'message_chunk' && frame.data['agent'] === agent)
    .map((frame) => frame.data['content'] ?? '')
    .join('');
}

/** Reads frames of a live stream until `until` says so; the connection stays open. */
export async function readUntil(
  response: Response,
  until: (frame: Frame) => boolean,
): Promise<{ frames: Frame[]; cancel(): Promise<void> }> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (value) text += decoder.decode(value, { stream: true });
    const frames = parseFrames(text.slice(0, text.lastIndexOf('\n\n') + 2));
    if (done || frames.some(until)) return { frames, cancel: () => reader.cancel() };
  }
}

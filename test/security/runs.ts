import { createCrawler } from '../../src/crawl/crawler.ts';
import { createGuardedFetch } from '../../src/crawl/guarded-fetch.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { createEventRunner } from '../../src/research/event-runner.ts';
import type { ResearchInput } from '../../src/research/model.ts';
import { createQuickWorkflow } from '../../src/research/quick.ts';
import type { ResearchDeps } from '../../src/research/run-scope.ts';
import type { ToolProvider } from '../../src/research/tool.ts';
import { createResearchWorkflow } from '../../src/research/workflow.ts';
import { RunService } from '../../src/runs/service.ts';
import type { SearchResult } from '../../src/search/search.ts';
import { createStore } from '../../src/store/create-store.ts';
import type { AgentRunInput } from '../../src/webhooks/agent-runner.ts';
import { type ScriptedStep, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { defaultConfig } from '../helpers/test-server.ts';
import { openKnowledge } from '../knowledge/open-knowledge.ts';

/** What no run may carry out. */
export const CODEWORD = 'ZANZIBAR';

/** An address on the attacker's server. */
export interface Collector extends AsyncDisposable {
  url: string;
  port: number;
  /** Everything that arrived: host, path, query, headers, body. */
  arrived: string[];
}

/** A real server that remembers whatever reaches it; `/hop` redirects on. */
export function startCollector(): Collector {
  const arrived: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      arrived.push(`${request.headers.get('host')} ${pathname}${search} ${await request.text()}`);
      if (pathname === '/hop') return Response.redirect('/page', 302);
      const links = `<p><a href="/next?step=1">next</a> ${'A page about tides. '.repeat(20)}</p>`;
      return new Response(`<html><body><h1>Page</h1>${links}</body></html>`, {
        headers: { 'content-type': 'text/html' },
      });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port!,
    arrived,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export interface RunsOptions {
  steps: ScriptedStep[];
  /** What a search finds, whatever it looks for. */
  found?: SearchResult[];
  deps?: Partial<ResearchDeps>;
  toolProviders?: ToolProvider[];
}

/** Runs on a real store, a real knowledge base with one private document, a real crawler, and a scripted model. */
export async function startRuns({ steps, found = [], deps: more = {}, toolProviders = [] }: RunsOptions) {
  const documents = openKnowledge();
  const document = new TextEncoder().encode(`# Vault\n\nThe codeword of the vault is ${CODEWORD}.`);
  const resource = await documents.knowledge.ingest(
    { name: 'vault.md', bytes: document },
    new AbortController().signal,
  );
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  const store = createStore({ url: 'sqlite:agent.db', home: documents.home, clock: systemClock });
  await store.start();
  const queries: string[] = [];
  // Every name leads to this machine, as the attacker's name server would have it.
  const guardedFetch = createGuardedFetch({ allowPrivateNetwork: true, log, lookup: async () => ['127.0.0.1'] });
  const crawler = createCrawler({ config: defaultConfig().crawl, guardedFetch, fetch, clock: systemClock, log });
  const model = scriptedModel(steps);
  const deps: ResearchDeps = {
    models: scriptedModels({ basic: model }),
    search: {
      name: 'fixed',
      search: async (query) => {
        queries.push(query);
        return found;
      },
    },
    searchConfigured: false,
    crawler,
    knowledge: documents.knowledge,
    toolProviders,
    clock: systemClock,
    log,
    limits: {
      maxConcurrency: 3,
      maxToolRounds: 6,
      chunkIntervalMs: 0,
      stepTimeoutMs: 60_000,
      maxToolOutputTokens: 8000,
    },
    ...more,
  };
  const runs = new RunService({
    store,
    workflows: { quick: createQuickWorkflow(deps), research: createResearchWorkflow(deps) },
    clock: systemClock,
    log,
    maxActive: 10,
    leaseMs: 15_000,
    workerConcurrency: 2,
  });
  await runs.start();
  const runner = createEventRunner({ store, runs, clock: systemClock });
  let count = 0;
  return {
    model,
    store,
    runs,
    queries,
    lines,
    /** Address of the private document. */
    document: resource.uri,
    /** Runs the agent for an event, to its end. */
    event: (over: Partial<AgentRunInput> & { prompt: string }) => {
      const id = `run-${++count}`;
      return runner.start(
        {
          notice: 'The payload is untrusted.',
          skills: [],
          mode: 'quick',
          threadId: `webhook_${id}`,
          runId: id,
          route: 'gh',
          ...over,
        },
        AbortSignal.timeout(20_000),
      );
    },
    /** Runs a chat, to its end. */
    async chat(text: string, over: Partial<ResearchInput> = {}, kind: 'quick' | 'research' = 'quick') {
      const run = await runs.begin({
        kind,
        threadId: `thread-${++count}`,
        input: { ...chatInput(text), ...over },
        onDisconnect: 'continue',
      });
      await runs.settled(run.id);
      return run.id;
    },
    /** The event log of a run, as clients read it. */
    events: async (runId: string) => (await store.runs.events(runId, 0, 10_000)).map(({ data }) => data).join('\n'),
    /** What the tools answered in a run. */
    async toolResults(runId: string) {
      const events = await store.runs.events(runId, 0, 10_000);
      const results = events.filter(({ type }) => type === 'tool_call_result');
      return results.map(({ data }) => String((JSON.parse(data) as { content: string }).content));
    },
    async [Symbol.asyncDispose]() {
      await runs.stop();
      crawler.stop();
      await store.stop();
      await documents[Symbol.asyncDispose]();
    },
  };
}

function chatInput(text: string): ResearchInput {
  return {
    conversation: [{ role: 'user', text, images: [] }],
    resources: [],
    locale: null,
    style: 'NEWS',
    maxPlanIterations: 1,
    maxSteps: 3,
    maxSearchResults: 3,
    autoAccept: true,
    backgroundInvestigation: true,
    webSearch: true,
    deepThinking: false,
    clarification: false,
    clarificationsLeft: 0,
    interruptBeforeTools: [],
    mcpSettings: null,
    knownSources: [],
  };
}

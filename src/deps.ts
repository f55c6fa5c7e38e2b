import type { Config } from './config/schema.ts';
import type { Crawler } from './crawl/crawl.ts';
import { createCrawler } from './crawl/crawler.ts';
import { createGuardedFetch, type GuardedFetch } from './crawl/guarded-fetch.ts';
import { createLocalKnowledge } from './knowledge/local.ts';
import type { KnowledgeProvider } from './knowledge/model.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { createLogger, type Logger } from './lib/log.ts';
import { createEmbedder } from './models/embedder.ts';
import { createExtractiveModel } from './models/extractive/extractive.ts';
import type { Models } from './models/model.ts';
import { createModels } from './models/models.ts';
import { createQuickWorkflow } from './research/quick.ts';
import type { ResearchDeps } from './research/scope.ts';
import { createResearchWorkflow } from './research/workflow.ts';
import { RunService } from './runs/service.ts';
import { createSearch } from './search/chain.ts';
import type { SearchEngine } from './search/search.ts';
import { createStore } from './store/create-store.ts';
import type { Store } from './store/store.ts';

/** Everything a feature may use, built once per process. */
export interface Deps extends AsyncDisposable {
  config: Config;
  /** Agent home, absolute. */
  home: string;
  log: Logger;
  clock: Clock;
  fetch: typeof fetch;
  guardedFetch: GuardedFetch;
  models: Models;
  search: SearchEngine;
  crawler: Crawler;
  knowledge: KnowledgeProvider;
  store: Store;
  runs: RunService;
  /** Opens the database; `runs.start()` follows once the process is ready to work. */
  start(): Promise<void>;
}

export interface DepsOptions {
  config: Config;
  home: string;
  /** The command line logs less than the server. */
  logLevel?: Config['log']['level'];
  /** False for commands that work on their own run only and leave waiting runs to a server. */
  worker?: boolean;
}

/** Builds everything and starts nothing; the only place where adapters are chosen. */
export function createDeps({ config, home, logLevel, worker = true }: DepsOptions): Deps {
  const clock = systemClock;
  const log = createLogger({ level: logLevel ?? config.log.level, format: config.log.format });
  const guardedFetch = createGuardedFetch({ allowPrivateNetwork: config.crawl.allow_private_network, log });
  const models = createModels({ config: config.models, fetch, clock, log, extractive: createExtractiveModel() });
  const search = createSearch({ config: config.search, fetch, clock, log });
  const crawler = createCrawler({ config: config.crawl, guardedFetch, fetch, clock, log });
  const embedder = createEmbedder(config.models.embedding, { fetch, clock });
  const knowledge = createLocalKnowledge({ home, config: config.knowledge, embedder, log, clock });
  const store = createStore({ url: config.database.url, home, clock });
  const researchDeps: ResearchDeps = {
    models,
    search,
    searchConfigured: isSearchConfigured(config),
    crawler,
    knowledge,
    toolProviders: [],
    clock,
    log,
    limits: researchLimits(config.research),
  };
  const runs = new RunService({
    store,
    workflows: { research: createResearchWorkflow(researchDeps), quick: createQuickWorkflow(researchDeps) },
    clock,
    log,
    maxActive: config.runs.max_active,
    leaseMs: config.runs.lease_seconds * 1000,
    workerConcurrency: worker ? config.runs.worker_concurrency : 0,
  });
  return {
    config,
    home,
    log,
    clock,
    fetch,
    guardedFetch,
    models,
    search,
    crawler,
    knowledge,
    store,
    runs,
    start: () => store.start(),
    async [Symbol.asyncDispose]() {
      await runs.stop();
      crawler.stop();
      await knowledge.stop();
      await store.stop();
    },
  };
}

function researchLimits(research: Config['research']): ResearchDeps['limits'] {
  return {
    maxConcurrency: research.max_concurrency,
    maxToolRounds: research.max_tool_rounds,
    chunkIntervalMs: research.chunk_interval_ms,
    stepTimeoutMs: research.step_timeout_seconds * 1000,
    maxToolOutputTokens: research.max_tool_output_tokens,
  };
}

/** True when web search was set up on purpose, by engine name or by key. */
function isSearchConfigured({ search }: Config): boolean {
  const { tavily, brave_search, serper, searx } = search;
  return Boolean(search.engines?.length || tavily.api_key || brave_search.api_key || serper.api_key || searx.base_url);
}

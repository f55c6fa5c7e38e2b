import type { Config } from './config/schema.ts';
import type { Crawler } from './crawl/crawl.ts';
import { createCrawler } from './crawl/crawler.ts';
import { createGuardedFetch, type GuardedFetch } from './crawl/guarded-fetch.ts';
import { createGuardedStreamFetch, type GuardedStreamFetch } from './crawl/guarded-stream-fetch.ts';
import { createKnowledgeProvider } from './knowledge/create-knowledge.ts';
import type { KnowledgeProvider } from './knowledge/model.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { Gate } from './lib/gate.ts';
import { createLogger, type Logger } from './lib/log.ts';
import { LoopAlarm } from './lib/loop-alarm.ts';
import { admitMcpSettings } from './mcp/admit-settings.ts';
import { createConnectionNeeds } from './mcp/connection-needs.ts';
import type { MetadataDeps } from './mcp/metadata.ts';
import { createMcpPolicy } from './mcp/policy.ts';
import { type AgentPorts, createResearchPort } from './mcp/server/ports.ts';
import { McpSessions } from './mcp/server/sessions.ts';
import { createMcpToolProvider } from './mcp/tool-provider.ts';
import { createEmbedder } from './models/embedder.ts';
import { createExtractiveModel } from './models/extractive/extractive.ts';
import type { Models } from './models/model.ts';
import { createModels } from './models/models.ts';
import { AudioShelf } from './podcast/audio-shelf.ts';
import { type GeneratePodcastDeps, generatePodcast } from './podcast/generate.ts';
import { createPodcastWorkflow } from './podcast/workflow.ts';
import { enhancePrompt } from './prompt/enhance.ts';
import type { ChatRequest } from './research/model.ts';
import { createQuickWorkflow } from './research/quick.ts';
import type { ResearchDeps } from './research/run-scope.ts';
import { startChat } from './research/start-chat.ts';
import { createResearchWorkflow } from './research/workflow.ts';
import { RunService } from './runs/service.ts';
import { createCodeToolProvider } from './sandbox/code-tools.ts';
import { createSearch } from './search/chain.ts';
import type { SearchEngine } from './search/search.ts';
import { createSlideGenerator, type SlideGenerator } from './slides/generate.ts';
import { PPTX_MEDIA_TYPE } from './slides/model.ts';
import { createSpeechEngine } from './speech/create-engine.ts';
import { createSpeech } from './speech/create-speech.ts';
import type { Speech } from './speech/speech.ts';
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
  /** For addresses the operator wrote: private ones and any port are fine, the cloud's metadata is not. */
  configuredFetch: GuardedStreamFetch;
  models: Models;
  search: SearchEngine;
  crawler: Crawler;
  knowledge: KnowledgeProvider;
  store: Store;
  runs: RunService;
  /** Tells what held the event loop, once a server has started it. */
  alarm: LoopAlarm;
  speech: Speech;
  podcasts: GeneratePodcastDeps;
  slides: SlideGenerator;
  /** Limits prose, prompts and evaluations together. */
  writing: Gate;
  mcp: MetadataDeps;
  /** Refuses bad `mcp_settings` of a request; absent when requests may not name servers. */
  checkMcpSettings: ((settings: unknown) => Promise<void>) | undefined;
  /** What the agent does for MCP clients. */
  agentPorts: AgentPorts;
  /** The clients of `/mcp`. */
  mcpSessions: McpSessions;
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
  const configuredFetch = createGuardedStreamFetch({ allowPrivateNetwork: true, anyPort: true });
  const models = createModels({ config: config.models, fetch, clock, log, extractive: createExtractiveModel() });
  const search = createSearch({ config: config.search, fetch, clock, log });
  const crawler = createCrawler({ config: config.crawl, guardedFetch, fetch, clock, log });
  const embedder = createEmbedder(config.models.embedding, { fetch, clock });
  const knowledge = createKnowledgeProvider({ home, config: config.knowledge, embedder, fetch, log, clock });
  const store = createStore({ url: config.database.url, home, clock });
  const code = createCodeToolProvider({ config });
  const mcp = createMcp({ config, home, clock, log }, configuredFetch);
  const researchDeps: ResearchDeps = {
    models,
    search,
    searchConfigured: isSearchConfigured(config),
    crawler,
    knownUrls: config.crawl.known_urls,
    knowledge,
    toolProviders: [code, createMcpToolProvider({ config, connection: mcp.connection, log, clock })],
    clock,
    log,
    limits: researchLimits(config.research),
  };
  const speech = createSpeech({
    engine: createSpeechEngine({ config: config.speech, basic: config.models.basic, fetch, now: clock.now }),
    clock,
    attempts: config.speech.max_retries + 1,
    maxConcurrency: config.speech.max_concurrency,
    maxWaiting: config.speech.max_waiting,
  });
  const shelf = new AudioShelf();
  const alarm = new LoopAlarm({
    log,
    thresholdMs: config.server.loop_alarm_ms,
    clock,
  });
  const runs = new RunService({
    store,
    alarm,
    workflows: {
      research: createResearchWorkflow(researchDeps),
      quick: createQuickWorkflow(researchDeps),
      podcast: createPodcastWorkflow({ models, speech, shelf, log, limits: podcastLimits(config.podcast) }),
    },
    clock,
    log,
    maxActive: config.runs.max_active,
    leaseMs: config.runs.lease_seconds * 1000,
    workerConcurrency: worker ? config.runs.worker_concurrency : 0,
  });
  const slides = createSlideGenerator({ models, guardedFetch, clock, log, config: config.slides });
  const podcasts = { runs, store, speech, shelf, gate: createGate(config.podcast, 'podcasts') };
  const writing = createGate(config.writing, 'writing');
  const agentPorts = createAgentPorts({ store, runs, clock, knowledge, podcasts, slides, writing, models });
  const mcpSessions = new McpSessions({
    ports: agentPorts,
    clock,
    log,
    maxSessions: config.mcp.max_sessions,
    idleMs: config.mcp.session_idle_seconds * 1000,
  });
  return {
    config,
    home,
    log,
    clock,
    fetch,
    guardedFetch,
    configuredFetch,
    models,
    search,
    crawler,
    knowledge,
    store,
    runs,
    alarm,
    speech,
    podcasts,
    slides,
    writing,
    agentPorts,
    mcpSessions,
    mcp,
    checkMcpSettings: mcp.enabled ? (settings) => admitMcpSettings(settings, mcp) : undefined,
    start: () => store.start(),
    async [Symbol.asyncDispose]() {
      await mcpSessions.stop();
      alarm.stop();
      await runs.stop();
      crawler.stop();
      code.stop();
      speech.stop();
      slides.stop();
      await knowledge.stop();
      await store.stop();
    },
  };
}

function createAgentPorts(
  deps: Pick<Deps, 'store' | 'runs' | 'clock' | 'knowledge' | 'podcasts' | 'slides' | 'writing' | 'models'>,
): AgentPorts {
  const { store, runs, clock, knowledge, podcasts, slides, writing, models } = deps;
  const begin = (request: ChatRequest) => startChat({ store, runs, clock }, request);
  return {
    research: createResearchPort({ store, runs, clock, begin }),
    knowledge,
    async generateSlides(input, signal) {
      const { bytes, title } = await slides.generate(input, signal);
      return { bytes, fileName: `${title}.pptx`, mediaType: PPTX_MEDIA_TYPE };
    },
    async generatePodcast(input, signal) {
      const { audio } = await generatePodcast(podcasts, input, signal);
      return { bytes: audio, fileName: 'podcast.mp3', mediaType: 'audio/mpeg' };
    },
    enhancePrompt: (input, signal) => writing.run(() => enhancePrompt(models, input, signal), signal),
  };
}

function createMcp(
  { config, home, clock, log }: Pick<Deps, 'config' | 'home' | 'clock' | 'log'>,
  openFetch: GuardedStreamFetch,
): MetadataDeps {
  const allowPrivateNetwork = config.crawl.allow_private_network;
  return {
    policy: createMcpPolicy(config),
    enabled: config.mcp.enable_server_configuration,
    defaultTimeoutMs: config.mcp.default_timeout_seconds * 1000,
    connection: createConnectionNeeds({
      config,
      home,
      guardedFetch: createGuardedStreamFetch({ allowPrivateNetwork }),
      openFetch,
      clock,
      onMissingSandbox: (why) => log.warn('mcp servers run without a sandbox', { reason: why }),
    }),
  };
}

function createGate(limits: { max_concurrency: number; max_waiting: number }, what: string): Gate {
  return new Gate({ limit: limits.max_concurrency, maxWaiting: limits.max_waiting, what });
}

function podcastLimits({ line_concurrency, max_lines, max_characters }: Config['podcast']) {
  return { lineConcurrency: line_concurrency, maxLines: max_lines, maxCharacters: max_characters };
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

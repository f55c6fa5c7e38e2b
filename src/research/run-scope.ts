import type { Crawler } from '../crawl/crawl.ts';
import type { KnowledgeProvider } from '../knowledge/model.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Models } from '../models/model.ts';
import type { RunContext } from '../runs/model.ts';
import type { SearchEngine } from '../search/search.ts';
import type { Egress, KnownUrlsMode } from './egress.ts';
import type { ResearchInput } from './model.ts';
import type { ToolProvider } from './tool.ts';

/** Limits of the workflow, from the configuration. */
interface ResearchLimits {
  maxConcurrency: number;
  maxToolRounds: number;
  chunkIntervalMs: number;
  stepTimeoutMs: number;
  maxToolOutputTokens: number;
}

/** What the workflow needs from outside. */
export interface ResearchDeps {
  models: Models;
  search: SearchEngine;
  /** True when web search was set up by name or key, so that it can be relied on. */
  searchConfigured: boolean;
  crawler: Crawler;
  /** When pages are read only at known addresses; `auto` when absent. */
  knownUrls?: KnownUrlsMode;
  knowledge: KnowledgeProvider;
  /** Further tools: code, MCP servers. */
  toolProviders: ToolProvider[];
  clock: Clock;
  log: Logger;
  limits: ResearchLimits;
}

/** One run of the workflow. */
export interface RunScope {
  deps: ResearchDeps;
  input: ResearchInput;
  context: RunContext;
  /** What may leave the run. */
  egress: Egress;
  /** Delimiter around fetched text in prompts; nobody outside this run can know it. */
  fence: string;
  /** Language of the report; the hand-off may settle it. */
  locale: string;
  /** What the research is about; the hand-off settles it. */
  question: string;
  /** True once the stream has its first event. */
  opened: boolean;
  /** Ids of tool calls already used, for providers that count from zero in every answer. */
  callIds: Set<string>;
}

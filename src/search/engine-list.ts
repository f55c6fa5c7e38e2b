import type { Config } from '../config/schema.ts';
import { nearest } from '../lib/nearest.ts';
import type { EngineNeeds } from './engine.ts';
import { createArxiv } from './engines/arxiv.ts';
import { createBrave } from './engines/brave.ts';
import { createDuckDuckGo } from './engines/duckduckgo.ts';
import { createSearx } from './engines/searx.ts';
import { createSerper } from './engines/serper.ts';
import { createTavily } from './engines/tavily.ts';
import { createWikipedia } from './engines/wikipedia.ts';
import type { SearchEngine } from './search.ts';

type SearchConfig = Config['search'];

/** The engines by configuration name, in the order of the default; undefined when a key or an address is missing. */
const ENGINES: Record<string, (needs: EngineNeeds) => SearchEngine | undefined> = {
  tavily: (needs) => withSetting(needs.config.tavily.api_key, (key) => createTavily(needs, key)),
  brave_search: (needs) => withSetting(needs.config.brave_search.api_key, (key) => createBrave(needs, key)),
  serper: (needs) => withSetting(needs.config.serper.api_key, (key) => createSerper(needs, key)),
  searx: (needs) => withSetting(needs.config.searx.base_url, (baseUrl) => createSearx(needs, baseUrl)),
  duckduckgo: createDuckDuckGo,
  arxiv: createArxiv,
  wikipedia: createWikipedia,
};
/** What turns an engine on that is not always on. */
const MISSING: Record<string, string> = {
  tavily: 'TAVILY_API_KEY is not set',
  brave_search: 'BRAVE_SEARCH_API_KEY is not set',
  serper: 'SERPER_API_KEY is not set',
  searx: 'SEARX_HOST is not set',
};
const KEYLESS = ['duckduckgo', 'wikipedia'];

/** Names `SEARCH_API` may hold. */
const ENGINE_NAMES = Object.keys(ENGINES);

/** One place of the chain: an engine, or why it cannot be used. */
export type ChainLink = { name: string; engine: SearchEngine } | { name: string; missing: string };

/** The chain as configured, or by default the first engine with a key, then those without one. Call `checkSearchConfig` first. */
export function buildChain(needs: EngineNeeds): ChainLink[] {
  const build = (name: string): ChainLink => {
    const engine = ENGINES[name]?.(needs);
    return engine ? { name, engine } : { name, missing: MISSING[name] ?? 'it is not known' };
  };
  const configured = configuredNames(needs.config);
  if (configured.length > 0) return configured.map(build);
  const withKey = Object.keys(MISSING)
    .map(build)
    .find((link) => 'engine' in link);
  return [...(withKey ? [withKey] : []), ...KEYLESS.map(build)];
}

/** Problems of the search section a start must stop for (`errors`) or report (`warnings`); empty lists when all is well. */
export function checkSearchConfig(config: SearchConfig): { errors: string[]; warnings: string[] } {
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const name of configuredNames(config)) {
    if (!ENGINE_NAMES.includes(name)) errors.push(unknownEngine(name));
    else if (name in MISSING && !settingOf(config, name))
      warnings.push(`The search engine ${name} is left out because ${MISSING[name]}.`);
  }
  for (const name of ENGINE_NAMES) {
    const baseUrl = baseUrlOf(config, name);
    if (baseUrl !== undefined && !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
      errors.push(`search.${name}.base_url is not an http or https address.`);
  }
  return { errors, warnings };
}

function configuredNames(config: SearchConfig): string[] {
  const names = (config.engines ?? []).map((name) => name.trim().toLowerCase()).filter(Boolean);
  return [...new Set(names)];
}

function unknownEngine(name: string): string {
  const near = nearest(name, ENGINE_NAMES);
  const hint = near ? ` (did you mean ${near}?)` : '';
  return `Unknown search engine "${name}"${hint}; known are ${ENGINE_NAMES.join(', ')}.`;
}

function baseUrlOf(config: SearchConfig, name: string): string | undefined {
  return config[name as 'tavily'].base_url || undefined;
}

function settingOf(config: SearchConfig, name: string): string | undefined {
  return name === 'searx' ? config.searx.base_url : config[name as 'tavily'].api_key;
}

function withSetting(value: string | undefined, build: (value: string) => SearchEngine): SearchEngine | undefined {
  return value ? build(value) : undefined;
}

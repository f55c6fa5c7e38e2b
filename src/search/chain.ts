import type { Config } from '../config/schema.ts';
import { AppError, fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { Cooldown } from './cooldown.ts';
import { buildChain, checkSearchConfig } from './engine-list.ts';
import type { SearchEngine, SearchResult } from './search.ts';

export interface SearchOptions {
  config: Config['search'];
  fetch: typeof fetch;
  clock: Clock;
  log: Logger;
}

const MAX_RESULTS = 50;

/**
 * Web search: the configured engines in order. A failing engine rests for a while and the next one answers; an engine
 * that finds nothing passes on, too. Throws an AppError `invalid_configuration` for an unknown engine name.
 */
export function createSearch(options: SearchOptions): SearchEngine {
  const { config, clock, log } = options;
  const { errors } = checkSearchConfig(config);
  if (errors.length > 0) throw fail('invalid_configuration', errors.join(' '));
  const chain = buildChain(options).map((link) => ({
    ...link,
    cooldown: new Cooldown(clock, config.cooldown_seconds * 1000),
  }));

  return {
    name: chain.map(({ name }) => name).join(','),
    async search(text, { maxResults, signal }) {
      const query = text.replace(/\s+/g, ' ').trim();
      if (!query) throw fail('empty_query', 'The search query is empty.');
      const limit = Math.max(1, Math.min(Math.floor(maxResults) || 1, MAX_RESULTS));
      const failures: string[] = [];
      let answered = false;
      for (const link of chain) {
        signal.throwIfAborted();
        if (!('engine' in link)) {
          failures.push(`${link.name} is not used because ${link.missing}`);
          continue;
        }
        const results = await ask(link.engine, link.cooldown, query, limit, signal, failures, log);
        if (results && results.length > 0) return results;
        answered ||= results !== undefined;
      }
      if (answered) return [];
      throw searchUnavailable(failures);
    },
  };
}

/** The engine's hits; undefined, with the reason added to `failures`, when it failed or rests. */
async function ask(
  engine: SearchEngine,
  cooldown: Cooldown,
  query: string,
  maxResults: number,
  signal: AbortSignal,
  failures: string[],
  log: Logger,
): Promise<SearchResult[] | undefined> {
  try {
    const results = await cooldown.run(() => engine.search(query, { maxResults, signal }), signal);
    if (!results) failures.push(`${sentencePart(cooldown.resting ?? `${engine.name} failed`)} (resting)`);
    return results;
  } catch (error) {
    signal.throwIfAborted();
    const known = error instanceof AppError;
    log.warn('search engine failed', { engine: engine.name, ...(known ? { code: error.code } : { error }) });
    failures.push(known ? sentencePart(error.message) : `${engine.name} sent an answer that could not be read`);
    return undefined;
  }
}

function searchUnavailable(failures: string[]): AppError {
  return fail('search_unavailable', `No search engine could answer: ${failures.join('; ')}.`);
}

function sentencePart(message: string): string {
  return message.replace(/\.$/, '');
}

import type { Config } from '../config/schema.ts';
import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import { fetchProvider } from '../lib/provider-fetch.ts';
import { withoutTrailingSlashes } from '../lib/trim.ts';
import { cleanResults, type RawResult } from './results.ts';
import type { SearchEngine } from './search.ts';

/** What every engine needs. */
export interface EngineNeeds {
  config: Config['search'];
  fetch: typeof fetch;
  clock: Clock;
}

/** How one engine differs from the others: its request and how its answer is read. */
export interface EngineWire {
  /** Name in the configuration. */
  name: string;
  /** Name for people, in every error sentence. */
  label: string;
  /** Hits the engine gives at most; more are never asked for. */
  maxResults: number;
  /** Longer queries are cut at a word: the engine would refuse them. */
  maxQueryLength: number;
  request(
    query: string,
    maxResults: number,
  ): { url: URL; method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string };
  /** Throws an AppError (see `badAnswer`) when the answer is not one. */
  parse(answer: string): RawResult[] | Promise<RawResult[]>;
}

const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/** Wikimedia and arXiv ask for a name; nobody is helped by one that pretends to be a browser. */
const USER_AGENT = 'agent/1.0 (self-hosted research assistant)';

/** Makes an engine of its wire: limits, errors and clean results are the same for all. */
export function createEngine(wire: EngineWire, { config, fetch, clock }: EngineNeeds): SearchEngine {
  return {
    name: wire.name,
    async search(query, { maxResults, signal }) {
      const wanted = Math.min(maxResults, wire.maxResults);
      const { url, method, headers, body } = wire.request(cutAtWord(query, wire.maxQueryLength), wanted);
      const { bytes } = await fetchProvider({
        provider: wire.label,
        fetch,
        url,
        init: {
          method: method ?? 'GET',
          headers: { 'user-agent': USER_AGENT, ...headers },
          ...(body === undefined ? {} : { body }),
        },
        timeoutMs: config.timeout_seconds * 1000,
        maxBytes: MAX_ANSWER_BYTES,
        signal,
        now: clock.now(),
      });
      return cleanResults(await wire.parse(new TextDecoder().decode(bytes)), wanted);
    },
  };
}

/** An address below a configured base; a query in the base is dropped. */
export function endpoint(baseUrl: string, path: string, query: Record<string, string> = {}): URL {
  const url = new URL(baseUrl);
  url.pathname = withoutTrailingSlashes(url.pathname) + path;
  url.search = new URLSearchParams(query).toString();
  return url;
}

/** The list at `path` of a JSON answer; absent means no hits, anything else is a bad answer. */
export function readList(label: string, answer: string, ...path: string[]): Record<string, unknown>[] {
  let value = parseJson(answer);
  if (!isRecord(value)) throw badAnswer(label);
  for (const key of path) value = isRecord(value) ? value[key] : undefined;
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw badAnswer(label);
  return value.filter(isRecord);
}

/** The failure of an engine that answered with something else than search results. */
export function badAnswer(label: string, why = 'sent an answer that is not search results') {
  return fail('upstream_unavailable', `${label} ${why}.`, { retryable: true });
}

function cutAtWord(query: string, length: number): string {
  if (query.length <= length) return query;
  const cut = query.slice(0, length + 1);
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), 0) || length);
}

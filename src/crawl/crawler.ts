import type { Config } from '../config/schema.ts';
import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { CrawledPage, Crawler } from './crawl.ts';
import type { Resolve } from './guard.ts';
import type { GuardedFetch, GuardedResponse } from './guarded-fetch.ts';
import { readWithJina } from './jina-reader.ts';
import { createParsePool } from './parse-pool.ts';

export interface CrawlerOptions {
  config: Config['crawl'];
  guardedFetch: GuardedFetch;
  /** Used for the Jina reader only; pages go through `guardedFetch`. */
  fetch: typeof fetch;
  /** Name resolution for the Jina reader; the system's when absent. */
  resolve?: Resolve;
  clock: Clock;
  log: Logger;
}

const ACCEPTED_TYPES = [
  'text/',
  'application/xhtml+xml',
  'application/xml',
  'application/rss+xml',
  'application/atom+xml',
  'application/json',
  'application/ld+json',
  'application/pdf',
];
const ACCEPT = 'text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,application/json;q=0.7,*/*;q=0.1';
/** What is left of the page's time for reading it when the fetch took nearly all. */
const MIN_PARSE_MS = 1000;

/** The crawler: our own guarded fetch and reader, or the Jina reader when its key is set. `stop` ends the parse workers. */
export function createCrawler(options: CrawlerOptions): Crawler & { stop(): void } {
  const { config, log } = options;
  const places = new Semaphore(config.max_concurrency);
  const pool = createParsePool();
  const timeoutMs = config.timeout_seconds * 1000;
  const jinaKey = config.jina_api_key;

  const readOurselves = async (url: string, signal: AbortSignal): Promise<CrawledPage> => {
    const started = performance.now();
    const response = await options.guardedFetch(url, {
      headers: { accept: ACCEPT, 'accept-language': 'en, *;q=0.5' },
      timeoutMs,
      maxBytes: config.max_bytes,
      accept: ACCEPTED_TYPES,
      signal,
    });
    refuseFailure(response);
    const left = Math.max(MIN_PARSE_MS, timeoutMs - (performance.now() - started));
    const contentType = response.headers.get('content-type') ?? '';
    const input = { url: response.url, contentType, bytes: response.bytes };
    const page = await pool.parse(input, { timeoutMs: left, signal });
    return { url: response.url, title: page.title, crawled_content: page.markdown };
  };

  const read = (url: string, signal: AbortSignal): Promise<CrawledPage> =>
    jinaKey === undefined
      ? readOurselves(url, signal)
      : readWithJina(
          url,
          {
            apiKey: jinaKey,
            baseUrl: config.jina_base_url,
            allowPrivateNetwork: config.allow_private_network,
            timeoutMs,
            maxBytes: config.max_bytes,
            fetch: options.fetch,
            resolve: options.resolve,
            clock: options.clock,
          },
          signal,
        );

  return {
    stop: () => pool.stop(),
    async crawl(url, signal) {
      const page = await places.run(() => read(url, signal), signal);
      log.debug('page crawled', { host: new URL(page.url).hostname, characters: page.crawled_content.length });
      return page;
    },
  };
}

function refuseFailure({ url, status }: GuardedResponse): void {
  if (status >= 200 && status < 300) return;
  const { hostname } = new URL(url);
  if (status === 429) throw fail('upstream_rate_limited', `${hostname} limits the rate of requests.`);
  if (status >= 500) throw fail('upstream_unavailable', `${hostname} failed (HTTP ${status}).`);
  throw fail('upstream_rejected', `${hostname} does not give this page (HTTP ${status}).`);
}

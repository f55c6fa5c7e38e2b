import { AppError, fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import { fetchProvider } from '../lib/provider-fetch.ts';
import { withoutTrailingSlashes } from '../lib/trim.ts';
import type { CrawledPage } from './crawl.ts';
import { createGuard, type Resolve } from './guard.ts';
import { validateUrl } from './validate-url.ts';

export interface JinaReaderOptions {
  apiKey: string;
  baseUrl: string;
  allowPrivateNetwork: boolean;
  timeoutMs: number;
  maxBytes: number;
  fetch: typeof fetch;
  /** Name resolution; the system's when absent. */
  resolve?: Resolve | undefined;
  clock: Clock;
}

/** Reads a page through the Jina reader. Source: github.com/jina-ai/reader, `GET <base>/<url>` with `Accept: application/json`. */
export async function readWithJina(url: string, options: JinaReaderOptions, signal: AbortSignal): Promise<CrawledPage> {
  const address = await checkAddress(url, options, signal);
  const { bytes } = await fetchProvider({
    provider: 'The Jina reader',
    fetch: options.fetch,
    url: `${withoutTrailingSlashes(options.baseUrl)}/${address.href}`,
    init: { headers: { authorization: `Bearer ${options.apiKey}`, accept: 'application/json' } },
    timeoutMs: options.timeoutMs,
    maxBytes: options.maxBytes,
    signal,
    now: options.clock.now(),
  });
  const answer = parseJson(new TextDecoder().decode(bytes));
  const data = isRecord(answer) ? answer['data'] : undefined;
  if (!isRecord(data) || typeof data['content'] !== 'string')
    throw fail('upstream_unavailable', 'The Jina reader sent an answer that is not a page.', {
      retryable: true,
    });
  const content = data['content'].trim();
  if (!content) throw fail('unreadable_page', 'The page has no readable text.');
  const finalUrl = typeof data['url'] === 'string' && URL.canParse(data['url']) ? data['url'] : address.href;
  const title = typeof data['title'] === 'string' ? data['title'].trim() : '';
  return { url: finalUrl, title: title || address.hostname, crawled_content: content };
}

/**
 * The page is fetched elsewhere, but private addresses must not be told to a third party, and a reader of one's own can
 * reach them: a name that leads to one is refused as well. A name that is unknown here may still be known to the reader.
 */
async function checkAddress(url: string, options: JinaReaderOptions, signal: AbortSignal): Promise<URL> {
  const checked = validateUrl(url, options);
  if (!checked.ok) throw fail('url_refused', checked.message);
  const { allowPrivateNetwork, resolve } = options;
  const guard = createGuard({ allowPrivateNetwork, ...(resolve ? { resolve } : {}) });
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]);
  try {
    return (await guard.check(url, inTime)).url;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError && error.code === 'url_refused') throw error;
    return checked.url;
  }
}

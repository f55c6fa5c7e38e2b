import { upstreamError, userError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import { fetchProvider } from '../lib/provider-fetch.ts';
import { withoutTrailingSlashes } from '../lib/trim.ts';
import type { CrawledPage } from './crawl.ts';
import { validateUrl } from './validate-url.ts';

export interface JinaReaderOptions {
  apiKey: string;
  baseUrl: string;
  allowPrivateNetwork: boolean;
  timeoutMs: number;
  maxBytes: number;
  fetch: typeof fetch;
  clock: Clock;
}

/** Reads a page through the Jina reader. Source: github.com/jina-ai/reader, `GET <base>/<url>` with `Accept: application/json`. */
export async function readWithJina(url: string, options: JinaReaderOptions, signal: AbortSignal): Promise<CrawledPage> {
  // The page is fetched elsewhere, but private addresses must not be told to a third party either.
  const checked = validateUrl(url, options);
  if (!checked.ok) throw userError('url_refused', 400, checked.message);
  const { bytes } = await fetchProvider({
    provider: 'The Jina reader',
    fetch: options.fetch,
    url: `${withoutTrailingSlashes(options.baseUrl)}/${checked.url.href}`,
    init: { headers: { authorization: `Bearer ${options.apiKey}`, accept: 'application/json' } },
    timeoutMs: options.timeoutMs,
    maxBytes: options.maxBytes,
    signal,
    now: options.clock.now(),
  });
  const answer = parseJson(new TextDecoder().decode(bytes));
  const data = isRecord(answer) ? answer['data'] : undefined;
  if (!isRecord(data) || typeof data['content'] !== 'string')
    throw upstreamError('upstream_unavailable', 'The Jina reader sent an answer that is not a page.', {
      retryable: true,
    });
  const content = data['content'].trim();
  if (!content) throw userError('unreadable_page', 400, 'The page has no readable text.');
  const finalUrl = typeof data['url'] === 'string' && URL.canParse(data['url']) ? data['url'] : checked.url.href;
  const title = typeof data['title'] === 'string' ? data['title'].trim() : '';
  return { url: finalUrl, title: title || checked.url.hostname, crawled_content: content };
}

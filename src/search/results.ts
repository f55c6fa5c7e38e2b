import { withoutElements } from '../lib/html-source.ts';
import type { SearchResult } from './search.ts';

/** A hit as an engine sends it: possibly marked up, entity-encoded, incomplete. */
export interface RawResult {
  title?: unknown;
  url?: unknown;
  content?: unknown;
  /** Relevance 0–1. */
  score?: unknown;
}

/** One hit must not fill a model's context; whole pages are what the crawler is for. */
const MAX_CONTENT_LENGTH = 4000;
const MAX_TITLE_LENGTH = 300;

/** Turns an engine's hits into clean ones: plain text, http(s) addresses only, no address twice, at most `maxResults`. */
export async function cleanResults(raw: RawResult[], maxResults: number): Promise<SearchResult[]> {
  const { decodeHTML } = await import('entities');
  const seen = new Set<string>();
  const results: SearchResult[] = [];
  for (const { title, url: address, content, score } of raw) {
    if (results.length >= maxResults) break;
    const url = httpUrl(address);
    if (!url || seen.has(identity(url))) continue;
    seen.add(identity(url));
    results.push({
      type: 'page',
      title: plainText(title, decodeHTML).slice(0, MAX_TITLE_LENGTH) || url.hostname,
      url: url.href,
      content: plainText(content, decodeHTML).slice(0, MAX_CONTENT_LENGTH),
      ...(typeof score === 'number' && score >= 0 && score <= 1 ? { score } : {}),
    });
  }
  return results;
}

function httpUrl(address: unknown): URL | undefined {
  const url = typeof address === 'string' ? URL.parse(address.trim()) : null;
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined;
}

/** The same page under http and https, with and without `www.`, anchor or last slash. */
function identity(url: URL): string {
  return `${url.hostname.replace(/^www\./, '')}:${url.port}${url.pathname.replace(/\/$/, '')}${url.search}`;
}

/** Only tags that engines put into snippets: `Map<String>` is text and must stay. Tags go before entities, so that `&lt;b&gt;` stays too. */
const MARKUP =
  /<\/?(?:a|b|br|code|div|em|font|h[1-6]|i|img|li|mark|ol|p|pre|small|span|strong|sub|sup|table|tbody|td|th|tr|u|ul|wbr)(?:\s[^<>]*)?\/?>/gi;

function plainText(value: unknown, decodeHtml: (text: string) => string): string {
  if (typeof value !== 'string') return '';
  const untagged = withoutElements(value, ['script', 'style'], { replacement: ' ' }).replace(MARKUP, (tag) =>
    /^<\/?(?:br|p|div|li|td|th|tr|h\d)\b/i.test(tag) ? ' ' : '',
  );
  return decodeHtml(untagged).replace(/\s+/g, ' ').trim();
}

import { findAddresses } from '../lib/addresses.ts';
import type { Citation, Source } from './model.ts';
import type { RetrievedSource } from './tool.ts';

/** Longest text kept of one source. */
const MAX_CONTENT = 24_000;
const SNIPPET = 500;
/** A report cites no more addresses. */
const MAX_ADDRESSES = 10_000;

/** Collects what a run retrieved, one entry per address, numbered in the order given. */
export class SourceRegistry {
  readonly #byAddress = new Map<string, Source>();

  add(retrieved: RetrievedSource[]): void {
    for (const source of retrieved) {
      const key = sourceKey(source);
      if (key === undefined) continue;
      const known = this.#byAddress.get(key);
      if (!known) {
        const { url, title, content, score, accessedAt, kind } = source;
        const text = content.slice(0, MAX_CONTENT);
        this.#byAddress.set(key, {
          number: this.#byAddress.size + 1,
          url,
          title,
          content: text,
          score,
          accessedAt,
          kind,
        });
      } else this.#merge(known, source);
    }
  }

  list(): Source[] {
    return [...this.#byAddress.values()];
  }

  #merge(known: Source, source: RetrievedSource): void {
    if (source.kind === 'crawl' && known.kind === 'web_search') {
      // The page itself says more than the search engine's snippet of it.
      known.content = source.content.slice(0, MAX_CONTENT);
      known.kind = 'crawl';
    } else if (!known.content.includes(source.content)) {
      known.content = `${known.content}\n\n${source.content}`.slice(0, MAX_CONTENT);
    }
    if (known.title === '' || known.title === known.url) known.title = source.title;
    known.score = Math.max(known.score ?? 0, source.score ?? 0) || null;
  }
}

/** What counts as one source: a page, or one passage of a document (its fragment says where it stands). */
function sourceKey({ url, kind }: Pick<RetrievedSource, 'url' | 'kind'>): string | undefined {
  return kind === 'knowledge' ? url : normalizeAddress(url);
}

/** The form in which addresses are compared: no fragment, no trailing slash, lower-case scheme and host; undefined for what is none. */
export function normalizeAddress(url: string): string | undefined {
  const trimmed = url.trim();
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return undefined;
  const withoutFragment = trimmed.replace(/#.*$/s, '');
  try {
    return new URL(withoutFragment).href.replace(/\/$/, '');
  } catch {
    return undefined;
  }
}

/** A check of addresses against those retrieved. */
export function createCitable(urls: Iterable<string>): (url: string) => boolean {
  const known = new Set<string>();
  for (const url of urls) {
    const address = normalizeAddress(url);
    if (address !== undefined) known.add(address);
  }
  return (url) => {
    const address = normalizeAddress(url);
    return address !== undefined && known.has(address);
  };
}

/** The payload of the `citations` event: sources the report links to first, then the others it was written from. */
export function buildCitations(sources: Source[], report: string): Citation[] {
  const cited = new Set<string>();
  for (const written of findAddresses(report, MAX_ADDRESSES)) {
    const address = normalizeAddress(written);
    if (address !== undefined) cited.add(address).add(written);
  }
  const numbers = new Set([...report.matchAll(/\[(\d{1,3})\]/g)].map((match) => Number(match[1])));
  const isCited = (source: Source) => cited.has(sourceKey(source) ?? '') || numbers.has(source.number);
  const ordered = [...sources.filter(isCited), ...sources.filter((source) => !isCited(source))];
  return ordered.slice(0, 100).map((source) => ({
    url: source.url,
    title: source.title || source.url,
    description: firstSentence(source.content),
    content_snippet: source.content.slice(0, SNIPPET).toWellFormed(),
    domain: hostOf(source.url),
    relevance_score: source.score,
    accessed_at: source.accessedAt,
    source_type: source.kind,
  }));
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
}

function firstSentence(text: string): string {
  const plain = text
    .replace(/^#+ .*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  const match = /^.{20,280}?[.!?。！？](?=\s|$)/u.exec(plain);
  return match ? match[0] : plain.slice(0, 200).toWellFormed();
}

import { findOuterLinks, labelOf, targetOf } from '../lib/markdown-links.ts';
import type { UrlCitation } from './model.ts';

/** A source the answer may rest on. */
export interface KnownSource {
  url: string;
  title: string;
}

/** The Markdown links of `text` to known sources, as OpenAI's annotations. */
export function annotate(text: string, sources: readonly KnownSource[]): UrlCitation[] {
  const titles = new Map(sources.map(({ url, title }) => [comparable(url), title]));
  const annotations: UrlCitation[] = [];
  for (const link of findOuterLinks(text)) {
    const url = targetOf(text, link);
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) continue;
    const title = titles.get(comparable(url)) ?? titles.get(comparable(withoutFragment(url)));
    if (title === undefined) continue;
    annotations.push({
      type: 'url_citation',
      url_citation: { url, title: title || labelOf(text, link), start_index: link.start, end_index: link.end },
    });
  }
  return annotations;
}

/**
 * A list of the sources that an answer refers to by number only (`[1]`), so that they are in the text; empty when it
 * does not. `citations` has those that are referred to first.
 */
export function listNumberedSources(text: string, citations: readonly KnownSource[]): string {
  const numbers = [...text.matchAll(/\[(\d{1,3})\]/g)].map((match) => Number(match[1]));
  const known = new Set(numbers.filter((number) => number >= 1 && number <= citations.length));
  const cited = citations.slice(0, known.size);
  if (cited.length === 0) return '';
  const lines = cited.map(({ url, title }) => `- [${plainLabel(title || url)}](${url})`);
  return `\n\nSources:\n\n${lines.join('\n')}`;
}

function plainLabel(title: string): string {
  return title.replaceAll(/[[\]\n]+/g, ' ').trim();
}

function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '');
}

function comparable(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/$/, '') : url;
}

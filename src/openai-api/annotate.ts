import type { UrlCitation } from './model.ts';

/** A source the answer may rest on. */
export interface KnownSource {
  url: string;
  title: string;
}

/** Sources named at the end of an answer that links to none of them. */
const MAX_LISTED = 10;
// A label may hold one level of brackets, an address one level of parentheses.
const LINK = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(<?([a-z][a-z0-9+.-]*:\/\/(?:[^\s()<>]|\([^\s()]*\))+)>?(?:\s+"[^"]*")?\)/gi;

/** The Markdown links of `text` to known sources, as OpenAI's annotations. */
export function annotate(text: string, sources: readonly KnownSource[]): UrlCitation[] {
  const titles = new Map(sources.map(({ url, title }) => [comparable(url), title]));
  const annotations: UrlCitation[] = [];
  for (const match of text.matchAll(LINK)) {
    const [whole, label, url] = match as unknown as [string, string, string];
    const title = titles.get(comparable(url)) ?? titles.get(comparable(withoutFragment(url)));
    if (title === undefined) continue;
    annotations.push({
      type: 'url_citation',
      url_citation: { url, title: title || label, start_index: match.index, end_index: match.index + whole.length },
    });
  }
  return annotations;
}

/** A list of sources for an answer that has citations but no link to any of them; empty when there are none. */
export function listSources(sources: readonly KnownSource[]): string {
  if (sources.length === 0) return '';
  const lines = sources.slice(0, MAX_LISTED).map(({ url, title }) => `- [${labelOf(title || url)}](${url})`);
  return `\n\nSources:\n\n${lines.join('\n')}`;
}

function labelOf(title: string): string {
  return title.replaceAll(/[[\]\n]+/g, ' ').trim();
}

function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '');
}

function comparable(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/$/, '') : url;
}

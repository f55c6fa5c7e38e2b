import { withoutSchemes } from '../../lib/addresses.ts';
import type { QuoteSource } from './corpus.ts';
import type { Quote } from './passage.ts';

/** `[title](url)` with a title that cannot break out of the link. */
export function link(source: { title: string; url: string }): string {
  const title = withoutSchemes(source.title.slice(0, 500))
    .replace(/[[\]`*_<>|\\\r\n\t\u0000-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const short = [...title].length > 120 ? `${[...title].slice(0, 119).join('')}…` : title;
  return `[${short || new URL(source.url).host || 'source'}](${target(source.url)})`;
}

/** One quote as a Markdown block with its citation on the same line. */
export function citeQuote(quote: Quote): string {
  return `> "${quote.text}" — ${link(quote)}`;
}

/** The source behind a quote; the title of a link has no brackets (`link` takes them out). */
const CITED = /" — \[([^[\]\n]*)\]\(<?([^\s<>]+)>?\)$/m;

/** Reads back the quotes that `citeQuote` wrote. */
export function readQuotes(markdown: string): { text: string; title: string; url: string }[] {
  const [, ...quotes] = `\n${markdown}`.split('\n> "');
  return quotes.flatMap((quote) => {
    const source = CITED.exec(quote);
    return source && source.index > 0
      ? [{ text: quote.slice(0, source.index), title: source[1] as string, url: source[2] as string }]
      : [];
  });
}

/** Sources with an address that may be linked and a text; script-like schemes and broken addresses are left out. */
export function citable<T extends QuoteSource>(sources: T[]): T[] {
  return sources.filter((source) => source.content.trim() !== '' && isLinkable(source.url));
}

function isLinkable(url: string): boolean {
  return (
    /^[a-z][a-z0-9+._-]*:\/\/[^\s<>"\\^`{|}]+$/i.test(url) &&
    !/^(?:javascript|vbscript|data|file|blob):/i.test(url) &&
    URL.canParse(url)
  );
}

function target(url: string): string {
  let depth = 0;
  for (const character of url) {
    if (character === '(') depth++;
    if (character === ')' && --depth < 0) break;
  }
  return depth === 0 ? url : `<${url}>`;
}

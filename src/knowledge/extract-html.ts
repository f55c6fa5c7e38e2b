import { withoutElements } from '../lib/html-source.ts';
import { readableText } from '../text/decode.ts';
import type { ExtractedDocument } from './document.ts';
import { htmlToText } from './html-to-text.ts';
import { tooComplex, unreadable } from './ingest-errors.ts';

/** Never text, and often most of the bytes: dropped before nodes are built for them. */
const DEAD_WEIGHT = ['script', 'style', 'svg', 'noscript'];
const DATA_SOURCE = /\bsrc\s*=\s*(?:"data:[^"]*"|'data:[^']*')/gi;

/** Start tags of a page: some 2 KB of memory and 10 µs each; a page of 10 MB that people read has half of it. */
const MAX_ELEMENTS = 500_000;

/** Reads an HTML page: the visible text without navigation, preferring `<main>` or `<article>` when it holds most of it. */
export async function extractHtml(bytes: Uint8Array, mediaType?: string): Promise<ExtractedDocument> {
  const source = readableText(bytes, mediaType);
  if (source === undefined) throw unreadable('The file is not an HTML page.');
  return extractHtmlText(source);
}

/** The same for HTML that is already text. */
export async function extractHtmlText(source: string): Promise<ExtractedDocument> {
  const { parseHTML } = await import('linkedom');
  const html = withoutElements(source, DEAD_WEIGHT).replace(DATA_SOURCE, '');
  if (countStartTags(html) > MAX_ELEMENTS) throw tooComplex(`The page has more than ${MAX_ELEMENTS} elements.`);
  const { document } = parseHTML(/<(html|body|head)[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  const meta = (name: string) =>
    clean(document.querySelector(`meta[name="${name}"], meta[property="og:${name}"]`)?.getAttribute('content'));
  const whole = htmlToText(document.body ?? document.documentElement);
  const main = document.querySelector('main, [role="main"], article');
  const focused = main ? htmlToText(main) : '';
  return {
    title: clean(document.querySelector('title')?.textContent) ?? clean(document.querySelector('h1')?.textContent),
    description: meta('description'),
    text: focused.length > whole.length * 0.5 ? focused : whole,
    syntax: 'markdown',
  };
}

function countStartTags(html: string): number {
  let count = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    const next = html.charCodeAt(at + 1) | 0x20;
    if (next >= 0x61 && next <= 0x7a) count++;
  }
  return count;
}

function clean(value: string | null | undefined): string | undefined {
  return value?.replace(/\s+/g, ' ').trim() || undefined;
}

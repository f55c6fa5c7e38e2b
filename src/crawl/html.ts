import { cutRanges, Finder } from '../lib/cut-ranges.ts';
import { withoutElements } from '../lib/html-source.ts';
import { createMarkdownWriter } from './html-to-markdown.ts';

export interface ReadablePage {
  title: string;
  /** Empty when the page has no text. */
  markdown: string;
}

/** Never content: code, forms, furniture, and what the page hides from its readers (a place for injected instructions). */
const NOISE =
  'script:not([type="application/ld+json"]), style, noscript, template, iframe, object, embed, canvas, svg, dialog, ' +
  'button, input, select, textarea, nav, [role="navigation"], [role="banner"], [role="contentinfo"], body > footer, [hidden], [aria-hidden="true"]';
const FURNITURE = 'script, header, footer, aside';
/** Blocks without text, dropped before the parser builds nodes for them (structured data is kept for Readability). */
const BLOCKS = ['script', 'style', 'svg', 'noscript'];
/** The page's own frame, which is replaced. */
const FRAME = /<\?xml\b|<!doctype\b|<\/?(?:html|head|body)(?=[\s>])/gi;
/** Longer pages are cut here: it bounds the parser's time and memory (about 200 bytes a character), and no model reads so far. */
const MAX_HTML_LENGTH = 1_000_000;
/** Below this the readability score is not trusted and the whole body is taken when it holds more. */
const SHORT_ARTICLE = 500;

/**
 * Reads the main text of an HTML page as Markdown with absolute links. Pure, but heavy on large pages: call it in a
 * worker. `url` resolves relative links.
 */
export async function readHtml(html: string, url: string): Promise<ReadablePage> {
  const { Readability } = await import('@mozilla/readability');
  const toMarkdown = await createMarkdownWriter();
  const document = await parseDocument(html, url);
  const title = cleanLine(document.querySelector('title')?.textContent);
  const heading = cleanLine(document.querySelector('h1')?.textContent);
  const article = new Readability(document, {
    keepClasses: true,
    serializer: (node) => node as Element,
  }).parse();
  let markdown = article?.content ? toMarkdown(article.content) : '';
  if (markdown.length < SHORT_ARTICLE) {
    // Readability takes the document apart, so the whole body needs a fresh one.
    const { body } = await parseDocument(html, url);
    for (const node of [...body.querySelectorAll(FURNITURE)]) node.remove();
    const whole = toMarkdown(body);
    if (whole.length > 2 * markdown.length) markdown = whole;
  }
  return { title: cleanLine(article?.title) || title || heading, markdown };
}

/** A document with exactly one head and body, since the parser builds only what the source spells out. */
async function parseDocument(html: string, url: string): Promise<Document> {
  const { parseHTML } = await import('linkedom');
  const text = withoutElements(html, BLOCKS, { keeps: (tag) => tag.includes('ld+json') }).slice(0, MAX_HTML_LENGTH);
  const ends = new Finder(text, '>');
  const inner = cutRanges(text, FRAME, ({ index }) => (ends.next(index) < 0 ? undefined : ends.next(index) + 1));
  const { document } = parseHTML(`<!doctype html><html><head></head><body>${inner}</body></html>`);
  for (const node of [...document.querySelectorAll(NOISE)]) node.remove();
  for (const node of [...document.querySelectorAll('[style]')])
    if (/display\s*:\s*none|visibility\s*:\s*hidden/i.test(node.getAttribute('style') ?? '')) node.remove();
  for (const node of [...document.querySelectorAll('title, meta, base, link')]) document.head.append(node);
  makeLinksAbsolute(document, url);
  return document;
}

function makeLinksAbsolute(document: Document, pageUrl: string): void {
  const base = resolve(document.querySelector('base')?.getAttribute('href') ?? '', pageUrl) ?? pageUrl;
  for (const [selector, attribute] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const)
    for (const node of [...document.querySelectorAll(selector)]) {
      const target = resolve(node.getAttribute(attribute) ?? '', base);
      if (target === undefined) node.removeAttribute(attribute);
      else node.setAttribute(attribute, target);
    }
}

/** The absolute http(s) form; undefined for anchors of other schemes (`javascript:`, `data:`, `mailto:`). */
function resolve(reference: string, base: string): string | undefined {
  const url = URL.parse(reference.trim(), base);
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : undefined;
}

function cleanLine(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}

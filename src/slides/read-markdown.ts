import { Lexer, type Token, type Tokens } from 'marked';
import { isTameInline } from '../lib/tame-markdown.ts';
import { cleanText, escapeMarkdown, plainText } from './inline.ts';
import { imagesOf, isPseudoHeading, sentencesOf, withoutFrontMatter, withoutTags } from './markdown-text.ts';
import type { Bullet, ImageReference } from './model.ts';
import type { TableText } from './table-chart.ts';

/** A part of a document that asks for its own kind of slide. */
export type Block =
  | { type: 'points'; bullets: Bullet[] }
  | { type: 'table'; table: TableText }
  | { type: 'quote'; text: string; attribution?: string }
  | { type: 'code'; language: string; code: string }
  | { type: 'formula'; formula: string }
  | { type: 'image'; image: number; caption: string };

export interface Link {
  text: string;
  url: string;
}

/** What stands under one heading, up to the next. */
export interface Topic {
  /** Plain text; empty before the first heading. */
  title: string;
  /** 0 before the first heading, else that of the heading. */
  depth: number;
  blocks: Block[];
  links: Link[];
}

export interface MarkdownDocument {
  topics: Topic[];
  images: ImageReference[];
}

const MAX_LEVEL = 2;
const MAX_NESTING = 12;
const MAX_ATTRIBUTION = 120;
const DATA_URL = /data:image\/[\w.+-]{1,40};base64,[A-Za-z0-9+/=]{100,}/g;

/** Reads Markdown into its headings and what stands under each. Text no parser can take is read as plain paragraphs. */
export function readMarkdown(content: string): MarkdownDocument {
  const data: string[] = [];
  // Megabytes of base64 are kept from the parser.
  const text = withoutFrontMatter(cleanText(content)).replace(DATA_URL, (url) => `data:image;${data.push(url) - 1}`);
  const lexer = new Lexer({ gfm: true });
  const reader = new Reader(lexer, data);
  let tokens: Token[];
  try {
    // Blocks only: text is looked into where it is short enough, for the parser takes minutes on hostile emphasis.
    tokens = lexer.blockTokens(text.replace(/\r\n?/g, '\n'), []);
  } catch (error) {
    // Nesting thousands deep exhausts the stack of any parser.
    if (!(error instanceof Error)) throw error;
    reader.addPlain(text);
    return reader.done();
  }
  reader.add(tokens, 0);
  return reader.done();
}

class Reader {
  readonly #lexer: Lexer;
  readonly #data: readonly string[];
  readonly #topics: Topic[] = [{ title: '', depth: 0, blocks: [], links: [] }];
  readonly #images: ImageReference[] = [];

  constructor(lexer: Lexer, data: readonly string[]) {
    this.#lexer = lexer;
    this.#data = data;
  }

  done(): MarkdownDocument {
    return { topics: this.#topics, images: this.#images };
  }

  addPlain(text: string): void {
    for (const paragraph of text.split(/\n\s*\n/)) this.#addText(escapeMarkdown(paragraph));
  }

  add(tokens: Token[], nesting: number): void {
    for (const token of tokens) this.#addToken(token, nesting);
  }

  get #topic(): Topic {
    return this.#topics.at(-1)!;
  }

  #addToken(token: Token, nesting: number): void {
    switch (token.type) {
      case 'heading':
        this.#collectLinks(this.#inline(token['text']));
        this.#topics.push({ title: plainText(token['text']), depth: token['depth'], blocks: [], links: [] });
        return;
      case 'paragraph':
        this.#addParagraph(token as Tokens.Paragraph);
        return;
      case 'text':
        this.#addText(token['text']);
        return;
      case 'list':
        this.#addList(token as Tokens.List, 0);
        return;
      case 'table':
        this.#addTable(token as Tokens.Table);
        return;
      case 'blockquote':
        this.#addQuote(token as Tokens.Blockquote, nesting);
        return;
      case 'code':
        this.#addCode(token['text'], token['lang'] ?? '');
        return;
      case 'html':
        this.#addHtml(token.raw);
        return;
      case 'def':
        this.#topic.links.push({ text: token['title'] || token['tag'], url: token['href'] });
        return;
      default:
        // Blank lines and rules say nothing.
        return;
    }
  }

  #addParagraph(token: Tokens.Paragraph): void {
    const tokens = this.#inline(token.text);
    this.#collectLinks(tokens);
    const images = imagesOf(tokens);
    let text = token.raw;
    for (const image of images) text = text.replace(image.raw, '');
    const formula = /^\s*(?:\$\$([\s\S]+)\$\$|\\\[([\s\S]+)\\\])\s*$/.exec(text);
    if (formula) this.#topic.blocks.push({ type: 'formula', formula: (formula[1] ?? formula[2])!.trim() });
    else if (isPseudoHeading(token.text, tokens)) {
      this.#topics.push({ title: plainText(text).replace(/[:：]$/, ''), depth: 7, blocks: [], links: [] });
    } else this.#addText(text);
    for (const image of images) this.#addImage(image.href, image.text);
  }

  #addText(raw: string): void {
    const text = raw.trim();
    if (text === '') return;
    const lines = text.split('\n');
    // "[1]: address" and footnotes that are no link definitions.
    const isNotes = lines.every((line) => /^\[\^?[\w-]+\]:\s/.test(line));
    const pieces = isNotes ? lines : sentencesOf(text);
    this.#addBullets(pieces.map((piece) => ({ text: piece })));
  }

  #addBullets(bullets: Bullet[]): void {
    if (bullets.length === 0) return;
    const last = this.#topic.blocks.at(-1);
    if (last?.type === 'points') last.bullets.push(...bullets);
    else this.#topic.blocks.push({ type: 'points', bullets });
  }

  #addList(list: Tokens.List, level: number): void {
    // A line that ends in a colon leads the list in.
    const before = this.#topic.blocks.at(-1);
    const isLedIn = level === 0 && before?.type === 'points' && /[:：]\**$/.test(before.bullets.at(-1)!.text);
    this.#addItems(list, isLedIn ? 1 : level);
  }

  #addItems(list: Tokens.List, level: number): void {
    let number = typeof list.start === 'number' ? list.start : 1;
    for (const item of list.items) {
      const inline: string[] = [];
      const nested: Token[] = [];
      const images: Tokens.Image[] = [];
      for (const token of item.tokens) {
        if (token.type === 'text' || token.type === 'paragraph') {
          let words = 'text' in token ? String(token.text) : token.raw;
          const tokens = this.#inline(words);
          this.#collectLinks(tokens);
          for (const image of imagesOf(tokens)) {
            images.push(image);
            words = words.replace(image.raw, () => image.text);
          }
          inline.push(words);
        } else if (token.type === 'checkbox') inline.push(item.checked ? '☑' : '☐');
        else nested.push(token);
      }
      const text = inline.join(' ').trim();
      if (text !== '')
        this.#addBullets([
          {
            text,
            ...(level > 0 ? { level: Math.min(level, MAX_LEVEL) } : {}),
            ...(list.ordered ? { number: number++ } : {}),
          },
        ]);
      for (const image of images) this.#addImage(image.href, image.text);
      for (const token of nested) {
        if (token.type === 'list' && level < MAX_NESTING) this.#addItems(token as Tokens.List, level + 1);
        else this.#addToken(token, level + 1);
      }
    }
  }

  #addTable(token: Tokens.Table): void {
    for (const cell of [...token.header, ...token.rows.flat()]) this.#collectLinks(this.#inline(cell.text));
    const header = token.header.map((cell) => cell.text);
    const rows = token.rows.map((row) => row.map((cell) => cell.text));
    if (rows.length > 0) this.#topic.blocks.push({ type: 'table', table: { header, rows } });
    else this.#addBullets([{ text: header.join(' · ') }]);
  }

  #addQuote(token: Tokens.Blockquote, nesting: number): void {
    const isProse = token.tokens.every((inner) => inner.type === 'paragraph' || inner.type === 'space');
    const text = token.tokens
      .map((inner) => (inner.type === 'paragraph' ? inner.raw.trim() : ''))
      .filter(Boolean)
      .join('\n');
    const alert = /^\[!(\w+)\]\s*/.exec(text);
    if (!isProse || alert) {
      if (alert && isProse)
        this.#addText(text.replace(alert[0], `**${alert[1]![0]}${alert[1]!.slice(1).toLowerCase()}:** `));
      else if (nesting < MAX_NESTING) this.add(token.tokens, nesting + 1);
      else this.#addText(escapeMarkdown(token.raw.replace(/^[>\s]+/gm, '')));
      return;
    }
    for (const inner of token.tokens) if (inner.type === 'paragraph') this.#collectLinks(this.#inline(inner['text']));
    if (text === '') return;
    const { words, attribution } = splitAttribution(text);
    this.#topic.blocks.push({
      type: 'quote',
      text: words.replace(/\n/g, ' '),
      ...(attribution ? { attribution: plainText(attribution) } : {}),
    });
  }

  #addCode(code: string, language: string): void {
    if (code.trim() === '') return;
    if (/^(?:math|latex|tex)$/i.test(language)) this.#topic.blocks.push({ type: 'formula', formula: code.trim() });
    else
      this.#topic.blocks.push({
        type: 'code',
        language: language.split(/\s/)[0]!.slice(0, 30),
        code: code.trimEnd(),
      });
  }

  #addHtml(raw: string): void {
    for (const match of raw.matchAll(/<img\b[^<>]{0,2000}>/gi)) {
      const source = /\bsrc\s*=\s*["']?([^"'\s>]+)/i.exec(match[0])?.[1];
      if (source) this.#addImage(source, /\balt\s*=\s*["']([^"']*)/i.exec(match[0])?.[1] ?? '');
    }
    const text = withoutTags(raw);
    this.#addText(text);
  }

  #addImage(source: string, alt: string): void {
    const place = /^data:image;(\d+)$/.exec(source)?.[1];
    this.#images.push({
      source: place === undefined ? source : (this.#data[Number(place)] ?? source),
      alt: plainText(alt),
    });
    this.#topic.blocks.push({ type: 'image', image: this.#images.length, caption: alt });
  }

  /** The inline parts of a text; of a text without links and images, or too hard for the parser, none. */
  #inline(text: string): Token[] {
    const isWorthIt = /\[|:\/\/|www\.|\*\*|__/.test(text) && isTameInline(text);
    return isWorthIt ? this.#lexer.inlineTokens(text, []) : [];
  }

  #collectLinks(tokens: Token[] | undefined, depth = 0): void {
    for (const token of tokens ?? []) {
      if (token.type === 'link' && /^https?:\/\//i.test(token['href']))
        this.#topic.links.push({ text: plainText(token['text']), url: token['href'] });
      else if ('tokens' in token && depth < MAX_NESTING) this.#collectLinks(token.tokens, depth + 1);
    }
  }
}

/** A quotation and who said it: what stands behind a dash at its end, on one line. */
function splitAttribution(text: string): { words: string; attribution?: string } {
  const from = Math.max(text.lastIndexOf('\n'), text.length - MAX_ATTRIBUTION - 4, 0);
  for (const { 0: dash, index } of text.slice(from).matchAll(/\s(?:—|–|--)/g)) {
    const attribution = text.slice(from + index + dash.length).trim();
    if (attribution.length >= 2 && attribution.length <= MAX_ATTRIBUTION)
      return { words: text.slice(0, from + index).trim(), attribution };
  }
  return { words: text };
}

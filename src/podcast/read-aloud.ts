import type { MarkedToken, Token, Tokens } from 'marked';
import { userError } from '../errors.ts';
import { splitText } from '../lib/split-text.ts';
import { guessLocale } from './language.ts';
import type { Script, ScriptLine } from './model.ts';
import { isSayable, speakable } from './speakable.ts';

export interface ReadAloudOptions {
  locale: string | null;
  /** Longest content. */
  maxCharacters: number;
}

/** A turn is about this long, UTF-8 bytes: long enough to follow, short enough to hear two voices. */
const TURN_BYTES = 600;
/** Sections that list addresses and are of no use to a listener. */
const LISTS_OF_SOURCES =
  /^(?:key citations|citations|references|sources|bibliography|quellen|références|fuentes|参考文献|引用|来源|参考资料|出典)$/i;
const MAX_DEPTH = 20;

/**
 * Makes a script without a language model: the text itself, read by the two voices in turns, its headings as chapters.
 * Markup, code, addresses and lists of sources are left out. Throws `content_too_long` or `nothing_to_read` (422).
 */
export async function readAloud(content: string, options: ReadAloudOptions): Promise<Script> {
  if (content.length > options.maxCharacters)
    throw userError(
      'content_too_long',
      422,
      `The content has ${content.length} characters; without a language model at most ${options.maxCharacters} are read aloud (podcast.max_characters).`,
    );
  const { lexer } = await import('marked');
  const reader = new Reader();
  reader.blocks(lexer(content.replace(/^---\r?\n[\s\S]{0,4000}?\n---\s*\n/, '')), 0);
  const lines = reader.lines;
  if (lines.length === 0) throw userError('nothing_to_read', 422, 'The content has no text that can be read aloud.');
  return { locale: options.locale ?? guessLocale(content), title: reader.title ?? titleOf(lines[0]!), lines };
}

class Reader {
  readonly lines: ScriptLine[] = [];
  title: string | undefined;
  /** A heading that waits for its first line. */
  #chapter = '';
  #skips = false;

  blocks(tokens: readonly Token[], depth: number): void {
    if (depth > MAX_DEPTH) return;
    for (const token of tokens as MarkedToken[]) {
      if (token.type === 'heading') this.#heading(token);
      else if (this.#skips) continue;
      else if (token.type === 'list') for (const item of token.items) this.blocks(item.tokens, depth + 1);
      else if (token.type === 'blockquote') this.blocks(token.tokens, depth + 1);
      else if (token.type === 'table') for (const row of token.rows) this.#say(rowText(token, row));
      else if (token.type === 'paragraph' || token.type === 'text') this.#say(speakable(inlineText(token)));
    }
    if (depth === 0) this.#flushHeading();
  }

  #heading(token: Tokens.Heading): void {
    this.#flushHeading();
    const text = speakable(inlineText(token));
    this.#skips = LISTS_OF_SOURCES.test(text);
    if (this.#skips || !isSayable(text)) return;
    this.title ??= text.slice(0, 200);
    this.#chapter = text;
  }

  #say(text: string): void {
    if (!isSayable(text)) return;
    // Told apart from what follows, a heading is read as a sentence of its own.
    const heading = this.#chapter;
    const whole = heading ? `${asSentence(heading)} ${asSentence(text)}` : asSentence(text);
    for (const paragraph of splitText(whole, TURN_BYTES)) this.#line(paragraph);
  }

  /** A heading without text below it is a line of its own. */
  #flushHeading(): void {
    if (this.#chapter) this.#line(asSentence(this.#chapter));
  }

  #line(paragraph: string): void {
    if (!isSayable(paragraph)) return;
    const speaker = this.lines.at(-1)?.speaker === 'male' ? 'female' : 'male';
    this.lines.push({ speaker, paragraph, ...(this.#chapter ? { chapter: this.#chapter.slice(0, 200) } : {}) });
    this.#chapter = '';
  }
}

/** `Column: value` of each cell, so that a row can be followed by ear. */
function rowText(table: Tokens.Table, row: Tokens.TableCell[]): string {
  const cells = row.map((cell, index) => {
    const value = speakable(inlineText(cell));
    const column = speakable(inlineText(table.header[index] ?? cell));
    return value && column && column !== value && index > 0 ? `${column}: ${value}` : value;
  });
  return cells.filter(isSayable).join(', ');
}

/** The text of a token without its marks: links by their words, images left out, line breaks as spaces. */
function inlineText(token: { tokens?: Token[] | undefined; text?: string }): string {
  if (!token.tokens) return token.text ?? '';
  return (token.tokens as MarkedToken[])
    .map((part) => {
      if (part.type === 'image' || part.type === 'html') return ' ';
      if (part.type === 'br') return ' ';
      if (part.type === 'link' && /^(?:https?:|www\.|mailto:)/.test(part.text)) return ' ';
      if ('tokens' in part && part.tokens) return inlineText(part);
      return 'text' in part ? part.text : '';
    })
    .join('');
}

function asSentence(text: string): string {
  return /[\p{P}]$/u.test(text) && !/[,;–—-]$/.test(text) ? text : `${text.replace(/[,;–—-]+$/, '')}.`;
}

function titleOf(line: ScriptLine): string {
  const words = line.paragraph.slice(0, 60).toWellFormed();
  return line.paragraph.length > 60 ? `${words.replace(/\s+\S*$/, '')}…` : words;
}

import { fail } from '../errors.ts';
import { type MarkdownBlock, readMarkdownBlocks } from '../lib/markdown-blocks.ts';
import { withoutLastWord } from '../lib/trim.ts';
import { guessLocale } from '../text/locale.ts';
import { splitText } from '../text/split-text.ts';
import type { Script, ScriptLine } from './model.ts';
import { isSayable, speakable } from './speakable.ts';

export interface ReadAloudOptions {
  locale: string | null;
  /** Longest content. */
  maxCharacters: number;
}

/** A turn is about this long, UTF-8 bytes: long enough to follow, short enough to hear two voices. */
const TURN_BYTES = 600;
const MAX_TITLE = 200;
/** Sections that list addresses and are of no use to a listener. */
const LISTS_OF_SOURCES =
  /^(?:key citations|citations|references|sources|bibliography|quellen|références|fuentes|参考文献|引用|来源|参考资料|出典)$/i;

/**
 * Makes a script without a language model: the text itself, read by the two voices in turns, its headings as chapters.
 * Markup, code, addresses and lists of sources are left out. Throws `content_too_long` or `nothing_to_read` (422).
 */
export function readAloud(content: string, options: ReadAloudOptions): Script {
  if (content.length > options.maxCharacters)
    throw fail(
      'content_too_long',
      `The content has ${content.length} characters; without a language model at most ${options.maxCharacters} are read aloud (podcast.max_characters).`,
    );
  const reader = new Reader();
  for (const block of readMarkdownBlocks(content)) reader.take(block);
  reader.flushHeading();
  const [first] = reader.lines;
  if (!first) throw fail('nothing_to_read', 'The content has no text that can be read aloud.');
  return {
    locale: options.locale ?? guessLocale(content),
    title: reader.title ?? firstWords(first),
    lines: reader.lines,
  };
}

class Reader {
  readonly lines: ScriptLine[] = [];
  title: string | undefined;
  /** A heading that waits for its first line. */
  #chapter = '';
  /** True below a heading whose text is not read. */
  #skips = false;

  take(block: MarkdownBlock): void {
    if (block.type === 'heading') this.#heading(speakable(block.text));
    else if (this.#skips || block.type === 'code') return;
    else if (block.type === 'row') this.#say(rowText(block.header.map(speakable), block.cells.map(speakable)));
    else this.#say(speakable(block.text));
  }

  /** A heading without text below it is a line of its own. */
  flushHeading(): void {
    if (this.#chapter) this.#line(asSentence(this.#chapter));
  }

  #heading(text: string): void {
    this.flushHeading();
    this.#skips = LISTS_OF_SOURCES.test(text);
    if (this.#skips || !isSayable(text)) return;
    this.title ??= text.slice(0, MAX_TITLE).toWellFormed();
    this.#chapter = text;
  }

  #say(text: string): void {
    if (!isSayable(text)) return;
    // Read as a sentence of its own, a heading is told apart from what follows.
    const whole = this.#chapter ? `${asSentence(this.#chapter)} ${asSentence(text)}` : asSentence(text);
    for (const paragraph of splitText(whole, TURN_BYTES)) this.#line(paragraph);
  }

  #line(paragraph: string): void {
    if (!isSayable(paragraph)) return;
    const speaker = this.lines.at(-1)?.speaker === 'male' ? 'female' : 'male';
    const chapter = this.#chapter.slice(0, MAX_TITLE).toWellFormed();
    this.lines.push({ speaker, paragraph, ...(chapter ? { chapter } : {}) });
    this.#chapter = '';
  }
}

/** `Column: value` of each cell behind the first, so that a row can be followed by ear. */
function rowText(header: string[], cells: string[]): string {
  const parts = cells.map((value, index) =>
    index > 0 && value && header[index] ? `${header[index]}: ${value}` : value,
  );
  return parts.filter(isSayable).join(', ');
}

/** The text with a full stop if it ends without a mark. */
function asSentence(text: string): string {
  const bare = text.replace(/[,;–—-]{1,20}$/, '');
  if (bare === text && /\p{P}$/u.test(text)) return text;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(bare) ? `${bare}。` : `${bare}.`;
}

function firstWords(line: ScriptLine): string {
  if (line.paragraph.length <= 60) return line.paragraph;
  return `${withoutLastWord(line.paragraph.slice(0, 60).toWellFormed())}…`;
}

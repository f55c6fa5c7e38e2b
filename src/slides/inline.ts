import { Lexer, type Token } from 'marked';
import { isTameInline } from '../lib/tame-markdown.ts';
import { convertMath } from './formula.ts';

/** A piece of text of one style. */
export interface Run {
  text: string;
  bold?: boolean;
  italic?: boolean;
  code?: boolean;
  strike?: boolean;
  /** Raised or lowered, and smaller. */
  script?: 'upper' | 'lower';
  /** A mark that points to a footnote; it is no part of the text. */
  isFootnote?: boolean;
  /** Address of a link; only references show it as one. */
  href?: string;
}

/** Characters XML 1.0 cannot hold, and directional overrides that make text read as something else. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;
/** Inline nesting beyond this is not looked into. */
const MAX_DEPTH = 8;

/** Text that is safe to put into XML: no control characters, no lone surrogates. */
export function cleanText(text: string): string {
  return text
    .replace(FORBIDDEN, '')
    .toWellFormed()
    .replace(/\ufffd/g, '');
}

/** Reads inline Markdown (bold, italic, code, links, formulas) into runs; anything else stays text. */
export function parseInline(markdown: string): Run[] {
  const text = cleanText(markdown).trim();
  if (text === '') return [];
  // Such texts hold no formatting worth the parser's time.
  if (!isTameInline(text)) return [{ text: collapse(text.replace(/\\([\\`*_[\]<>~$&])/g, '$1')) }];
  if (!/[*_`[\]<&\\~$!:]/.test(text)) return [{ text: collapse(text) }];
  const runs: Run[] = [];
  for (const part of convertMath(text)) {
    if (part.runs) runs.push(...part.runs);
    else addTokens(Lexer.lexInline(part.text), {}, runs, 0);
  }
  return mergeRuns(runs);
}

/** The text of inline Markdown without its formatting. */
export function plainText(markdown: string): string {
  return parseInline(markdown)
    .filter((run) => !run.isFootnote)
    .map((run) => run.text)
    .join('');
}

function addTokens(tokens: Token[], style: Omit<Run, 'text'>, runs: Run[], depth: number): void {
  for (const token of tokens) {
    const inner = 'tokens' in token && depth < MAX_DEPTH ? token.tokens : undefined;
    if (token.type === 'br') runs.push({ ...style, text: '\n' });
    else if (token.type === 'codespan') runs.push({ ...style, text: decode(token['text']), code: true });
    else if (token.type === 'image') runs.push({ ...style, text: decode(token['text']) });
    else if (token.type === 'html') addHtml(token.raw, style, runs);
    else if (token.type === 'link' && inner) addTokens(inner, { ...style, href: token['href'] }, runs, depth + 1);
    else if (token.type === 'strong' && inner) addTokens(inner, { ...style, bold: true }, runs, depth + 1);
    else if (token.type === 'em' && inner) addTokens(inner, { ...style, italic: true }, runs, depth + 1);
    else if (token.type === 'del' && inner) addTokens(inner, { ...style, strike: true }, runs, depth + 1);
    else if (inner) addTokens(inner, style, runs, depth + 1);
    else addText(decode('text' in token ? String(token.text) : token.raw), style, runs);
  }
}

/** Text with its footnote marks raised: `[^1]`, but not `[^1]:`, which begins the note itself. */
function addText(text: string, style: Omit<Run, 'text'>, runs: Run[]): void {
  for (const [index, piece] of text.split(/\[\^([\w-]{1,40})\](?!:)/).entries())
    runs.push(
      index % 2 === 0 ? { ...style, text: piece } : { ...style, text: piece, script: 'upper', isFootnote: true },
    );
}

function addHtml(raw: string, style: Omit<Run, 'text'>, runs: Run[]): void {
  if (/^<br\s*\/?>/i.test(raw)) runs.push({ ...style, text: '\n' });
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', '#39': "'" };

function decode(text: string): string {
  const decoded = text.replace(
    /&(#?\w{1,8});/g,
    (whole, name: string) => ENTITIES[name] ?? numericEntity(name) ?? whole,
  );
  // The parser decodes references to control characters too.
  return collapse(cleanText(decoded));
}

function numericEntity(name: string): string | undefined {
  const code = /^#x[0-9a-f]+$/i.test(name)
    ? Number.parseInt(name.slice(2), 16)
    : /^#\d+$/.test(name)
      ? Number(name.slice(1))
      : 0;
  return code > 31 && code <= 0x10ffff ? cleanText(String.fromCodePoint(code)) : undefined;
}

/** A line break in Markdown source is a space. */
function collapse(text: string): string {
  return text.replace(/[ \t\r\n]+/g, ' ');
}

function mergeRuns(runs: Run[]): Run[] {
  const merged: Run[] = [];
  for (const run of runs) {
    if (run.text === '') continue;
    const last = merged.at(-1);
    const same =
      last &&
      last.bold === run.bold &&
      last.italic === run.italic &&
      last.code === run.code &&
      last.strike === run.strike &&
      last.script === run.script &&
      last.isFootnote === run.isFootnote &&
      last.href === run.href;
    if (same) last.text += run.text;
    else merged.push({ ...run });
  }
  return merged;
}

/** Plain text as inline Markdown that reads the same. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>~$&]/g, '\\$&');
}

import { trimEnd } from '../../lib/trim.ts';
import { CJK_STOP, STOP_WORDS } from './stop-words.ts';

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー々';
const TOKEN = new RegExp(`[${CJK}]+|[[\\p{L}\\p{M}\\p{N}_]--[${CJK}]]+`, 'gv');
const IS_CJK = new RegExp(`[${CJK}]`, 'v');
const ALL_HIRAGANA = /^\p{Script=Hiragana}+$/u;

/** True when the text holds Chinese, Japanese or Korean characters. */
export function hasCjk(text: string): boolean {
  return IS_CJK.test(text);
}

/** A word of a text: the form that was written and the form that is compared. */
export interface Token {
  surface: string;
  /** Empty for a stop word. */
  term: string;
}

/** The words of a text in order, stop words kept with an empty term; CJK runs become overlapping pairs of characters. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const surface = match[0];
    if (IS_CJK.test(surface)) pushCjk(surface, tokens);
    else pushWord(surface, tokens);
  }
  return tokens;
}

/** The compared forms of the topic words, repeats kept. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const token of tokenize(text)) if (token.term) terms.push(token.term);
  return terms;
}

function pushWord(surface: string, tokens: Token[]): void {
  const word = surface.toLowerCase();
  if (word.includes('_')) {
    // Identifiers are found whole and by their parts: `on_disconnect` answers a question about disconnecting.
    tokens.push({ surface, term: trimEnd(word.replace(/^_+/, ''), /_/) });
    for (const part of word.split('_'))
      if (part.length > 2 && !STOP_WORDS.has(part)) tokens.push({ surface: part, term: stem(part) });
    return;
  }
  const isTopic = !STOP_WORDS.has(word) && (word.length > 1 || /\d/.test(word));
  tokens.push({ surface, term: isTopic ? stem(word) : '' });
}

function pushCjk(surface: string, tokens: Token[]): void {
  for (const run of surface.replace(CJK_STOP, ' ').split(' ')) {
    const characters = [...run];
    if (characters.length === 1) {
      if (!ALL_HIRAGANA.test(run)) tokens.push({ surface: run, term: run });
      continue;
    }
    for (let i = 0; i + 1 < characters.length; i++) {
      const pair = `${characters[i]}${characters[i + 1]}`;
      if (!ALL_HIRAGANA.test(pair)) tokens.push({ surface: pair, term: pair });
    }
  }
}

/**
 * A light stemmer: enough to let "continues", "continued" and "continuing" meet. It is not a dictionary; both sides of a
 * comparison pass through it, so only consistency counts.
 */
function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  let base = word;
  if (base.endsWith('ies') && base.length > 4) base = `${base.slice(0, -3)}y`;
  else if (/(ss|x|ch|sh|z)es$/.test(base)) base = base.slice(0, -2);
  else if (base.endsWith('s') && !/(ss|us|is)$/.test(base)) base = base.slice(0, -1);
  const suffix = /(?:ization|isation|ations?|ments?|ingly|edly|ing|ied|ed|ern|en|er|ly)$/.exec(base)?.[0];
  if (suffix && base.length - suffix.length >= 3 && /[aeiouyäöüéèáíóú]/.test(base.slice(0, -suffix.length))) {
    base = base.slice(0, -suffix.length);
    if (suffix === 'ied') base += 'y';
    if (/([bdfgklmnprt])\1$/.test(base)) base = base.slice(0, -1);
  }
  return base.length > 3 ? base.replace(/(?:e|y|i)$/, '') : base;
}

import { sentencesOf } from '../text/sentences.ts';

/** A shortened text has about this share of the characters. */
const SHARE = 0.5;
/** A heading, a list item's mark, or what else begins a line. */
const MARK = /^\s*(?:#{1,6}\s+|[-*+]\s+|\d{1,9}[.)]\s+|>\s?)/;

interface Sentence {
  text: string;
  line: number;
  index: number;
  words: string[];
  score: number;
}

/**
 * Shortens a text without a language model: the sentences that say most about what the whole is about, verbatim and in
 * their order, headings included. Undefined when there is nothing to leave out.
 */
export function shorten(text: string): string | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  const sentences = lines.flatMap(readLine).map((sentence, index) => ({ ...sentence, index, score: 0 }));
  if (sentences.length < 2) return undefined;
  rank(sentences);
  const total = sentences.reduce((sum, sentence) => sum + sentence.text.length, 0);
  const kept = new Set<Sentence>();
  let size = 0;
  for (const sentence of sentences.toSorted((a, b) => b.score - a.score || a.index - b.index)) {
    if (kept.size > 0 && size + sentence.text.length > total * SHARE) continue;
    kept.add(sentence);
    size += sentence.text.length;
  }
  return compose(lines, sentences, kept);
}

/** The sentences of a line; headings, tables and rules have none of their own. */
function readLine(line: string, number: number): Omit<Sentence, 'index' | 'score'>[] {
  if (/^\s*(?:#|\||```|~~~|[-*_=]{3,}\s*$)/.test(line)) return [];
  return sentencesOf(line.replace(MARK, '')).map((text) => ({ text, line: number, words: wordsOf(text) }));
}

/** What is said often is what the text is about; a sentence is worth the mean of its words, the first one a little more. */
function rank(sentences: Sentence[]): void {
  const counts = new Map<string, number>();
  for (const sentence of sentences)
    for (const word of new Set(sentence.words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const sentence of sentences) {
    const sum = sentence.words.reduce((all, word) => all + Math.log2(1 + (counts.get(word) ?? 0)), 0);
    sentence.score = (sum / Math.sqrt(sentence.words.length + 1)) * (sentence.index === 0 ? 1.3 : 1);
  }
}

function wordsOf(text: string): string[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
  return [...segmenter.segment(text.toLowerCase())]
    .filter(({ segment, isWordLike }) => isWordLike && (segment.length > 3 || /[^\x00-\x7f]/.test(segment)))
    .map(({ segment }) => segment);
}

/** Puts the kept sentences back into their lines; a heading goes with the text below it. */
function compose(lines: string[], sentences: Sentence[], kept: Set<Sentence>): string {
  const byLine = Map.groupBy(sentences, (sentence) => sentence.line);
  const result: string[] = [];
  for (const [number, line] of lines.entries()) {
    const own = byLine.get(number);
    if (!own) {
      if (line.trim() !== '' || result.at(-1) !== '') result.push(line);
      continue;
    }
    const left = own.filter((sentence) => kept.has(sentence));
    const isDense = /[\u3040-\u30ff\u3400-\u9fff]/.test(line);
    if (left.length > 0)
      result.push((MARK.exec(line)?.[0] ?? '') + left.map(({ text }) => text).join(isDense ? '' : ' '));
  }
  return withoutEmptySections(result).join('\n').trim();
}

function withoutEmptySections(lines: string[]): string[] {
  return lines.filter((line, index) => {
    if (!/^\s*#{1,6}\s/.test(line)) return true;
    const next = lines.slice(index + 1).find((each) => each.trim() !== '');
    return next !== undefined && !/^\s*#{1,6}\s/.test(next);
  });
}

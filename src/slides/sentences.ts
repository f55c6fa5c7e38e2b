import { splitSentences as splitAny } from '../text/sentences.ts';

/**
 * Splits inline Markdown into sentences; a border inside `**bold**`, `code`, a link or a formula is none, so every piece
 * is valid Markdown itself. Citation marks stay with the sentence they follow.
 */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let open: number | undefined;
  let marks = NO_MARKS;
  let last = 0;
  for (const { start, end } of splitAny(text)) {
    open ??= start;
    marks = addMarks(marks, text.slice(start, end));
    last = end;
    if (!isBalanced(marks)) continue;
    sentences.push(text.slice(open, end));
    open = undefined;
    marks = NO_MARKS;
  }
  return open === undefined ? sentences : [...sentences, text.slice(open, last)];
}

/** How often marks stand that come in pairs, and how many brackets are open. */
interface Marks {
  pairs: readonly number[];
  brackets: readonly number[];
}

const PAIRS = [/\*\*/g, /__/g, /(?<!\*)\*(?!\*)/g, /`/g];
const BRACKETS: [open: RegExp, close: RegExp][] = [
  [/\[/g, /\]/g],
  [/\(/g, /\)/g],
];
const NO_MARKS: Marks = { pairs: PAIRS.map(() => 0), brackets: BRACKETS.map(() => 0) };

function addMarks({ pairs, brackets }: Marks, text: string): Marks {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return {
    pairs: pairs.map((sum, index) => sum + count(PAIRS[index] as RegExp)),
    brackets: brackets.map((sum, index) => sum + count(BRACKETS[index]![0]) - count(BRACKETS[index]![1])),
  };
}

function isBalanced({ pairs, brackets }: Marks): boolean {
  return pairs.every((sum) => sum % 2 === 0) && brackets.every((sum) => sum === 0);
}

/** Length of a text as a reader sees it: a CJK character says about twice as much as a letter. */
export function visibleLength(text: string): number {
  return text.length + (text.match(/[\u2e80-\u9fff\uac00-\ud7a3]/g)?.length ?? 0);
}

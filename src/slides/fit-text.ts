import { parseInline, type Run } from './inline.ts';
import { bulletIndent, countLines } from './measure.ts';
import type { Area, Color, Paragraph } from './page.ts';

const POINTS = 72;

/** How the text of a deck is set. */
export interface Typesetting {
  /** Line height as a multiple of the font size; CJK needs more air. */
  lineHeight: number;
}

/** Line height for a locale. */
export function typesetting(locale: string): Typesetting {
  return { lineHeight: /^(?:zh|ja|ko)\b/.test(locale) ? 1.35 : 1.2 };
}

/** Height of paragraphs in a box of that width, inches; lines are set at an exact height, so this is what is drawn. */
export function paragraphsHeight(paragraphs: Paragraph[], width: number, { lineHeight }: Typesetting): number {
  let points = 0;
  const hanging = bulletIndent(paragraphs);
  for (const [index, paragraph] of paragraphs.entries()) {
    const indent = paragraph.bullet ? (hanging * ((paragraph.level ?? 0) + 1)) / POINTS : 0;
    const runs = paragraph.bold ? paragraph.runs.map((run) => ({ ...run, bold: true })) : paragraph.runs;
    const lines = countLines(runs, paragraph.size, width - indent);
    points += lines * paragraph.size * lineHeight + (index > 0 ? (paragraph.spaceBefore ?? 0) : 0);
  }
  return points / POINTS;
}

/** A text in the largest of the sizes in which it fits, or undefined when it fits in none. */
export function fitText(
  text: string | Run[],
  area: Pick<Area, 'w' | 'h'>,
  sizes: readonly number[],
  style: { color: Color; bold?: boolean; align?: Paragraph['align'] },
  setting: Typesetting,
): Paragraph | undefined {
  const runs = typeof text === 'string' ? parseInline(text) : text;
  for (const size of sizes) {
    const paragraph: Paragraph = { runs, size, ...style };
    if (paragraphsHeight([paragraph], area.w, setting) <= area.h) return paragraph;
  }
  return undefined;
}

/** A smaller size that saves a heading a line is worth it down to this share of the largest that fits. */
const HEADING_SHRINK = 0.8;

/**
 * A heading in the size that takes the fewest lines, the largest of those. What stands below it is placed by its
 * height: a heading near the end of a line would need one line in one font and two in another.
 */
export function fitHeading(
  text: Run[],
  area: Pick<Area, 'w' | 'h'>,
  sizes: readonly number[],
  style: { color: Color; bold?: boolean; align?: Paragraph['align'] },
  setting: Typesetting,
): Paragraph | undefined {
  let best: Paragraph | undefined;
  let fewest = Infinity;
  const largest = fitText(text, area, sizes, style, setting)?.size ?? 0;
  for (const size of sizes.filter((each) => each <= largest && each >= largest * HEADING_SHRINK)) {
    const paragraph: Paragraph = { runs: text, size, ...style };
    const lines = Math.round((paragraphsHeight([paragraph], area.w, setting) * POINTS) / (size * setting.lineHeight));
    if (lines >= fewest) continue;
    fewest = lines;
    best = paragraph;
  }
  return best;
}

/** Cuts runs so that they fit, with an ellipsis. */
export function cutRuns(runs: Run[], fits: (runs: Run[]) => boolean): Run[] {
  const length = runs.reduce((sum, run) => sum + run.text.length, 0);
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(withEllipsis(sliceRuns(runs, 0, middle)))) low = middle;
    else high = middle - 1;
  }
  return low >= length ? runs : withEllipsis(sliceRuns(runs, 0, low));
}

function withEllipsis(runs: Run[]): Run[] {
  const last = runs.at(-1);
  if (!last) return [{ text: '…' }];
  return [...runs.slice(0, -1), { ...last, text: `${last.text.trimEnd().replace(/[.,;:，。；：]$/, '')} …` }];
}

/** The part of runs between two character positions. */
function sliceRuns(runs: Run[], start: number, end: number): Run[] {
  const part: Run[] = [];
  let position = 0;
  for (const run of runs) {
    const from = Math.max(start - position, 0);
    const to = Math.min(end - position, run.text.length);
    if (from < to)
      part.push({
        ...run,
        text: run.text
          .slice(from, to)
          .toWellFormed()
          .replace(/\ufffd/g, ''),
      });
    position += run.text.length;
  }
  return part;
}

/** Splits runs into pieces that each fit, at spaces or sentence ends where there are any. */
export function splitRuns(runs: Run[], fits: (runs: Run[]) => boolean): Run[][] {
  const text = runs.map((run) => run.text).join('');
  const pieces: Run[][] = [];
  let start = 0;
  while (start < text.length) {
    let low = start + 1;
    // No slide holds more than a few thousand characters.
    let high = Math.min(text.length, start + 4000);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (fits(sliceRuns(runs, start, middle))) low = middle;
      else high = middle - 1;
    }
    let end = low;
    if (end < text.length) {
      const border = Math.max(
        text.lastIndexOf(' ', end),
        text.lastIndexOf('。', end - 1) + 1,
        text.lastIndexOf('，', end - 1) + 1,
      );
      if (border > start + (end - start) * 0.5) end = border;
      else if (/[\ud800-\udbff]/.test(text[end - 1]!)) end--;
    }
    end = Math.max(end, start + 1);
    pieces.push(trimRuns(sliceRuns(runs, start, end)));
    start = end;
    while (text[start] === ' ') start++;
  }
  return pieces.filter((piece) => piece.length > 0);
}

function trimRuns(runs: Run[]): Run[] {
  return runs
    .map((run, index) => ({ ...run, text: index === runs.length - 1 ? run.text.trimEnd() : run.text }))
    .filter((run) => run.text !== '');
}

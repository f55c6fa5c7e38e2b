import { characterWidth, isWide } from './font-metrics.ts';
import type { Run } from './inline.ts';
import type { Paragraph } from './page.ts';

/** Width of one character of the code font (Courier New) in thousandths of its size. */
const MONO_WIDTH = 600;
/** Renderers round glyphs up and kern differently: a line is full a little early. */
const SAFETY = 1.02;
const POINTS_PER_INCH = 72;
/** Hanging indent of a bullet without a number, in points. */
const BULLET_INDENT = 20;
/** Size of raised and lowered text. */
const SCRIPT_SCALE = 0.67;

/** Width of a text in inches. */
export function textWidth(text: string, sizePt: number, style: { bold?: boolean; mono?: boolean } = {}): number {
  let units = 0;
  for (const character of text) units += widthOf(character.codePointAt(0)!, style.bold === true, style.mono === true);
  return (units / 1000) * (sizePt / POINTS_PER_INCH);
}

function widthOf(codePoint: number, bold: boolean, mono: boolean): number {
  if (codePoint === 9) return 4 * MONO_WIDTH;
  if (mono) return isWide(codePoint) ? 1000 : MONO_WIDTH;
  return characterWidth(codePoint, bold);
}

/** Hanging indent of one level of a list, in points: its longest marker and a space, the same for all its numbers. */
export function bulletIndent(list: readonly Pick<Paragraph, 'bullet' | 'size'>[]): number {
  return list.reduce((indent, { bullet, size }) => {
    if (typeof bullet !== 'object') return indent;
    return Math.max(indent, Math.ceil(textWidth(`${bullet.number}. `, size) * POINTS_PER_INCH));
  }, BULLET_INDENT);
}

/** Lines the runs need in a box of that width; words break between lines, CJK text and very long words anywhere. */
export function countLines(runs: readonly Run[], sizePt: number, widthInches: number): number {
  const limit = (widthInches * POINTS_PER_INCH * 1000) / sizePt / SAFETY;
  let lines = 1;
  let used = 0;
  let word = 0;
  let space = 0;
  const flush = () => {
    if (word === 0) return;
    if (used > 0 && used + space + word > limit) {
      lines++;
      used = word;
    } else used += (used > 0 ? space : 0) + word;
    if (used > limit) {
      // A word longer than the line is broken by the renderer.
      lines += Math.ceil(used / limit) - 1;
      used %= limit;
    }
    word = 0;
    space = 0;
  };
  for (const run of runs) {
    for (const character of run.text) {
      const codePoint = character.codePointAt(0)!;
      if (codePoint === 10) {
        flush();
        lines++;
        used = 0;
        space = 0;
        continue;
      }
      const width = widthOf(codePoint, run.bold === true, run.code === true) * (run.script ? SCRIPT_SCALE : 1);
      if (codePoint === 32 || codePoint === 9) {
        flush();
        space += width;
      } else if (isWide(codePoint)) {
        flush();
        word = width;
        flush();
      } else {
        word += width;
        if (codePoint === 45 || codePoint === 0x2013) flush();
      }
    }
  }
  flush();
  return lines;
}

/** Wraps code into lines of at most `columns` characters; a wide character counts for two. */
export function wrapCode(code: string, columns: number): string[] {
  const lines: string[] = [];
  for (const line of code.replace(/\t/g, '    ').split('\n')) {
    let current = '';
    let used = 0;
    for (const character of line) {
      const width = isWide(character.codePointAt(0)!) ? 2 : 1;
      if (used + width > columns) {
        lines.push(current);
        current = '';
        used = 0;
      }
      current += character;
      used += width;
    }
    lines.push(current);
  }
  return lines;
}

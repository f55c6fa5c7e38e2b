import { describe, expect, test } from 'bun:test';
import { characterWidth } from '../../src/slides/font-metrics.ts';
import { bulletIndent, countLines, textWidth } from '../../src/slides/measure.ts';
import { fontFiles } from './font-files.ts';
import { readFont } from './read-font.ts';

/** What the table covers: Latin, Greek, Cyrillic, punctuation, currencies. */
const RANGES = [
  [0x20, 0x7e],
  [0xa0, 0x17f],
  [0x384, 0x3ce],
  [0x400, 0x45f],
  [0x2010, 0x2027],
  [0x2030, 0x203a],
  [0x20a0, 0x20bf],
] as const;

const FONTS = (['Liberation Sans', 'DejaVu Sans'] as const).flatMap((family) =>
  (['regular', 'bold'] as const).flatMap((weight) => {
    const style = weight === 'bold' ? 'Bold' : family === 'DejaVu Sans' ? 'Book' : 'Regular';
    const [file] = fontFiles(`${family}:style=${style}`);
    return file ? [{ family, weight, file }] : [];
  }),
);
if (FONTS.length < 4)
  console.log('Not all font widths were compared (Debian: fontconfig fonts-liberation fonts-dejavu-core).');

describe('the widths text is measured with', () => {
  test.skipIf(FONTS.length === 0).each(FONTS)('are at least those of $family $weight', ({ weight, file }) => {
    const widthIn = readFont(file);
    const narrower: string[] = [];
    let compared = 0;
    for (const [first, last] of RANGES)
      for (let codePoint = first; codePoint <= last; codePoint++) {
        const width = widthIn(codePoint);
        if (width === undefined) continue;
        compared++;
        // The tables are rounded.
        if (characterWidth(codePoint, weight === 'bold') < width - 0.5)
          narrower.push(`${String.fromCodePoint(codePoint)} ${width}`);
      }
    expect(narrower).toEqual([]);
    expect(compared).toBeGreaterThan(400);
  });

  test('know marks without width, wide characters, symbols and letters of no table', () => {
    expect(characterWidth(0x301, false)).toBe(0);
    expect(characterWidth(0x6f22, false)).toBe(1000);
    expect(characterWidth(0x2192, false)).toBe(840);
    expect(characterWidth(0x0e01, true)).toBeGreaterThan(characterWidth(0x0e01, false));
  });

  test('a line holds what fits in the widest font', () => {
    const width = textWidth('minimum wage', 24);
    expect(countLines([{ text: 'minimum wage' }], 24, width * 1.03)).toBe(1);
    expect(countLines([{ text: 'minimum wage' }], 24, width * 0.97)).toBe(2);
  });
});

test('the indent of a list is that of its longest number, and of a bullet where it has none', () => {
  const item = (number: number) => ({ bullet: { number }, size: 24 });
  expect(bulletIndent([{ bullet: 'dot', size: 24 }])).toBe(20);
  const short = bulletIndent([item(1), item(9)]);
  expect(short).toBeGreaterThan(24);
  expect(bulletIndent([item(9), item(10), { bullet: 'dash', size: 22 }])).toBeGreaterThan(short + 12);
});

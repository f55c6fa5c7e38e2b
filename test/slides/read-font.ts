import { readFileSync } from 'node:fs';

/** Advance widths of a TrueType font in thousandths of its size; undefined for a character it has no glyph for. */
export function readFont(path: string): (codePoint: number) => number | undefined {
  const bytes = readFileSync(path);
  const word = (at: number) => bytes.readUInt16BE(at);
  const tables = new Map<string, number>();
  for (let entry = 12; entry < 12 + 16 * word(4); entry += 16)
    tables.set(bytes.toString('latin1', entry, entry + 4), bytes.readUInt32BE(entry + 8));
  const at = (table: string) => {
    const offset = tables.get(table);
    if (offset === undefined) throw new Error(`${path} has no table ${table}`);
    return offset;
  };
  const unitsPerEm = word(at('head') + 18);
  const widths = word(at('hhea') + 34);
  const glyphOf = readCharacterMap(word, at('cmap'), (offset) => bytes.readUInt32BE(offset));
  return (codePoint) => {
    const glyph = glyphOf(codePoint);
    if (glyph === 0) return undefined;
    return (word(at('hmtx') + 4 * Math.min(glyph, widths - 1)) * 1000) / unitsPerEm;
  };
}

/** The Unicode map of the basic plane (format 4 of https://learn.microsoft.com/typography/opentype/spec/cmap). */
function readCharacterMap(word: (at: number) => number, cmap: number, long: (at: number) => number) {
  let map = 0;
  for (let index = 0; index < word(cmap + 2); index++) {
    const candidate = cmap + long(cmap + 8 + 8 * index);
    if (word(candidate) === 4) map = candidate;
  }
  const length = word(map + 6);
  const ends = map + 14;
  const starts = ends + length + 2;
  return (codePoint: number): number => {
    for (let segment = 0; segment < length; segment += 2) {
      if (codePoint > word(ends + segment)) continue;
      const start = word(starts + segment);
      if (codePoint < start) return 0;
      const delta = word(starts + length + segment);
      const place = starts + 2 * length + segment;
      if (word(place) === 0) return (codePoint + delta) & 0xffff;
      const glyph = word(place + word(place) + 2 * (codePoint - start));
      return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
    }
    return 0;
  };
}

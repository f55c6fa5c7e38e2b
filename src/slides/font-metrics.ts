/**
 * Advance widths of Arial (measured on its metric twin Liberation Sans), in thousandths of the font size, two base-36
 * digits per character: first character of the range, regular, bold. Covers Latin, Greek, Cyrillic and punctuation.
 */
const RANGES: readonly [first: number, regular: string, bold: string][] = [
  [
    0x20,
    '7q7q9vfgfgopij5b9999atg87q997q7qfgfgfgfgfgfgfgfgfgfg7q7qg8g8g8fgs7ijijk2k2ijgzlmk27qdwijfgn5k2lmijlmk2ijgzk2ijq8ijijgz7q7q7qd1fg99fgfgdwfgfg7qfgfg6666dw66n5fgfgfgfg99dw7qfgdwk2dwdwdw9a789ag8',
    '7q99d6fgfgopk26m9999atg87q997q7qfgfgfgfgfgfgfgfgfgfg9999g8g8g8gzr3k2k2k2k2ijgzlmk27qfgk2gzn5k2lmijlmk2ijgzk2ijq8ijijgz997q99g8fg99fggzfggzfg99gzgz7q7qfg7qopgzgzgzgzatfg99gzfglmfgfgdwat7satg8',
  ],
  [
    0xa0,
    '7q99fgfgfgfg78fg99khaafgg899khfcb4f9999999g0ex999999a5fgn6n6n6gzijijijijijijrsk2ijijijij7q7q7q7qk2k2lmlmlmlmlmg8lmk2k2k2k2ijijgzfgfgfgfgfgfgopdwfgfgfgfg7q7q7q7qfgfgfgfgfgfgfgf9gzfgfgfgfgdwfgdwijfgijfgijfgk2dwk2dwk2dwk2dwk2h3k2fgijfgijfgijfgijfgijfglmfglmfglmfglmfgk2fgk2fg7q7q7q7q7q7q7q667q7qkfccdw66ijdwdwfg66fg66fg84fg9afg66k2fgk2fgk2fggsk3fglmfglmfglmfgrsq8k299k299k299ijdwijdwijdwijdwgz7qgzafgz7qk2fgk2fgk2fgk2fgk2fgk2fgq8k2ijdwijgzdwgzdwgzdw66',
    '7q99fgfgfgfg7sfg99khaafgg899khfcb4f9999999g0fg999999a5fgn6n6n6gzk2k2k2k2k2k2rsk2ijijijij7q7q7q7qk2k2lmlmlmlmlmg8lmk2k2k2k2ijijgzfgfgfgfgfgfgopfgfgfgfgfg7q7q7q7qgzgzgzgzgzgzgzf9gzgzgzgzgzfggzfgk2fgk2fgk2fgk2fgk2fgk2fgk2fgk2jzk2gzijfgijfgijfgijfgijfglmgzlmgzlmgzlmgzk2gzk2gz7q7q7q7q7q7q7q7q7q7qltfgfg7qk2fgfggz7qgz7qgzapgzdbgz7qk2gzk2gzk2gzjok3gzlmgzlmgzlmgzrsq8k2atk2atk2atijfgijfgijfgijfggz99gzdbgz99k2gzk2gzk2gzk2gzk2gzk2gzq8lmijfgijgzdwgzdwgzdw7q',
  ],
  [
    0x384,
    '9999ij7qlsnaao00li00nrkw66ijijfbikijgzk2lm7qijikn5k2i2lmk2ij00h6gzijm6ijn7ks7qijg2cefg66f7g2fzdwfhcec9fgfg66dwdwg0dwcgfgj6ftdeh5azf7i0eljtlp66f7fgf7lp',
    '99cxk299npp6d600mx00prna7qk2k2gpjzijgzk2lm7qk2ijn5k2hwlmk2ij00gogzijmtijmhma7qijh3cjgz7qg6h3gyfggud7csgzf17qfifgh0fgcdgzlah7egj0ceg6jvg0kxnh7qg6gzg6nh',
  ],
  [
    0x400,
    'ijijo1f2jzij7q7qdwtds2nqg7jzhnjziji8ijf2itijpngsjzjzg7i8n5k2lmjzijk2gzhnl4ijkkijphq2m0oli8jzs2k2fgfxera5g7fgilcqfjfjc6g7j4fcfgf2fgdwcqdwmvdwfxehmamvhdjzehe6kuf2fgfgfga5e6dw667q66p6mlfgc6fjdwfc',
    'ijilolfrjrij7q7ofguetjobgyjzhajzk2jzk2frjsijp4hejzjzgyjin5k2lmjzijk2gzhanqijkajjrxsbo6r7jzjrsnjzfgh6h3blhnfgjpdth3h3dwhnkkgsgzgsgzfgdmfgobfgh3g5n5ngk9nqh3fcnqg7fgfggzblfcfg7q7t7qqxp6gzdwh3fggs',
  ],
  [0x2010, '9900fgfgrsrsbhfc6666666699999999fgfg9q000000rs', '9900fgfgrsrsdufc7q7q7q7qdwdwdwdwfgfg9q000000rs'],
];

const REGULAR = widthTable(1);
const BOLD = widthTable(2);
/** Letters that are in no table (symbols, Arabic, Hebrew, Thai): wider than most of them are. */
const UNKNOWN_WIDTH = 620;

/** Width of one character in thousandths of the font size. */
export function characterWidth(codePoint: number, bold: boolean): number {
  if (isWide(codePoint)) return 1000;
  const width = (bold ? BOLD : REGULAR)[codePoint];
  if (width) return width;
  // Combining marks and joiners take no room.
  if ((codePoint >= 0x300 && codePoint <= 0x36f) || codePoint === 0x200b || codePoint === 0x200d) return 0;
  return UNKNOWN_WIDTH;
}

/** True for characters as wide as they are high: CJK, Hangul, full-width forms, emoji. */
export function isWide(codePoint: number): boolean {
  return (
    codePoint >= 0x1100 &&
    (codePoint <= 0x115f ||
      (codePoint >= 0x2e80 && codePoint <= 0xa4cf) ||
      (codePoint >= 0xac00 && codePoint <= 0xd7a3) ||
      (codePoint >= 0xf900 && codePoint <= 0xfaff) ||
      (codePoint >= 0xfe30 && codePoint <= 0xfe6f) ||
      (codePoint >= 0xff00 && codePoint <= 0xff60) ||
      (codePoint >= 0xffe0 && codePoint <= 0xffe6) ||
      (codePoint >= 0x1f300 && codePoint <= 0x1faff) ||
      codePoint >= 0x20000)
  );
}

function widthTable(column: 1 | 2): Uint16Array {
  const table = new Uint16Array(0x2100);
  for (const range of RANGES)
    for (let index = 0; index < range[column].length; index += 2)
      table[range[0] + index / 2] = Number.parseInt(range[column].slice(index, index + 2), 36);
  return table;
}

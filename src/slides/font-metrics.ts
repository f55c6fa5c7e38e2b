/**
 * Advance widths in five-hundredths of the font size, two base-36 digits per character: first character of the range,
 * regular, bold. Each is the wider one of Arial (its metric twin Liberation Sans) and DejaVu Sans, which is as wide as
 * Verdana and stands in where a machine has no Arial: what fits by this table fits in either. Covers Latin, Greek,
 * Cyrillic and punctuation.
 */
const RANGES: readonly [first: number, regular: string, bold: string][] = [
  [
    0x20,
    '4f5l6ebn8vd8au3u5g5g6ybn4f514f4p8v8v8v8v8v8v8v8v8v8v4p4pbnbnbn7re49j9ka2aq9a8iatag446y9a7rc0afay9aaya29a8ia69jdr9j9a9j5g4p5gbn7r6y8j8u7n8u8k4x8u8t3v3v823vdk8t8i8u8u5q795h8t88bd88887b8v4p8vbn',
    '4v6d79bn9odxc54a6d6d7abn5a5s5a539o9o9o9o9o9o9o9o9o9o5k5kbnbnbn8idwarama7bk9i9ibfbn577ras8vdubnbua7buaqa19ibbarfcaqa3a36d536dbn7r6y9e9y899y9g629y9w4s4s994seh9w9k9y9y6v8a6o9w92cu8z92849w539wbn',
  ],
  [
    0xa0,
    '4f5l8v8v8v8v4p7r6ydw6k8ibn51dw7p6ybn5l5l6y8v8v4f6y5l6k8idhdhdh8i9j9j9j9j9j9jdwa29a9a9a9a44444444asafayayayayaybnaya6a6a6a69a9a8r8j8j8j8j8j8jdn7n8k8k8k8k3v3v3v3v8i8t8i8i8i8i8ibn8i8t8t8t8t888u889j8j9j8j9j8ja27na27na27na27naq8uas8u9a8k9a8k9a8k9a8k9a8kat8uat8uat8uat8uag8tcr9o443v443v443v443v443va87q6y3v9a82827r3v7r3v7r587r4r7u3zaf8taf8taf8tbbaf8tay8iay8iay8ieve8a25qa25qa25q9a799a799a799a798i5h8i5h8i5ha68ta68ta68ta68ta68ta68tdrbd9a889a9j7b9j7b9j7b4x',
    '4v6d9o9o8v9o537r6ydw7u8zbn5sdw7p6ybn63636ya88v5a6y637u8zeeeeee8iararararararf3a79i9i9i9i57575757bnbnbubububububnbubbbbbbbba3a9a09e9e9e9e9e9eek899g9g9g9g4s4s4s4s9k9w9k9k9k9k9kbn9k9w9w9w9w929y92ar9ear9ear9ea789a789a789a789bka0bn9y9i9g9i9g9i9g9i9g9i9gbf9ybf9ybf9ybf9ybn9wdjb0574s574s574s574s574sax9j7r4sas99998v4s8v4s8v6o8v7r8y56bn9wbn9wbn9wdobn9wbu9kbu9kbu9kg8f8aq6vaq6vaq6va18aa18aa18aa18a9i6o9i6o9i6obb9wbb9wbb9wbb9wbb9wbb9wfccua392a3a384a384a38462',
  ],
  [
    0x384,
    '6y6y9n4faxc45p00bb00bwbh4q9j9k7r9j9a9jagay449a9jc0af91ayag9a008s8i9ab39jbman449a967j8t4q82968w888i7j7k8t8i4q87888v7s7r8i9l8u868t8e8296819xbn4q828i82bn',
    '656yb35abve17u00ce00dmcg5faram8var9ia3bnbu57asardubn8ybubna7009i9ia3buaqbtbu57a39k7r9w5f9e9k9y9h9k7r889w9k5f9w8ta89h889kb09y89au8w9eaw8zb1c35f9e9k9ec3',
  ],
  [
    0x400,
    '9a9ac18ha09a44446yf7ejbv9vaf8uag9j9k9k8hav9aez8xafaf9vagc0agayag9aa28i8ubz9jat9jevf7blcb9ka0f0a28j8l877b9m8kcj7e91918e8wai938i938u7n8488bw889h88cqd39uaz877nbp8d8k8k8p7b7n793v3v3vcmci928e918893',
    '9i9icb8va7a157577rg2fpc8bdbnaqbnaramam8vce9ih19wbnbnbdbkdubnbubna7a79iaqdsaqcwb9h6ifd2efama7gbaq9e9q8t7ab89gdu839r9r9ga7bd9m9k9m9y898292dt8zab9kesfdagcl8t89dj8y9g9g9x7a898a4s4s4sdsdba89g9r929m',
  ],
  [0x2010, '51518v7rdwdw6y7p4f4f4f4f787878787r7r87874o9adw4f', '5s5s9o7rdwdw6y7p5a5a5a5a959595957r7r8w8w4n9adw4v'],
  [0x2030, 'ino43657793657794q5k5k', 'k0q83o6o8r3o688ra75r5r'],
  [
    0x20a0,
    'c78v8v8v8vdk8vhpexdrax8v8v8v8vhp8v8v8v8var8v00008v8v8v00008v',
    'cx9o9o9o9oeh9ol3grfccl9o9o9o9ojc9o9o9o9oby9o00009o9o9o00009o',
  ],
];

const REGULAR = widthTable(1);
const BOLD = widthTable(2);
/** Letters that are in no table (Arabic, Hebrew, Thai): wider than most of them are. */
const UNKNOWN_WIDTH = { regular: 690, bold: 790 };
/** Arrows, mathematical signs and shapes, as wide as most of them are in DejaVu Sans. */
const SYMBOL_WIDTH = 840;

/** Width of one character in thousandths of the font size. */
export function characterWidth(codePoint: number, bold: boolean): number {
  if (isWide(codePoint)) return 1000;
  const width = (bold ? BOLD : REGULAR)[codePoint];
  if (width) return width;
  // Combining marks and joiners take no room.
  if ((codePoint >= 0x300 && codePoint <= 0x36f) || codePoint === 0x200b || codePoint === 0x200d) return 0;
  if (codePoint >= 0x2100 && codePoint <= 0x2bff) return SYMBOL_WIDTH;
  return bold ? UNKNOWN_WIDTH.bold : UNKNOWN_WIDTH.regular;
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
      table[range[0] + index / 2] = 2 * Number.parseInt(range[column].slice(index, index + 2), 36);
  return table;
}

import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp';

/** Ends a text so that an expression which has read all of it has to turn back. */
const DEAD_ENDS = ['', '\u0001', '\n\u0001', 'a'];

/** Characters from which classes are filled: what hostile texts are made of. */
const ALPHABET = [
  ...' \n\t\r\u00a0aAzZ019_-+.,:;!?"\'`*~#$%&@/\\|<>()[]{}^=，。：、“”「」的和とéß中',
  '\u2028',
  '\ufffd',
  '😀',
];

/** Texts of about `length` characters that are hard for careless readers, whatever they look for. */
export function hostileTexts(length: number): { name: string; text: string }[] {
  const units: string[] = [
    ...ALPHABET,
    'ab',
    'a ',
    ' a',
    'a\n',
    '\n ',
    ' \n',
    '\r\n',
    '\n\n',
    '. ',
    'a. ',
    '\\',
    '\\\n',
    '<!--',
    '<a ',
    '<a href="',
    '<img src=',
    '</',
    '<svg/',
    '<![CDATA[',
    '&#',
    '&amp',
    '[]',
    '[](',
    '[a](',
    '![',
    '![](',
    '[^1]',
    '[1]:',
    '{"a":',
    '[{',
    '"a",',
    '```',
    '```\n',
    '~~~\n',
    '**a ',
    '*a_',
    '_a*',
    '> ',
    '- ',
    '* a\n',
    '1. ',
    '# ',
    '|a',
    '|-',
    '\n|',
    '$$',
    '$a',
    '\\(',
    'http://',
    'a://',
    'www.',
    'data:',
    'mailto:',
    'a@',
    'a=&',
    '${',
    '${a:-',
    '1,',
    '1.',
    '1 000',
    '%41',
    '\u202e',
    'e\u0301',
    '👩‍👩‍👧',
    '\ud800',
    '<think>',
    '<tool_call>',
    'data: {}\n\n',
  ];
  return units.flatMap((unit) => {
    const run = repeat(unit, length);
    const name = JSON.stringify(unit);
    return [
      { name: `${name} repeated`, text: run },
      { name: `${name} repeated, then an odd end`, text: `${run}\u0001` },
      { name: `a line of ${name} repeated between words`, text: `word\n${run}word` },
    ];
  });
}

/** Texts made for one expression: each of its repetitions is pumped, alone and behind what leads to it. */
export function pumpedTexts(regex: RegExp, length: number): Set<string> {
  const literal = parseRegExpLiteral(regex);
  const flags = regex.flags.replace(/[gyd]/g, '');
  const texts = new Set<string>();
  const add = (prefix: string, pump: string) => {
    if (pump === '') return;
    for (const end of DEAD_ENDS) {
      texts.add(prefix + repeat(pump, length) + end);
      if (prefix) texts.add(repeat(prefix + pump, length) + end);
      if (prefix) texts.add(repeat(prefix, length / 2) + repeat(pump, length / 2) + end);
    }
    if (prefix) texts.add(repeat(prefix + repeat(pump, 200), length));
  };
  for (const alternative of literal.pattern.alternatives) pump(alternative, [''], flags, add);
  return texts;
}

type Add = (prefix: string, pump: string) => void;

/** Walks one alternative from the left; gives the samples of what it may have read at its end. */
function pump(
  alternative: AST.Alternative | { elements: AST.Element[] },
  prefixes: string[],
  flags: string,
  add: Add,
): string[] {
  let before = prefixes;
  for (const element of alternative.elements) {
    if (element.type === 'Quantifier') {
      const pumps = samplesOf(element.element, flags);
      if (element.max > 8) for (const prefix of before) for (const each of pumps) add(prefix, each);
      descend(element.element, before, flags, add);
      // What may be left out is left out, and taken once as well.
      const times = Math.max(element.min, 1);
      const taken = product(
        before,
        pumps.map((each) => each.repeat(Math.min(times, 20))),
      );
      before = element.min === 0 ? [...before, ...taken] : taken;
    } else {
      descend(element, before, flags, add);
      before = product(before, samplesOf(element, flags));
    }
    // Whatever has been read may come again.
    for (const prefix of before.slice(0, 4)) add('', prefix);
    before = thin(before);
  }
  return before;
}

function descend(element: AST.Element, prefixes: string[], flags: string, add: Add): void {
  if (element.type === 'Group' || element.type === 'CapturingGroup' || element.type === 'Assertion') {
    if (!('alternatives' in element)) return;
    for (const alternative of element.alternatives) pump(alternative, prefixes, flags, add);
  }
}

/** Some texts an element matches. */
function samplesOf(element: AST.Element, flags: string): string[] {
  switch (element.type) {
    case 'Character':
      return [String.fromCodePoint(element.value)];
    case 'CharacterClass':
    case 'CharacterSet':
    case 'ExpressionCharacterClass': {
      const isIn = new RegExp(`^(?:${element.raw})$`, flags.replace('m', ''));
      const found = [...ALPHABET, ...element.raw].filter((character) => isIn.test(character));
      return thin([...new Set(found)], 8);
    }
    case 'Group':
    case 'CapturingGroup':
      return thin(element.alternatives.flatMap((alternative) => pump(alternative, [''], flags, () => {})));
    case 'Quantifier':
      if (element.min === 0 && element.max === 0) return [''];
      return samplesOf(element.element, flags).map((each) => each.repeat(Math.min(Math.max(element.min, 1), 20)));
    default:
      // Assertions and references read nothing, or what was read before.
      return [''];
  }
}

function product(left: string[], right: string[]): string[] {
  if (right.length === 0) return left;
  return thin(left.flatMap((first) => right.map((second) => first + second)));
}

/** At most `most` of them, spread over the whole list. */
function thin(list: string[], most = 6): string[] {
  const unique = [...new Set(list)];
  if (unique.length <= most) return unique;
  return Array.from({ length: most }, (_, index) => unique[Math.floor((index * unique.length) / most)] as string);
}

function repeat(unit: string, length: number): string {
  return unit.repeat(Math.max(1, Math.floor(length / unit.length)));
}

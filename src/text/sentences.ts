/** A sentence as offsets into its text. */
export interface Span {
  start: number;
  end: number;
}

const ABBREVIATION =
  /(?:^|[\s("'“‘[])(?=[\p{L}\d])(?:e\.g|i\.e|cf|vs|etc|al|approx|ca|resp|incl|excl|ed|eds|dr|mr|mrs|ms|prof|st|jr|sr|inc|ltd|co|corp|dept|est|u\.s|u\.k|u\.s\.a|a\.m|p\.m|z\. ?b|d\. ?h|u\. ?a|bzw|usw|evtl|ggf|bspw|vgl|sog|inkl|mio|mrd|mme|mlle|p\. ?ex|env|sra?|srta|ej|\p{L}|\d{1,2})$/iu;
const BEFORE_NUMBER = /(?:^|[\s(])(?:nos?|figs?|eq|sec|ch|vol|pp|nr|abb|tab|kap|max|min|pág|núm|cap)$/iu;
const CLOSERS = new Set(['"', "'", '”', '’', '»', ')', ']', '`', '*', '_', '」', '』', '）', '】', '〉', '》']);
/** Marks that end a sentence without a space behind them. */
const CJK_END = new Set(['。', '！', '？', '．', '｡']);
/** Marks of scripts with spaces: Latin, Arabic, Urdu, Devanagari, Armenian, Ethiopic, Khmer, Burmese. */
const SPACED_END = new Set(['.', '!', '?', '…', '؟', '۔', '।', '॥', '։', '።', '។', '။']);
/** The mark of a source stays with the sentence before it: `[1]`, `[^2]`. */
const CITATIONS = /(?:\[\^?\d{1,4}\]){1,20}/y;

/** Marks and closing quotes at the end of a sentence; more are ornament. */
const LONGEST_END = 40;

/**
 * Splits `text[start, end)` into sentences, in linear time; spans hold no outer white space and never cross the range.
 * Abbreviations, ordinals and inline code end none. By hand, since `Intl.Segmenter` knows none of them and what it cuts
 * wrongly has to be looked at again (both take less than 0.2 µs a character).
 */
export function* splitSentences(text: string, start = 0, end = text.length): Generator<Span> {
  let from = start;
  for (let i = start; i < end; i++) {
    const character = text[i] as string;
    if (character === '`') {
      i = endOfCode(text, i, end);
      continue;
    }
    const isCjk = CJK_END.has(character);
    if (!isCjk && !SPACED_END.has(character)) continue;
    let after = i + 1;
    const limit = Math.min(end, i + LONGEST_END);
    while (after < limit && (CLOSERS.has(text[after] as string) || isEndMark(text[after] as string))) after++;
    CITATIONS.lastIndex = after;
    if (CITATIONS.test(text) && CITATIONS.lastIndex <= end) after = CITATIONS.lastIndex;
    if (!isCjk && !endsSentence(text, from, i, after, end)) continue;
    yield* trimmed(text, from, after);
    from = after;
    i = after - 1;
  }
  yield* trimmed(text, from, end);
}

/** The sentences of a text. */
export function sentencesOf(text: string): string[] {
  return Array.from(splitSentences(text), ({ start, end }) => text.slice(start, end));
}

function isEndMark(character: string): boolean {
  return CJK_END.has(character) || SPACED_END.has(character);
}

function endsSentence(text: string, from: number, mark: number, after: number, end: number): boolean {
  if (after >= end) return true;
  const next = text[after] as string;
  if (!/\s/.test(next)) return false;
  if (text[mark] !== '.') return true;
  const before = text.slice(Math.max(from, mark - 12), mark);
  if (ABBREVIATION.test(before)) return false;
  const following = /\S/.exec(text.slice(after, Math.min(end, after + 8)))?.[0];
  if (following === undefined) return true;
  return !/\p{Ll}/u.test(following) && !(/\d/.test(following) && BEFORE_NUMBER.test(before));
}

/** The index of the back tick that closes inline code, or `at` when none does within reach. */
function endOfCode(text: string, at: number, end: number): number {
  let ticks = 1;
  while (text[at + ticks] === '`') ticks++;
  const close = text.slice(at + ticks, Math.min(end, at + 300)).indexOf('`'.repeat(ticks));
  return close < 0 ? at + ticks - 1 : at + ticks + close + ticks - 1;
}

function* trimmed(text: string, start: number, end: number): Generator<Span> {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text[from] as string)) from++;
  while (to > from && /\s/.test(text[to - 1] as string)) to--;
  if (to > from) yield { start: from, end: to };
}

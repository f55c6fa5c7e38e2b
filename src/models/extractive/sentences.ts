/** A sentence as offsets into the source. */
export interface Span {
  start: number;
  end: number;
}

const ABBREVIATION =
  /(?:^|[\s("'“‘[])(?=[\p{L}\d])(?:e\.g|i\.e|cf|vs|etc|al|approx|ca|resp|incl|excl|ed|eds|dr|mr|mrs|ms|prof|st|jr|sr|inc|ltd|co|corp|dept|est|u\.s|u\.k|u\.s\.a|a\.m|p\.m|z\. ?b|d\. ?h|u\. ?a|bzw|usw|evtl|ggf|bspw|vgl|sog|inkl|mio|mrd|mme|mlle|p\. ?ex|env|sra?|srta|ej|\p{L}|\d{1,2})$/iu;
const BEFORE_NUMBER = /(?:^|[\s(])(?:nos?|figs?|eq|sec|ch|vol|pp|nr|abb|tab|kap|max|min|pág|núm|cap)$/iu;
const CLOSERS = new Set(['"', "'", '”', '’', '»', ')', ']', '`', '*', '_', '」', '』', '）', '】', '〉', '》']);
const CJK_END = new Set(['。', '！', '？', '．', '｡']);
const LATIN_END = new Set(['.', '!', '?', '…']);

/** Splits `text[start, end)` into sentences; spans hold no outer white space and never cross the given range. */
export function* splitSentences(text: string, start: number, end: number): Generator<Span> {
  let from = start;
  /** Behind the end marks and closers that are being read; found once for all of them. */
  let after = start;
  for (let i = start; i < end; i++) {
    const character = text[i] as string;
    if (character === '`') {
      i = endOfCode(text, i, end);
      continue;
    }
    const isCjk = CJK_END.has(character);
    if (!isCjk && !LATIN_END.has(character)) continue;
    after = Math.max(after, i + 1);
    while (after < end && (CLOSERS.has(text[after] as string) || isEndMark(text[after] as string))) after++;
    if (!isCjk && !endsSentence(text, from, i, after, end)) continue;
    yield* trimmed(text, from, after);
    from = after;
    i = after - 1;
  }
  yield* trimmed(text, from, end);
}

function isEndMark(character: string): boolean {
  return CJK_END.has(character) || LATIN_END.has(character);
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

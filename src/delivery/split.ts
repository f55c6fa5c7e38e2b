export interface SplitOptions {
  /** Largest allowed `measure` of a part. */
  limit: number;
  /** Size of a text as the platform counts it; at least `text.length` for every text. */
  measure?: (text: string) => number;
  /** Most parts; the rest of a longer text is dropped with a note of how much. */
  maxParts?: number;
}

type Measure = (text: string) => number;

/** What is looked at beyond twice the limit, in search of a border. */
const WINDOW = 4_096;

/** Size in UTF-8 bytes. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/**
 * Cuts Markdown into parts that fit: between paragraphs where each of them fits, else between lines, sentences, words,
 * and only then inside a word, never inside a character. A code fence that is cut is closed and opened again. The
 * result depends on nothing but the arguments, so a later attempt can go on with the part it stopped at.
 */
export function splitText(text: string, options: SplitOptions): string[] {
  return [...partsOf(text, options)];
}

/** The same for a measure that takes long: gives the event loop a turn between two parts. */
export async function splitSlowly(text: string, options: SplitOptions): Promise<string[]> {
  const parts: string[] = [];
  for (const part of partsOf(text, options)) {
    parts.push(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return parts;
}

function* partsOf(text: string, options: SplitOptions): Generator<string> {
  const { limit } = options;
  // The length comes first: a measure may render the text, and that of a megabyte takes long.
  const measure = (value: string) => (value.length > limit ? value.length : (options.measure?.(value) ?? value.length));
  const maxParts = options.maxParts ?? 50;
  let given = 0;
  let rest = text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
  while (rest !== '' && measure(rest) > limit) {
    if (given === maxParts - 1) {
      yield truncate(rest, limit, measure);
      return;
    }
    const { part, next } = cutOnce(rest, limit, measure);
    if (part.trim() !== '') {
      given++;
      yield part;
    }
    rest = next;
  }
  if (rest.trim() !== '') yield rest;
}

function cutOnce(rest: string, limit: number, measure: Measure): { part: string; next: string } {
  // Whatever lies further does not fit beside the cut: looking at all of it for each part takes quadratic time.
  const text = rest.slice(0, 2 * limit + WINDOW);
  const fences = fencesOf(text);
  const fits = (value: string) => measure(value) <= limit;
  let reach = longestPrefix(Math.min(limit, text.length), (end) => measure(closed(text, end, fences)), limit);
  for (;;) {
    const cut = bestCut(text, reach, fences, fits);
    const part = closed(text, cut, fences);
    // A prefix may measure more than a longer one (an escaped `*` that loses its pair): then look further left.
    if (fits(part) || reach <= 1) return { part, next: reopened(rest, cut, fences) };
    reach = Math.max(1, Math.floor(reach * 0.9));
  }
}

/** The last cut of the gentlest kind that leaves the unit behind it whole; `reach` is the furthest possible. */
function bestCut(text: string, reach: number, fences: Fence[], fits: (value: string) => boolean): number {
  const start = reopenedLength(text, fences);
  for (const border of BORDERS) {
    const cut = lastBorder(text, border, start, reach, fences);
    if (cut === undefined) continue;
    const end = nextBorder(text, border, Math.max(cut, reach), fences);
    if (border === WORD || fits(text.slice(cut, end).trim())) return cut;
  }
  return characterBorder(text, start, reach);
}

interface Border {
  pattern: RegExp;
  /** Whether the border counts inside a code fence. */
  insideFence: boolean;
}

// Each match ends where the next part begins.
const PARAGRAPH: Border = { pattern: /\n[^\S\n]*\n+/g, insideFence: false };
const LINE: Border = { pattern: /\n/g, insideFence: true };
const SENTENCE: Border = { pattern: /[.!?…]["')\]]*\s+|[。！？；]/g, insideFence: false };
const WORD: Border = { pattern: /\s+/g, insideFence: true };
const BORDERS = [PARAGRAPH, LINE, SENTENCE, WORD];

function lastBorder(text: string, border: Border, start: number, reach: number, fences: Fence[]): number | undefined {
  let last: number | undefined;
  const content = start + /\s*/.exec(text.slice(start))![0].length;
  for (const match of text.slice(0, reach + 64).matchAll(border.pattern)) {
    // The space of a border may stand beyond the reach: it is trimmed off.
    if (match.index + match[0].trimEnd().length > reach) break;
    const end = match.index + match[0].length;
    if (end > content && isBorder(border, end, fences)) last = end;
  }
  return last;
}

function nextBorder(text: string, border: Border, from: number, fences: Fence[]): number {
  const pattern = new RegExp(border.pattern);
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match; match = pattern.exec(text))
    if (isBorder(border, match.index + match[0].length, fences)) return match.index;
  return text.length;
}

function isBorder(border: Border, index: number, fences: Fence[]): boolean {
  return border.insideFence || fenceAt(index, fences) === undefined;
}

/** The nearest place at or before `reach` that is not inside a character as people see it. */
function characterBorder(text: string, start: number, reach: number): number {
  const from = Math.max(start, reach - 64);
  const inner = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
    .segment(text.slice(from, reach + 64))
    .containing(reach - from);
  const cut = inner ? from + inner.index : reach;
  if (cut > start) return cut;
  // One giant cluster, or no room at all: still go on by at least one whole code point.
  const first = start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1);
  const low = text.charCodeAt(reach);
  return Math.max(low >= 0xdc00 && low <= 0xdfff ? reach - 1 : reach, first);
}

/** A longer line after ``` is no language but text; as it cannot be repeated in each part, it counts as text. */
const MAX_OPENER = 40;

interface Fence {
  /** Index of the opening line, and of the first character after it. */
  start: number;
  bodyStart: number;
  /** Index of the closing line's first character; the end of the text when it is never closed. */
  end: number;
  opener: string;
  marker: string;
}

function fencesOf(text: string): Fence[] {
  const fences: Fence[] = [];
  let open: Fence | undefined;
  let index = 0;
  for (const line of text.split('\n')) {
    const match = /^ {0,3}(`{3,}|~{3,})/.exec(line);
    const marker = match?.[1] ?? '';
    const info = line.slice(match?.[0].length);
    if (!open && match && line.length <= MAX_OPENER && !(marker.startsWith('`') && info.includes('`'))) {
      open = { start: index, bodyStart: index + line.length + 1, end: text.length, opener: line, marker };
      fences.push(open);
    } else if (open && match && info.trim() === '' && marker.startsWith(open.marker)) {
      open.end = index;
      open = undefined;
    }
    index += line.length + 1;
  }
  return fences;
}

/** The fence a cut at `index` would go through. */
function fenceAt(index: number, fences: Fence[]): Fence | undefined {
  let low = 0;
  let high = fences.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fences[middle]!.start < index) low = middle + 1;
    else high = middle;
  }
  const fence = fences[low - 1];
  return fence && index <= fence.end ? fence : undefined;
}

function closed(text: string, end: number, fences: Fence[]): string {
  const part = text.slice(0, end).trimEnd();
  const fence = end < text.length ? fenceAt(end, fences) : undefined;
  return fence ? `${part}\n${fence.marker}` : part;
}

function reopened(text: string, cut: number, fences: Fence[]): string {
  const fence = fenceAt(cut, fences);
  if (!fence) {
    // A cut in the middle of a line leaves the space before the next word; behind a newline it is indentation.
    const rest = text[cut - 1] === '\n' ? text.slice(cut) : text.slice(cut).replace(/^[^\S\n]+/, '');
    return rest.replace(/^(?:[^\S\n]*\n)+/, '');
  }
  const body = text.slice(Math.max(cut, fence.bodyStart));
  // Only the closing line is left: the fence was closed with the part before.
  if (cut === fence.end) return text.slice(cut).replace(/^[^\n]*\n*/, '');
  return `${fence.opener}\n${body}`;
}

/** Length of the fence line a text begins with: cutting there would make no progress. */
function reopenedLength(text: string, fences: Fence[]): number {
  const first = fences[0];
  return first?.start === 0 ? Math.min(first.bodyStart, text.length - 1) : 0;
}

/** A long prefix that fits: guessed from the overshoot and refined to an eighth, since measuring may be dear. */
function longestPrefix(most: number, size: (end: number) => number, limit: number): number {
  let low = 1;
  let high = most;
  for (let end = most; end > 1; ) {
    const measured = size(end);
    if (measured <= limit) {
      low = end;
      if (end === most || high - low <= Math.max(1, most / 8)) break;
      end = (low + high) >> 1;
    } else {
      high = end;
      if (low > 1 && high - low <= Math.max(1, most / 8)) break;
      end = low > 1 ? (low + high) >> 1 : Math.min(end - 1, Math.floor((end * limit) / measured));
    }
  }
  return low;
}

function truncate(rest: string, limit: number, measure: Measure): string {
  const note = (end: number) => `${rest.slice(0, end).trimEnd()}\n\n[… ${rest.length - end} more characters]`;
  const end = longestPrefix(Math.min(limit, rest.length), (length) => measure(note(length)), limit);
  return note(characterBorder(rest, 0, end));
}

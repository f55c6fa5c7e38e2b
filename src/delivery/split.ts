export interface SplitOptions {
  /** Largest allowed `measure` of a part. */
  limit: number;
  /** Size of a text as the platform counts it; at least `text.length` for every text. */
  measure?: (text: string) => number;
  /** Most parts; the rest of a longer text is dropped with a note of how much. */
  maxParts?: number;
}

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
  const measure = options.measure ?? ((value: string) => value.length);
  const maxParts = options.maxParts ?? 50;
  const fits = (value: string) => measure(value) <= options.limit;
  const parts: string[] = [];
  let rest = text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
  while (rest !== '' && !fits(rest)) {
    if (parts.length === maxParts - 1) return [...parts, truncate(rest, fits)];
    const { part, next } = cutOnce(rest, options.limit, fits);
    if (part.trim() !== '') parts.push(part);
    rest = next;
  }
  return rest.trim() === '' ? parts : [...parts, rest];
}

function cutOnce(text: string, limit: number, fits: (value: string) => boolean): { part: string; next: string } {
  const fences = fencesOf(text);
  let reach = longestPrefix(text, Math.min(limit, text.length), (end) => fits(closed(text, end, fences)));
  for (;;) {
    const cut = bestCut(text, reach, fences, fits);
    const part = closed(text, cut, fences);
    // A prefix may measure more than a longer one (an escaped `*` that loses its pair): then look further left.
    if (fits(part) || reach <= 1) return { part, next: reopened(text, cut, fences) };
    reach = Math.max(1, Math.floor(reach * 0.9));
  }
}

/** The last cut of the gentlest kind that leaves the unit behind it whole; `reach` is the furthest possible. */
function bestCut(text: string, reach: number, fences: Fence[], fits: (value: string) => boolean): number {
  const start = reopenedLength(text, fences);
  for (const border of BORDERS) {
    const cut = lastBorder(text, border, start, reach, fences);
    if (cut === undefined) continue;
    const end = nextBorder(text, border, reach, fences);
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
  for (const match of text.slice(0, reach + 1).matchAll(border.pattern)) {
    const end = Math.min(match.index + match[0].length, reach);
    if (end > start && text.slice(start, end).trim() !== '' && isBorder(border, end, fences)) last = end;
  }
  return last;
}

function nextBorder(text: string, border: Border, reach: number, fences: Fence[]): number {
  const pattern = new RegExp(border.pattern);
  pattern.lastIndex = reach;
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
  // One giant cluster: at least keep surrogate pairs whole.
  const low = text.charCodeAt(reach);
  return low >= 0xdc00 && low <= 0xdfff && reach - 1 > start ? reach - 1 : Math.max(reach, start + 1);
}

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
    const match = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    const marker = match?.[1] ?? '';
    const info = match?.[2] ?? '';
    if (!open && match && !(marker.startsWith('`') && info.includes('`'))) {
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
  return fences.find((fence) => index > fence.start && index <= fence.end);
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
  const opener = fence.opener.length > 24 ? fence.marker : fence.opener;
  const body = text.slice(Math.max(cut, fence.bodyStart));
  // Only the closing line is left: the fence was closed with the part before.
  if (cut === fence.end) return text.slice(cut).replace(/^[^\n]*\n*/, '');
  return `${opener}\n${body}`;
}

/** Length of the fence line a text begins with: cutting there would make no progress. */
function reopenedLength(text: string, fences: Fence[]): number {
  const first = fences[0];
  return first?.start === 0 ? Math.min(first.bodyStart, text.length - 1) : 0;
}

function longestPrefix(text: string, most: number, fits: (end: number) => boolean): number {
  if (fits(most)) return most;
  let low = 1;
  let high = most;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return Math.min(low, text.length);
}

function truncate(rest: string, fits: (value: string) => boolean): string {
  const note = (end: number) => `${rest.slice(0, end).trimEnd()}\n\n[… ${rest.length - end} more characters]`;
  const end = longestPrefix(rest, rest.length, (length) => fits(note(length)));
  return note(characterBorder(rest, 0, end));
}

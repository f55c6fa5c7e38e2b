import { trimEnd } from '../lib/trim.ts';
import { BracketPairs } from './bracket-pairs.ts';
import { leavesPage, tagAddresses } from './link-targets.ts';

/** Longest construct held back while it is incomplete. */
const HOLD = 4096;
/** More text at once is taken in pieces, so that little is remembered at a time. */
const PIECE = 16_384;
/** The bound of the scheme keeps the search linear in long words. */
const SPECIAL =
  /`+|!?\[|\]\(|<|(?:[a-z][a-z0-9+.-]{0,31}:\/\/|www\.|mailto:|javascript:|vbscript:|data:[a-z]{1,31}\/)/giu;
/** The end of a text that may be the beginning of an address. */
const ADDRESS_BEGIN = /(?:^|[^A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{0,15}(?::\/?)?)$/;
/** What readers leave out at the end of a bare address. */
const SENTENCE_END = /[?!.,:;*_~'")\]}]{0,100}/y;
/** The target after the colon of a reference definition, and after the bracket of a link; longer ones are cut. */
const DEFINED = /[ \t]{0,20}(?:\n[ \t>]{0,20})?(<[^>\n]{0,2048}>?|\S{0,2048})/y;
const TARGET = /\s{0,20}(<[^>\n]{0,2048}>?)?/y;
const TARGET_END = /[\s)]/g;
const MAX_TARGET = 2048;
/** Longest label of a reference (CommonMark). */
const MAX_LABEL = 999;
/** Elements that fetch something. */
const LOADING_TAG =
  /^(?:a|area|audio|base|body|button|embed|form|iframe|image|img|input|link|meta|object|script|source|svg|table|td|th|track|use|video)\b/i;
const TAG_BODY = /[^<>]*/y;
/** Links in labels of links beyond this depth are none to any reader: their brackets and addresses go. */
const MAX_NESTING = 3;
const TICKS = /`+/g;
const SPECIAL_IN_LABEL = /[<`:]|www\./i;
const NESTED = /[[\]<]|(?:https?:\/\/|www\.)\S*/gi;
const ADDRESS_BODY = /[^\s<>"'`（）。，、；：！？「」『』【】《》|]*/uy;

/** Whether an address may stay, as a link to follow or as something that is fetched when it is shown. */
export type IsAllowed = (url: string, shown: 'link' | 'image') => boolean;

/**
 * Passes Markdown through as it streams and takes out links to addresses that are not allowed: `[text](url)` becomes
 * its text; images, autolinks, bare addresses, reference definitions and HTML links lose the address. In code bare
 * addresses stay; links and images to other places go there too, since readers differ in what they take for code.
 * Takes time in proportion to the text, whatever it is.
 */
export class LinkFilter {
  /** Addresses taken out. */
  removed = 0;
  readonly #isAllowed: IsAllowed;
  readonly #depth: number;
  readonly #pairs = new BracketPairs();
  #buffer = '';
  /** Offset of the buffer in the stream. */
  #offset = 0;
  /** Up to where runs of backticks were looked at, and the last of each length, as offsets in the stream. */
  #ticksSeen = 0;
  #nextTargetEnd = -1;
  readonly #lastTicks = new Map<number, number>();
  #atLineStart = true;
  #codeFence: string | undefined;
  /** Where the code span under way ends, in the buffer; 0 outside of one. */
  #spanEnd = 0;

  constructor(isAllowed: IsAllowed, depth = 0) {
    this.#isAllowed = isAllowed;
    this.#depth = depth;
  }

  push(text: string): string {
    let out = '';
    for (let from = 0; from < text.length; from += PIECE) {
      const piece = text.slice(from, from + PIECE);
      this.#pairs.push(piece);
      this.#buffer += piece;
      out += this.#drain(false);
    }
    return out;
  }

  end(): string {
    return this.#drain(true);
  }

  #drain(final: boolean): string {
    const text = this.#buffer;
    let out = '';
    let position = 0;
    const emit = (piece: string) => {
      out += piece;
      if (piece) this.#atLineStart = piece.endsWith('\n');
    };
    const stopAt = (at: number): string => {
      this.#buffer = text.slice(at);
      this.#offset += at;
      this.#pairs.forget(this.#offset);
      this.#spanEnd = Math.max(0, this.#spanEnd - at);
      return out;
    };
    while (position < text.length) {
      SPECIAL.lastIndex = position;
      const match = SPECIAL.exec(text);
      const plainEnd = match ? match.index : final ? text.length : holdBegin(text, position);
      emit(text.slice(position, plainEnd));
      if (!match) return stopAt(plainEnd);
      position = match.index;
      const taken = this.#construct(text, position, match[0], final);
      if (taken === 'wait') {
        if (!final && text.length - position < HOLD) return stopAt(position);
        // Too long to be meant: an endless address is dropped, anything else is plain text.
        const address = /[:/.]$/.test(match[0]);
        if (address) this.removed++;
        const piece = match[0].startsWith('`') ? match[0] : (text[position] as string);
        if (!address) emit(piece);
        position = address ? text.length : position + piece.length;
        continue;
      }
      emit(taken.out);
      position = taken.to;
    }
    return stopAt(position);
  }

  #construct(text: string, at: number, opening: string, final: boolean): { out: string; to: number } | 'wait' {
    if (opening.startsWith('`')) return this.#code(text, at, opening, final);
    if (opening === '<') return this.#angle(text, at, final);
    if (opening.endsWith('[')) return this.#bracket(text, at, opening, final);
    if (opening === '](') return this.#loose(text, at, final);
    return this.#bare(text, at, opening, final);
  }

  #code(text: string, at: number, ticks: string, final: boolean): { out: string; to: number } | 'wait' {
    const after = at + ticks.length;
    if (after === text.length && !final) return 'wait';
    if (this.#codeFence) {
      if (this.#atLineStart && ticks.startsWith(this.#codeFence)) this.#codeFence = undefined;
      return { out: ticks, to: after };
    }
    if (at < this.#spanEnd) return { out: ticks, to: after };
    if (ticks.length >= 3 && this.#atLineStart) {
      this.#codeFence = ticks;
      return { out: ticks, to: after };
    }
    const close = this.#mayClose(text, after, ticks) ? closingTicks(text, after, ticks, final) : -1;
    if (close >= 0) {
      this.#spanEnd = close + ticks.length;
      return { out: ticks, to: after };
    }
    // A span does not cross a blank line; an unclosed tick is plain text.
    if (final || text.slice(after, after + HOLD).includes('\n\n')) return { out: ticks, to: after };
    return 'wait';
  }

  #bracket(text: string, at: number, opening: string, final: boolean): { out: string; to: number } | 'wait' {
    const from = at + opening.length;
    const close = this.#endOf(from - 1);
    if (close === undefined || (close < 0 && final)) return { out: opening, to: from };
    if (close < 0) return 'wait';
    const label = text.slice(from, close);
    const next = text[close + 1];
    if (next === undefined && !final) return 'wait';
    if (next === '(') {
      const end = this.#endOf(close + 1);
      if (end === undefined || (end < 0 && final)) return { out: opening, to: from };
      if (end < 0) return 'wait';
      const target = linkTarget(text.slice(close + 2, end));
      if (this.#inCode(at) && !leavesPage(target)) return { out: opening, to: from };
      const inner = opening === '[' ? this.#nested(label) : label;
      const isImage = opening === '![';
      if (target === '' || target.startsWith('#') || this.#isAllowed(target, isImage ? 'image' : 'link')) {
        return { out: `${opening}${inner}${text.slice(close, end + 1)}`, to: end + 1 };
      }
      this.removed++;
      return { out: inner, to: end + 1 };
    }
    if (next === ':' && opening === '[' && label.length <= MAX_LABEL)
      return this.#definition(text, at, close + 2, final);
    return { out: opening, to: from };
  }

  /** `[label]: target`, at the beginning of a line or of what a quote or list holds; the target may stand on the next line. */
  #definition(text: string, at: number, from: number, final: boolean): { out: string; to: number } | 'wait' {
    DEFINED.lastIndex = from;
    const match = DEFINED.exec(text);
    const end = from + (match?.[0].length ?? 0);
    if (end === text.length && !final) return 'wait';
    const target = linkTarget(match?.[1] ?? '');
    if (!leavesPage(target)) return { out: '[', to: at + 1 };
    if (this.#isAllowed(target, 'image')) return { out: text.slice(at, end), to: end };
    this.removed++;
    return { out: '', to: text[end] === '\n' ? end + 1 : end };
  }

  /** `](` whose opening bracket was taken for plain text, say because its label is endless; a reader may see a link. */
  #loose(text: string, at: number, final: boolean): { out: string; to: number } | 'wait' {
    TARGET.lastIndex = at + 2;
    const angle = TARGET.exec(text)?.[1];
    const from = TARGET.lastIndex;
    const end = angle === undefined ? Math.min(this.#targetEnd(text, from), from + MAX_TARGET) : from;
    if (end === text.length && !final) return 'wait';
    const target = linkTarget(angle ?? text.slice(from, end));
    if (!leavesPage(target) || this.#isAllowed(target, 'image')) return { out: '](', to: at + 2 };
    this.removed++;
    return { out: ']\\(', to: at + 2 };
  }

  /** The next white space or closing parenthesis; many targets that are none share one end, so it is kept. */
  #targetEnd(text: string, from: number): number {
    const known = this.#nextTargetEnd - this.#offset;
    if (known >= from) return known;
    TARGET_END.lastIndex = from;
    const found = TARGET_END.exec(text)?.index;
    // The end of what came so far is no end.
    if (found === undefined) return text.length;
    this.#nextTargetEnd = this.#offset + found;
    return found;
  }

  #angle(text: string, at: number, final: boolean): { out: string; to: number } | 'wait' {
    const next = text[at + 1];
    if (next === undefined) return final ? { out: '<', to: at + 1 } : 'wait';
    if (!/[a-z/!]/i.test(next)) return { out: '<', to: at + 1 };
    const inCode = this.#inCode(at);
    TAG_BODY.lastIndex = at + 1;
    TAG_BODY.exec(text);
    // A tag that ends elsewhere for a browser than for us must not become one.
    if (!inCode && text[TAG_BODY.lastIndex] === '<') return { out: '&lt;', to: at + 1 };
    const held = text.slice(at, at + HOLD);
    const emptyLine = held.indexOf('\n\n');
    const block = emptyLine < 0 ? held : held.slice(0, emptyLine);
    const length = block.indexOf('>');
    const close = at + length;
    if (length < 0 && !final && block.length < HOLD && at + block.length === text.length) return 'wait';
    const inner = length < 0 ? block.slice(1) : block.slice(1, length);
    if (length < 0 || inner.includes('<')) {
      const isTag = inner.includes('=') && (!inCode || LOADING_TAG.test(inner));
      return { out: isTag ? '&lt;' : '<', to: at + 1 };
    }
    const isAddress = /^[a-z][a-z0-9+.-]{0,31}:\S*$/i.test(inner);
    const shown = isAddress || /^a\s/i.test(inner) ? 'link' : 'image';
    const addresses = isAddress ? [inner] : tagAddresses(inner);
    const isRefused = (address: string) =>
      !this.#isAllowed(address, shown) && (!inCode || leavesPage(address) || LOADING_TAG.test(address));
    const isActive = !inCode && /^(?:script|style)\b/i.test(inner);
    if (!isActive && !addresses.some(isRefused)) return { out: text.slice(at, close + 1), to: close + 1 };
    this.removed++;
    return { out: '', to: close + 1 };
  }

  #bare(text: string, at: number, opening: string, final: boolean): { out: string; to: number } | 'wait' {
    ADDRESS_BODY.lastIndex = at + opening.length;
    const body = ADDRESS_BODY.exec(text)?.[0] ?? '';
    const end = at + opening.length + body.length;
    if (end === text.length && !final) return 'wait';
    const address = trimAddress(opening + body);
    const to = at + address.length;
    const target = opening.toLowerCase() === 'www.' ? `https://${address}` : address;
    if (this.#inCode(at)) return { out: address, to };
    if (this.#isAllowed(target, 'link')) {
      SENTENCE_END.lastIndex = to;
      const next = text[to + (SENTENCE_END.exec(text)?.[0].length ?? 0)];
      if (next === undefined && !final) return 'wait';
      // Readers let an address go on to the next space: the end is marked where they would take more than we do.
      const goesOn = next !== undefined && !/[\s<]/.test(next) && opening.toLowerCase() !== 'www.';
      return { out: goesOn ? `<${address}>` : address, to };
    }
    this.removed++;
    return { out: '', to };
  }

  #nested(label: string): string {
    if (!label.includes('[') && !SPECIAL_IN_LABEL.test(label)) return label;
    if (this.#depth >= MAX_NESTING) return label.replace(NESTED, '');
    const inner = new LinkFilter(this.#isAllowed, this.#depth + 1);
    const text = inner.push(label) + inner.end();
    this.removed += inner.removed;
    return text;
  }

  /** Where the bracket at `open` ends; -1 while that may still come, undefined when it does not end. */
  #endOf(open: number): number | undefined {
    const end = this.#pairs.endOf(this.#offset + open);
    return end === undefined || end < 0 ? end : end - this.#offset;
  }

  /** Whether a run of these backticks begins behind `after`; each run is looked at once. */
  #mayClose(text: string, after: number, ticks: string): boolean {
    TICKS.lastIndex = Math.max(after, this.#ticksSeen - this.#offset);
    const end = Math.min(text.length, after + HOLD + ticks.length);
    while (TICKS.lastIndex < end) {
      const run = TICKS.exec(text);
      if (!run) break;
      // The last one may go on in what comes.
      if (TICKS.lastIndex === text.length) return true;
      this.#lastTicks.set(run[0].length, this.#offset + run.index);
      this.#ticksSeen = this.#offset + TICKS.lastIndex;
    }
    return (this.#lastTicks.get(ticks.length) ?? -1) >= this.#offset + after;
  }

  #inCode(at: number): boolean {
    return this.#codeFence !== undefined || at < this.#spanEnd;
  }
}

function holdBegin(text: string, from: number): number {
  const match = ADDRESS_BEGIN.exec(text.slice(Math.max(from, text.length - 32)));
  let hold = match ? text.length - (match[1] as string).length : text.length;
  if (text.endsWith('!') || text.endsWith(']')) hold = text.length - 1;
  return Math.max(from, hold);
}

/** Where a run of exactly these backticks begins; only such a run ends a span. */
function closingTicks(text: string, from: number, ticks: string, final: boolean): number {
  for (let at = text.indexOf(ticks, from); at >= 0 && at - from < HOLD; ) {
    let end = at;
    while (text[end] === '`') end++;
    if (end === text.length && !final) return -1;
    if (end - at === ticks.length) return at;
    at = text.indexOf(ticks, end);
  }
  return -1;
}

function linkTarget(inside: string): string {
  const trimmed = inside.trim();
  const angle = /^<([^>]*)>/.exec(trimmed);
  return angle ? (angle[1] as string) : (trimmed.split(/\s/, 1)[0] ?? '');
}

/** Drops sentence punctuation and unmatched closing brackets from the end of a bare address. */
function trimAddress(address: string): string {
  let text = trimEnd(address, /[.,;:!?*_~\]}]/);
  let surplus = text.split(')').length - text.split('(').length;
  for (; surplus > 0 && text.endsWith(')'); surplus--) text = trimEnd(text.slice(0, -1), /[.,;:!?]/);
  return text;
}

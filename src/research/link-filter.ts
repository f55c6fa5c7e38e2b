import { trimEnd } from '../lib/trim.ts';
import { BracketPairs } from './bracket-pairs.ts';

/** Longest construct held back while it is incomplete. */
const HOLD = 4096;
/** More text at once is taken in pieces, so that nothing is read again over a long distance. */
const PIECE = 16_384;
/** The bound of the scheme keeps the search linear in long words. */
const SPECIAL = /`+|!?\[|<|(?:[a-z][a-z0-9+.-]{0,31}:\/\/|www\.|mailto:|javascript:|vbscript:|data:[a-z]{1,31}\/)/giu;
/** The end of a text that may be the beginning of an address. */
const ADDRESS_BEGIN = /(?:^|[^A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{0,15}(?::\/?)?)$/;
const ADDRESS_BODY = /[^\s<>"'`（）。，、；：！？「」『』【】《》|]*/uy;
const TAG_BODY = /[^<>]*/y;

type Taken = { out: string; to: number } | 'wait';

/** A link whose label is being passed on; its tail follows where the label ends. */
interface OpenLabel {
  end: number;
  tail: string;
  to: number;
}

/**
 * Passes Markdown through as it streams and takes out links to addresses that are not allowed: `[text](url)` becomes
 * its text; images, autolinks, bare addresses, reference definitions and HTML links lose the address. Code is left as
 * it is. Takes time in proportion to the text, whatever it is.
 */
export class LinkFilter {
  /** Addresses taken out. */
  removed = 0;
  readonly #isAllowed: (url: string) => boolean;
  readonly #pairs = new BracketPairs();
  /** What is held back, and its offset in the stream. */
  #text = '';
  #offset = 0;
  /** How much of the text was searched for the end of the construct it begins with. */
  #searched = 0;
  #out = '';
  #atLineStart = true;
  #codeFence: string | undefined;

  constructor(isAllowed: (url: string) => boolean) {
    this.#isAllowed = isAllowed;
  }

  push(text: string): string {
    for (let from = 0; from < text.length; from += PIECE) {
      const piece = text.slice(from, from + PIECE);
      this.#pairs.push(piece);
      this.#text += piece;
      this.#drain(false);
    }
    return this.#take();
  }

  end(): string {
    this.#drain(true);
    return this.#take();
  }

  #take(): string {
    const out = this.#out;
    this.#out = '';
    return out;
  }

  #emit(piece: string): void {
    this.#out += piece;
    if (piece) this.#atLineStart = piece.endsWith('\n');
  }

  #drain(isLast: boolean): void {
    const text = this.#text;
    const labels: OpenLabel[] = [];
    let position = 0;
    let isWaiting = false;
    while (!isWaiting && (position < text.length || labels.length > 0)) {
      const label = labels.at(-1);
      // A label is complete: in it nothing is left to wait for.
      const limit = label?.end ?? text.length;
      const final = isLast || label !== undefined;
      if (label && position >= limit) {
        labels.pop();
        this.#emit(label.tail);
        position = label.to;
      } else if (this.#codeFence) {
        const end = this.#fenceEnd(text, position, final);
        this.#emit(text.slice(position, end));
        position = end;
        isWaiting = this.#codeFence !== undefined;
      } else {
        SPECIAL.lastIndex = position;
        const found = SPECIAL.exec(text);
        const match = found && found.index < limit ? found : null;
        const plainEnd = match ? match.index : final ? limit : holdBegin(text, position);
        this.#emit(text.slice(position, plainEnd));
        if (plainEnd > position) this.#searched = 0;
        position = plainEnd;
        if (match) {
          const taken = this.#construct(text, match.index, match[0], limit, final, labels);
          if (taken !== 'wait') {
            this.#emit(taken.out);
            position = taken.to;
          } else if (text.length - position < HOLD) isWaiting = true;
          else position = this.#giveUp(text, position, match[0]);
          if (!isWaiting) this.#searched = 0;
        } else isWaiting = label === undefined;
      }
    }
    if (isWaiting) this.#searched = text.length - position;
    this.#text = text.slice(position);
    this.#offset += position;
    this.#pairs.forget(this.#offset);
  }

  /** Too long to be meant: an endless address is dropped, anything else is plain text. */
  #giveUp(text: string, position: number, opening: string): number {
    if (!/[:/.]$/.test(opening)) {
      const plain = opening.startsWith('`') ? opening : opening.slice(0, 1);
      this.#emit(plain);
      return position + plain.length;
    }
    this.removed++;
    return text.length;
  }

  #construct(text: string, at: number, opening: string, limit: number, final: boolean, labels: OpenLabel[]): Taken {
    if (opening.startsWith('`')) return this.#code(text, at, opening, limit, final, labels.length > 0);
    if (opening === '<') return this.#angle(text, at, limit, final);
    if (opening.endsWith('[')) return this.#bracket(text, at, opening, limit, final, labels);
    return this.#bare(text, at, opening, limit, final);
  }

  #code(text: string, at: number, found: string, limit: number, final: boolean, isInLabel: boolean): Taken {
    const ticks = found.slice(0, limit - at);
    const after = at + ticks.length;
    if (after === limit && !final) return 'wait';
    if (ticks.length >= 3 && this.#atLineStart && !isInLabel) {
      this.#codeFence = ticks;
      return { out: ticks, to: after };
    }
    const from = Math.max(after, this.#searched - ticks.length);
    const close = indexOf(text, ticks, from, limit);
    // A span crosses neither an empty line nor the beginning of a code block; an unclosed tick is plain text.
    const inner = text.slice(from - 1, close < 0 ? limit : close + ticks.length);
    if (inner.includes('\n\n') || (ticks.length < 3 && inner.includes('\n```'))) return { out: ticks, to: after };
    if (close >= 0) return { out: text.slice(at, close + ticks.length), to: close + ticks.length };
    return final ? { out: ticks, to: after } : 'wait';
  }

  #bracket(text: string, at: number, opening: string, limit: number, final: boolean, labels: OpenLabel[]): Taken {
    const from = at + opening.length;
    const plain: Taken = { out: text.slice(at, Math.min(from, limit)), to: Math.min(from, limit) };
    const close = this.#endOf(from - 1, limit);
    if (close === undefined || (close < 0 && final)) return plain;
    if (close < 0) return 'wait';
    const next = close + 1 < limit ? text[close + 1] : undefined;
    if (next === undefined && !final) return 'wait';
    if (next === '(') {
      const end = this.#endOf(close + 1, limit);
      if (end === undefined || (end < 0 && final)) return plain;
      if (end < 0) return 'wait';
      const target = linkTarget(text.slice(close + 2, end));
      const isKept = target === '' || target.startsWith('#') || this.#isAllowed(target);
      if (!isKept) this.removed++;
      labels.push({ end: close, tail: isKept ? text.slice(close, end + 1) : '', to: end + 1 });
      return { out: isKept ? opening : '', to: from };
    }
    if (next === ':' && opening === '[' && this.#atLineStart) {
      const newline = indexOf(text, '\n', Math.max(close, this.#searched), limit);
      if (newline < 0 && !final) return 'wait';
      const end = newline < 0 ? limit : newline + 1;
      const target = linkTarget(text.slice(close + 2, end));
      if (!/^<?[a-z][a-z0-9+.-]*:/i.test(target) || this.#isAllowed(target))
        return { out: text.slice(at, end), to: end };
      this.removed++;
      return { out: '', to: end };
    }
    return plain;
  }

  /** The end of a bracket in the text at hand; -1 while it may still come, undefined when there is none. */
  #endOf(open: number, limit: number): number | undefined {
    const end = this.#pairs.endOf(this.#offset + open);
    if (end === undefined || end < 0) return end;
    return end - this.#offset < limit ? end - this.#offset : undefined;
  }

  #angle(text: string, at: number, limit: number, final: boolean): Taken {
    const plain: Taken = { out: '<', to: at + 1 };
    const next = at + 1 < limit ? text[at + 1] : undefined;
    if (next === undefined) return final ? plain : 'wait';
    if (!/[a-z/!]/i.test(next)) return plain;
    TAG_BODY.lastIndex = Math.max(at + 1, this.#searched);
    TAG_BODY.exec(text);
    const close = Math.min(TAG_BODY.lastIndex, limit);
    // No tag crosses an empty line.
    if (text.slice(Math.max(at, this.#searched - 1), close).includes('\n\n')) return plain;
    if (close === limit) return final ? plain : 'wait';
    if (text[close] === '<') return plain;
    const inner = text.slice(at + 1, close);
    const address = /^[a-z][a-z0-9+.-]*:\S*$/i.test(inner) ? inner : htmlAddress(inner);
    // What else stands in it may be no tag at all, and an address there would be one of the text.
    if (address === undefined) return plain;
    if (this.#isAllowed(address)) return { out: text.slice(at, close + 1), to: close + 1 };
    this.removed++;
    return { out: '', to: close + 1 };
  }

  #bare(text: string, at: number, found: string, limit: number, final: boolean): Taken {
    const opening = found.slice(0, limit - at);
    ADDRESS_BODY.lastIndex = Math.max(at + opening.length, this.#searched);
    ADDRESS_BODY.exec(text);
    const end = Math.min(ADDRESS_BODY.lastIndex, limit);
    if (end === limit && !final) return 'wait';
    const address = trimAddress(text.slice(at, end));
    const to = at + address.length;
    const target = opening.toLowerCase() === 'www.' ? `https://${address}` : address;
    if (this.#isAllowed(target)) return { out: address, to };
    this.removed++;
    return { out: '', to };
  }

  /** Behind the fence that closes the code, or up to where the text at hand may begin one; forgets a fence it found. */
  #fenceEnd(text: string, from: number, final: boolean): number {
    const fence = this.#codeFence as string;
    for (let at = text.indexOf(fence, from); at >= 0; at = text.indexOf(fence, at + 1)) {
      if (at === from ? !this.#atLineStart : text[at - 1] !== '\n') continue;
      this.#codeFence = undefined;
      return at + fence.length;
    }
    const line = Math.max(from, text.lastIndexOf('\n') + 1);
    const mayBegin = (line > from || this.#atLineStart) && fence.startsWith(text.slice(line, line + fence.length));
    return mayBegin && !final ? line : text.length;
  }
}

/** The place of `wanted` if it lies before `limit` as a whole, else -1. */
function indexOf(text: string, wanted: string, from: number, limit: number): number {
  const at = text.indexOf(wanted, Math.max(0, from));
  return at + wanted.length <= limit ? at : -1;
}

function holdBegin(text: string, from: number): number {
  const match = ADDRESS_BEGIN.exec(text.slice(Math.max(from, text.length - 32)));
  let hold = match ? text.length - (match[1] as string).length : text.length;
  if (text.endsWith('!')) hold = text.length - 1;
  return Math.max(from, hold);
}

function linkTarget(inside: string): string {
  const trimmed = inside.trim();
  const angle = /^<([^>]*)>/.exec(trimmed);
  return angle ? (angle[1] as string) : (trimmed.split(/\s/, 1)[0] ?? '');
}

function htmlAddress(tag: string): string | undefined {
  const match = /\b(?:href|src|srcset|data|action|poster)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag);
  return match ? (match[1] ?? match[2] ?? match[3]) : undefined;
}

/** Drops sentence punctuation and unmatched closing brackets from the end of a bare address. */
function trimAddress(address: string): string {
  let text = trimEnd(address, /[.,;:!?*_~\]}]/);
  let surplus = text.split(')').length - text.split('(').length;
  for (; surplus > 0 && text.endsWith(')'); surplus--) text = trimEnd(text.slice(0, -1), /[.,;:!?]/);
  return text;
}

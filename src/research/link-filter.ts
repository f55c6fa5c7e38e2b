/** Longest construct held back while it is incomplete. */
const HOLD = 4096;
/** The bound of the scheme keeps the search linear in long words. */
const SPECIAL = /`+|!?\[|<|(?:[a-z][a-z0-9+.-]{0,31}:\/\/|www\.|mailto:|javascript:|vbscript:|data:[a-z]+\/)/giu;
/** The end of a text that may be the beginning of an address. */
const ADDRESS_BEGIN = /(?:^|[^A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{0,15}(?::\/?)?)$/;
const ADDRESS_BODY = /[^\s<>"'`（）。，、；：！？「」『』【】《》|]*/uy;

/**
 * Passes Markdown through as it streams and takes out links to addresses that are not allowed: `[text](url)` becomes
 * its text; images, autolinks, bare addresses, reference definitions and HTML links lose the address. Code is left as
 * it is.
 */
export class LinkFilter {
  /** Addresses taken out. */
  removed = 0;
  readonly #isAllowed: (url: string) => boolean;
  #buffer = '';
  #atLineStart = true;
  #codeFence: string | undefined;

  constructor(isAllowed: (url: string) => boolean) {
    this.#isAllowed = isAllowed;
  }

  push(text: string): string {
    this.#buffer += text;
    return this.#drain(false);
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
      return out;
    };
    while (position < text.length) {
      if (this.#codeFence) {
        const close = this.#findFenceEnd(text, position, final);
        emit(text.slice(position, close.to));
        position = close.to;
        if (!close.found) return stopAt(position);
        this.#codeFence = undefined;
        continue;
      }
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
        const address = match[0].endsWith(':') || match[0].endsWith('/');
        if (address) this.removed++;
        else emit(text[position] as string);
        position = address ? text.length : position + 1;
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
    return this.#bare(text, at, opening, final);
  }

  #code(text: string, at: number, ticks: string, final: boolean): { out: string; to: number } | 'wait' {
    const after = at + ticks.length;
    if (after === text.length && !final) return 'wait';
    if (ticks.length >= 3 && this.#atLineStart) {
      this.#codeFence = ticks;
      return { out: ticks, to: after };
    }
    const close = text.indexOf(ticks, after);
    if (close >= 0) return { out: text.slice(at, close + ticks.length), to: close + ticks.length };
    // A span does not cross a blank line; an unclosed tick is plain text.
    if (final || text.indexOf('\n\n', after) >= 0) return { out: ticks, to: after };
    return 'wait';
  }

  #bracket(text: string, at: number, opening: string, final: boolean): { out: string; to: number } | 'wait' {
    const from = at + opening.length;
    const close = findClose(text, from, '[', ']');
    if (close < 0) return final ? { out: opening, to: from } : 'wait';
    const label = text.slice(from, close);
    const next = text[close + 1];
    if (next === undefined && !final) return 'wait';
    if (next === '(') {
      const end = findClose(text, close + 2, '(', ')');
      if (end < 0) return final ? { out: opening, to: from } : 'wait';
      const target = linkTarget(text.slice(close + 2, end));
      const inner = opening === '[' ? this.#nested(label) : label;
      if (target === '' || target.startsWith('#') || this.#isAllowed(target)) {
        return { out: `${opening}${inner}${text.slice(close, end + 1)}`, to: end + 1 };
      }
      this.removed++;
      return { out: inner, to: end + 1 };
    }
    if (next === ':' && opening === '[' && this.#atLineStart) {
      const newline = text.indexOf('\n', close);
      if (newline < 0 && !final) return 'wait';
      const end = newline < 0 ? text.length : newline + 1;
      const target = linkTarget(text.slice(close + 2, end));
      if (!/^<?[a-z][a-z0-9+.-]*:/i.test(target) || this.#isAllowed(target))
        return { out: text.slice(at, end), to: end };
      this.removed++;
      return { out: '', to: end };
    }
    return { out: opening, to: from };
  }

  #angle(text: string, at: number, final: boolean): { out: string; to: number } | 'wait' {
    const next = text[at + 1];
    if (next === undefined) return final ? { out: '<', to: at + 1 } : 'wait';
    if (!/[a-z/!]/i.test(next)) return { out: '<', to: at + 1 };
    const close = text.indexOf('>', at);
    if (close < 0) return final || /\n\n/.test(text.slice(at)) ? { out: '<', to: at + 1 } : 'wait';
    const inner = text.slice(at + 1, close);
    if (inner.includes('<')) return { out: '<', to: at + 1 };
    const address = /^[a-z][a-z0-9+.-]*:\S*$/i.test(inner) ? inner : htmlAddress(inner);
    if (address === undefined || this.#isAllowed(address)) return { out: text.slice(at, close + 1), to: close + 1 };
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
    if (this.#isAllowed(target)) return { out: address, to };
    this.removed++;
    return { out: '', to };
  }

  #nested(label: string): string {
    const inner = new LinkFilter(this.#isAllowed);
    const text = inner.push(label) + inner.end();
    this.removed += inner.removed;
    return text;
  }

  #findFenceEnd(text: string, from: number, final: boolean): { found: boolean; to: number } {
    const fence = this.#codeFence as string;
    for (let at = text.indexOf(fence, from); at >= 0; at = text.indexOf(fence, at + 1)) {
      if (at === 0 || text[at - 1] === '\n' || (at === from && this.#atLineStart))
        return { found: true, to: at + fence.length };
    }
    const lineStart = text.lastIndexOf('\n') + 1;
    return { found: false, to: final ? text.length : Math.max(from, Math.min(lineStart, text.length)) };
  }
}

function holdBegin(text: string, from: number): number {
  const match = ADDRESS_BEGIN.exec(text.slice(Math.max(from, text.length - 32)));
  let hold = match ? text.length - (match[1] as string).length : text.length;
  if (text.endsWith('!')) hold = text.length - 1;
  return Math.max(from, hold);
}

function findClose(text: string, from: number, open: string, close: string): number {
  let depth = 1;
  for (let index = from; index < text.length && index - from < HOLD; index++) {
    const char = text[index];
    if (char === '\\') index++;
    else if (char === open) depth++;
    else if (char === close && --depth === 0) return index;
    else if (char === '\n' && text[index + 1] === '\n') return -1;
  }
  return -1;
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

/** Drops sentence punctuation and an unmatched closing bracket from the end of a bare address. */
function trimAddress(address: string): string {
  let text = address.replace(/[.,;:!?*_~\]}]+$/, '');
  while (text.endsWith(')') && text.split(')').length > text.split('(').length)
    text = text.slice(0, -1).replace(/[.,;:!?]+$/, '');
  return text;
}

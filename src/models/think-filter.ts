/** A piece of an answer after the think tags were taken out. */
export interface ThinkPiece {
  type: 'text' | 'reasoning';
  text: string;
}

const TAGS = [
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
];
const OPENERS = TAGS.map((tag) => tag.open);
/** Both at once: looking for each of them reads the whole rest again when the other is the only one there. */
const OPENER = /<think(?:ing)?>/g;

/**
 * Moves what stands in `<think>…</think>` from the text of an answer to its reasoning, also when a tag is cut across
 * deltas. Nothing but the tags is ever dropped; a tag that is never closed makes the rest reasoning.
 */
export class ThinkFilter {
  /** The tag that ends the reasoning; undefined in text. */
  #close: string | undefined;
  /** The end of the last delta if it may be the start of a tag. */
  #held = '';

  /** Pieces that are certain after this delta. */
  push(delta: string): ThinkPiece[] {
    if (this.#close === undefined && this.#held === '' && !delta.includes('<')) return [{ type: 'text', text: delta }];
    const pieces: ThinkPiece[] = [];
    const text = this.#held + delta;
    let from = 0;
    for (let found = this.#next(text, from); found; found = this.#next(text, from)) {
      this.#emit(pieces, text.slice(from, found.at));
      from = found.at + found.tag.length;
      this.#close =
        this.#close === undefined ? TAGS.find((candidate) => candidate.open === found.tag)?.close : undefined;
    }
    const keep = heldLength(text.slice(from), this.#close === undefined ? OPENERS : [this.#close]);
    this.#held = text.slice(text.length - keep);
    this.#emit(pieces, text.slice(from, text.length - keep));
    return pieces;
  }

  /** What was held back, at the end of the answer. */
  end(): ThinkPiece[] {
    const pieces: ThinkPiece[] = [];
    this.#emit(pieces, this.#held);
    this.#held = '';
    return pieces;
  }

  /** The next tag that counts: an opening one in text, its closing one in reasoning. */
  #next(text: string, from: number): { at: number; tag: string } | undefined {
    if (this.#close !== undefined) {
      const at = text.indexOf(this.#close, from);
      return at < 0 ? undefined : { at, tag: this.#close };
    }
    OPENER.lastIndex = from;
    const match = OPENER.exec(text);
    return match ? { at: match.index, tag: match[0] } : undefined;
  }

  #emit(pieces: ThinkPiece[], text: string): void {
    if (text) pieces.push({ type: this.#close === undefined ? 'text' : 'reasoning', text });
  }
}

/** Length of the longest end of `text` that a tag starts with. */
function heldLength(text: string, tags: string[]): number {
  const from = text.lastIndexOf('<');
  if (from < 0) return 0;
  const tail = text.slice(from);
  return tags.some((tag) => tag.startsWith(tail)) ? tail.length : 0;
}

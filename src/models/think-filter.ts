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
    let rest = this.#held + delta;
    this.#held = '';
    for (;;) {
      const found = this.#close === undefined ? firstOf(rest, OPENERS) : firstOf(rest, [this.#close]);
      if (!found) break;
      this.#emit(pieces, rest.slice(0, found.at));
      rest = rest.slice(found.at + found.tag.length);
      this.#close =
        this.#close === undefined ? TAGS.find((candidate) => candidate.open === found.tag)?.close : undefined;
    }
    const keep = heldLength(rest, this.#close === undefined ? OPENERS : [this.#close]);
    this.#held = rest.slice(rest.length - keep);
    this.#emit(pieces, rest.slice(0, rest.length - keep));
    return pieces;
  }

  /** What was held back, at the end of the answer. */
  end(): ThinkPiece[] {
    const pieces: ThinkPiece[] = [];
    this.#emit(pieces, this.#held);
    this.#held = '';
    return pieces;
  }

  #emit(pieces: ThinkPiece[], text: string): void {
    if (text) pieces.push({ type: this.#close === undefined ? 'text' : 'reasoning', text });
  }
}

function firstOf(text: string, tags: string[]): { at: number; tag: string } | undefined {
  let first: { at: number; tag: string } | undefined;
  for (const tag of tags) {
    const at = text.indexOf(tag);
    if (at >= 0 && (!first || at < first.at)) first = { at, tag };
  }
  return first;
}

/** Length of the longest end of `text` that a tag starts with. */
function heldLength(text: string, tags: string[]): number {
  const from = text.lastIndexOf('<');
  if (from < 0) return 0;
  const tail = text.slice(from);
  return tags.some((tag) => tag.startsWith(tail)) ? tail.length : 0;
}

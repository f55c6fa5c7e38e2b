/** Looks for one text at places that only grow; all searches together read the text once. */
export class Finder {
  readonly #text: string;
  readonly #wanted: string;
  #found = -2;

  constructor(text: string, wanted: string) {
    this.#text = text;
    this.#wanted = wanted;
  }

  /** Where the wanted text stands at or after `from`; -1 when it does not. */
  next(from: number): number {
    if (this.#found !== -1 && this.#found < from) this.#found = this.#text.indexOf(this.#wanted, from);
    return this.#found;
  }
}

/**
 * Takes out (or replaces) what begins with a match of `opening`, a global pattern, and ends where `endOf` says; what
 * has no end stays. An expression for the whole range reads the rest of the text again for every opening that is never closed.
 */
export function cutRanges(
  text: string,
  opening: RegExp,
  endOf: (match: RegExpExecArray) => number | undefined,
  replacement = '',
): string {
  const pattern = new RegExp(opening);
  let kept = '';
  let position = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const end = endOf(match);
    if (end === undefined) continue;
    kept += text.slice(position, match.index) + replacement;
    position = end;
    pattern.lastIndex = end;
  }
  return position === 0 ? text : kept + text.slice(position);
}

/** The largest distance between a bracket and its end. */
const MAX_DISTANCE = 4096;

/**
 * Pairs the brackets and parentheses of a text as it streams, each character read once. An escaped one is no bracket,
 * and no pair crosses an empty line. Offsets are those of the whole stream.
 */
export class BracketPairs {
  /** By the offset of an opening one: its end, or -1 while that may still come; absent when it has none. */
  readonly #ends = new Map<number, number>();
  readonly #brackets: number[] = [];
  readonly #parentheses: number[] = [];
  #read = 0;
  #isEscaped = false;
  #afterNewline = false;

  /** Reads on. */
  push(text: string): void {
    for (let index = 0; index < text.length; index++) this.#take(text[index] as string, this.#read++);
  }

  /** Where the bracket or parenthesis at `open` ends; -1 when that is not known yet, undefined when it does not. */
  endOf(open: number): number | undefined {
    const end = this.#ends.get(open);
    const distance = (end === undefined || end < 0 ? this.#read : end) - open;
    return distance > MAX_DISTANCE ? undefined : end;
  }

  /** Forgets what lies before `offset`. */
  forget(offset: number): void {
    for (const open of this.#ends.keys()) {
      if (open >= offset) break;
      this.#ends.delete(open);
    }
  }

  #take(character: string, at: number): void {
    const isEmptyLine = character === '\n' && this.#afterNewline;
    this.#afterNewline = character === '\n';
    if (isEmptyLine) {
      this.#drop(this.#brackets);
      this.#drop(this.#parentheses);
    }
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '[') this.#open(this.#brackets, at);
    else if (character === '(') this.#open(this.#parentheses, at);
    else if (character === ']') this.#close(this.#brackets, at);
    else if (character === ')') this.#close(this.#parentheses, at);
  }

  #open(stack: number[], at: number): void {
    stack.push(at);
    this.#ends.set(at, -1);
  }

  #close(stack: number[], at: number): void {
    const open = stack.pop();
    if (open !== undefined && this.#ends.has(open)) this.#ends.set(open, at);
  }

  #drop(stack: number[]): void {
    for (const open of stack) this.#ends.delete(open);
    stack.length = 0;
  }
}

/** Deeper values are refused. */
const MAX_DEPTH = 200;
const QUOTES: Record<string, string> = { '"': '"', "'": "'", '`': '`', '“': '”', '”': '”', '‘': '’', '’': '’' };
const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const WORDS: Record<string, boolean | null> = { true: true, True: true, false: false, False: false };
const SPACE = /[\s\u180e\u200b\ufeff]*/y;
const LINE_COMMENT = /(?:\/\/|#)[^\n]*/y;
const WORD = /(?:true|false|null|True|False|None|undefined|NaN)(?![\w$])/y;
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?=[\s,\]}:/#]|$)/y;
const BARE_KEY = /[^\s"'`“”‘’{}[\],:]+/y;
const BARE_VALUE = /[^"'`“”‘’{}[\],\n]+/y;
const CLOSING = { '{': '}', '[': ']' } as const;

/**
 * The object or list at the beginning of a text that is nearly JSON, as language models write it: comments, other or
 * missing quotes, missing, doubled and trailing commas, line breaks in strings, Python's words, an end that was cut off.
 * Several, one after the other, become a list. Undefined when there is none, or when other text follows. Reads each
 * character a bounded number of times, whatever the text is.
 */
export function parseLenientJson(text: string): unknown {
  // A value that was written into a string: {\"a\": 1}.
  const unescaped = /^\s*[[{]\s*\\"/.test(text) ? parseString(text) : undefined;
  try {
    return new Reader(unescaped ?? text).root();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

class Unreadable extends Error {}

function parseString(inner: string): string | undefined {
  try {
    return JSON.parse(`"${inner.replaceAll('\n', '\\n').trim()}"`);
  } catch {
    return undefined;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  root(): unknown {
    const values: unknown[] = [];
    for (this.#skip(); this.#at < this.#text.length; this.#skip()) {
      const mark = this.#text[this.#at] as string;
      if (mark === '{' || mark === '[') values.push(this.#value(0));
      // More closing brackets than opening ones, and what separates one value per line.
      else if (values.length > 0 && /[\]},;]/.test(mark)) this.#at++;
      else throw new Unreadable();
    }
    if (values.length === 0) throw new Unreadable();
    return values.length === 1 ? values[0] : values;
  }

  #value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new Unreadable();
    const mark = this.#text[this.#at] as string;
    if (mark === '{') return this.#object(depth);
    if (mark === '[') return this.#list(depth);
    if (Object.hasOwn(QUOTES, mark)) return this.#strings();
    const number = this.#match(NUMBER);
    if (number !== undefined) return Number(number);
    const word = this.#match(WORD);
    if (word !== undefined) return WORDS[word] ?? null;
    return this.#match(BARE_VALUE)?.trim() ?? '';
  }

  #object(depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    this.#at++;
    while (this.#next('{')) {
      const mark = this.#text[this.#at] as string;
      // A value without a key says nothing.
      if (mark === '{' || mark === '[') {
        this.#value(depth + 1);
        continue;
      }
      const key = Object.hasOwn(QUOTES, mark) ? this.#string() : this.#match(BARE_KEY);
      this.#skip();
      const hasValue = this.#text[this.#at] === ':';
      if (hasValue || key === undefined) this.#at++;
      if (!hasValue) continue;
      this.#skip();
      const isMissing = /^[,}\]]?$/.test(this.#text[this.#at] ?? '');
      const value = isMissing ? null : this.#value(depth + 1);
      // A plain assignment of `__proto__` would change the object instead of filling it.
      if (key !== undefined)
        Object.defineProperty(result, key, { value, writable: true, enumerable: true, configurable: true });
    }
    return result;
  }

  #list(depth: number): unknown[] {
    const result: unknown[] = [];
    this.#at++;
    while (this.#next('[')) {
      if (this.#text[this.#at] === ':') this.#at++;
      else result.push(this.#value(depth + 1));
    }
    return result;
  }

  /** Goes to the next entry of a container; false when it ended, there or with the text. */
  #next(open: '{' | '['): boolean {
    for (;;) {
      this.#skip();
      const mark = this.#text[this.#at];
      if (mark === undefined) return false;
      if (mark === ',') this.#at++;
      else if (this.#text.startsWith('...', this.#at)) this.#at += 3;
      else if (mark === '…') this.#at++;
      else if (mark === '}' || mark === ']') {
        // The other kind of bracket also ends the container around this one, which takes it.
        if (mark === CLOSING[open]) this.#at++;
        return false;
      } else return true;
    }
  }

  /** A string, and those added to it by `+`. */
  #strings(): string {
    let text = this.#string(true);
    for (;;) {
      const end = this.#at;
      this.#skip();
      if (this.#text[this.#at] !== '+') {
        this.#at = end;
        return text;
      }
      this.#at++;
      this.#skip();
      if (!Object.hasOwn(QUOTES, this.#text[this.#at] ?? '')) return text;
      text += this.#string(true);
    }
  }

  /** A key, or a value, which no colon follows: there the quotation mark before the colon opened a key. */
  #string(isValue = false): string {
    const text = this.#text;
    const close = QUOTES[text[this.#at] as string] as string;
    let result = '';
    let from = ++this.#at;
    let inner = -1;
    for (; this.#at < text.length; this.#at++) {
      const character = text[this.#at];
      if (character === '\\') {
        result += text.slice(from, this.#at) + this.#escape();
        from = this.#at + 1;
      } else if (character === close) {
        const next = this.#afterString(this.#at + 1);
        if (isValue && next === ':' && inner >= from && /,\s*$/.test(text.slice(Math.max(from, inner - 20), inner))) {
          this.#at = inner;
          return (result + text.slice(from, inner)).replace(/,\s{0,20}$/, '');
        }
        if (next !== undefined) {
          result += text.slice(from, this.#at);
          this.#at++;
          return result;
        }
        inner = this.#at;
      }
    }
    return result + text.slice(from);
  }

  /** What follows at `at` if it may follow a string (empty at the end); undefined after a quotation mark inside a text. */
  #afterString(at: number): string | undefined {
    SPACE.lastIndex = at;
    const space = SPACE.exec(this.#text)![0];
    const next = this.#text[at + space.length];
    if (next === undefined || /[,:}\]+]/.test(next) || space.includes('\n')) return next ?? '';
    const isOver =
      space === '' ? this.#text.startsWith('//', at) || this.#text.startsWith('/*', at) : /["{[#/]/.test(next);
    return isOver ? next : undefined;
  }

  /** The character an escape stands for; leaves the position at its last character. */
  #escape(): string {
    const letter = this.#text[++this.#at] ?? '';
    if (letter === 'u') {
      const code = /^[0-9a-f]{4}$/i.exec(this.#text.slice(this.#at + 1, this.#at + 5))?.[0];
      if (code === undefined) return 'u';
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    return ESCAPES[letter] ?? letter;
  }

  #skip(): void {
    for (;;) {
      this.#match(SPACE);
      if (this.#text.startsWith('/*', this.#at)) {
        const end = this.#text.indexOf('*/', this.#at + 2);
        this.#at = end < 0 ? this.#text.length : end + 2;
      } else if (this.#match(LINE_COMMENT) === undefined) return;
    }
  }

  /** What `pattern` reads at the position; undefined when that is nothing. */
  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (!found) return undefined;
    this.#at += found.length;
    return found;
  }
}

import { isRecord, parseJson } from '../lib/json.ts';

/** A line longer than this is not an answer. */
const MAX_LINE_CHARS = 8_388_608;

/**
 * Parses the body of a streamed chat completion: server-sent events whose data is one JSON object each. Stricter and
 * smaller than the SDK's parser, which costs four to six times as much CPU per chunk (measured with Bun 1.4.5 and
 * openai 7.55: 3.2–6.9 µs against 0.8–1.1 µs, of which reading the body is 0.2).
 */
export class ChatStream {
  /** True after `[DONE]`; what follows is ignored. */
  done = false;
  readonly #decoder = new TextDecoder();
  #rest = '';
  /** Data lines of one event that are not JSON yet. */
  #open = '';

  /** The objects completed by these bytes; undefined when the body is not such a stream. */
  push(bytes: Uint8Array): Record<string, unknown>[] | undefined {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    const objects: Record<string, unknown>[] = [];
    let from = 0;
    for (let end = text.indexOf('\n', from); end >= 0 && !this.done; end = text.indexOf('\n', from)) {
      const line = text.charCodeAt(end - 1) === 13 ? text.slice(from, end - 1) : text.slice(from, end);
      from = end + 1;
      if (!this.#line(line, objects)) return undefined;
    }
    this.#rest = text.slice(from);
    return this.#rest.length > MAX_LINE_CHARS ? undefined : objects;
  }

  /** The last line when the body ends without a line break. */
  end(): Record<string, unknown>[] | undefined {
    const objects: Record<string, unknown>[] = [];
    const isValid = this.#line(this.#rest, objects) && this.#line('', objects);
    this.#rest = '';
    return isValid ? objects : undefined;
  }

  #line(line: string, objects: Record<string, unknown>[]): boolean {
    // An event that is not JSON when it ends never will be.
    if (line === '') return this.#open === '';
    // Comments (OpenRouter's keep-alive), event names and ids carry nothing here.
    if (!line.startsWith('data:')) return true;
    const data = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
    if (data === '[DONE]') {
      this.done = true;
      return true;
    }
    if (data === '') return true;
    const value = parseJson(this.#open + data);
    if (value === undefined) this.#open += `${data}\n`;
    else this.#open = '';
    if (isRecord(value)) objects.push(value);
    return value === undefined || isRecord(value);
  }
}

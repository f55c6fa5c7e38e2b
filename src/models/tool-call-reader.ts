import { isRecord, parseModelJson } from '../lib/json.ts';
import { readWrittenCalls, type WrittenCall } from './written-calls.ts';

/** What is certain after a delta: text to send on and calls that were read. */
export interface Read {
  text: string;
  calls: WrittenCall[];
}

type Verdict =
  /** More of the answer is needed. */
  | { kind: 'wait' }
  /** The first `length` characters are ordinary text. */
  | { kind: 'text'; length: number }
  /** The first `length` characters are calls; `closers` may follow and are dropped. */
  | { kind: 'calls'; length: number; calls: WrittenCall[]; closers: string[] };

const TAG = '<tool_call>';
const FENCE = '```';
const FIRST_KEYS =
  /^(?:tool|name|tool_name|tool_call|tool_calls|function|action|arguments|args|parameters|input|type|id|thoughts?)$/;
const ARGUMENTS = /["'](?:arguments|args|parameters|input|action_input)["']\s*:/;
/** A call longer than this is not waited for. */
const MAX_CALL_CHARS = 65_536;

/**
 * Reads tool calls which a model without tool calling writes as JSON in its answer: bare, fenced or in
 * `<tool_call>` tags, with prose around. Text that may be the start of a call is held back until it is certain, so a
 * call is never streamed as text and other text is never lost.
 */
export class ToolCallReader {
  readonly #names: ReadonlySet<string>;
  #buffer = '';
  #closers: string[] = [];

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
  }

  push(delta: string): Read {
    const isHeld = this.#buffer.length > 80;
    this.#buffer += delta;
    // A held call only becomes certain with a bracket that closes.
    if (isHeld && this.#buffer.length < MAX_CALL_CHARS && !/[}\]]/.test(delta)) return { text: '', calls: [] };
    return this.#drain(false);
  }

  /** What was held back, at the end of the answer; a call that was cut off is repaired if it can be. */
  end(): Read {
    return this.#drain(true);
  }

  #drain(isEnd: boolean): Read {
    const read: Read = { text: '', calls: [] };
    while (this.#buffer !== '') {
      if (this.#closers.length > 0 && !this.#dropCloser(isEnd)) break;
      const start = candidateStart(this.#buffer);
      read.text += this.#take(start);
      if (this.#buffer === '') break;
      const verdict = this.#judge(this.#buffer, isEnd);
      if (verdict.kind === 'wait') break;
      const taken = this.#take(verdict.length);
      if (verdict.kind === 'text') read.text += taken;
      else {
        read.calls.push(...verdict.calls);
        this.#closers = verdict.closers;
      }
    }
    return read;
  }

  #take(length: number): string {
    const taken = this.#buffer.slice(0, length);
    this.#buffer = this.#buffer.slice(length);
    return taken;
  }

  /** Drops the fence or tag that closes a call; false when more is needed to know. */
  #dropCloser(isEnd: boolean): boolean {
    while (this.#closers.length > 0) {
      const rest = this.#buffer.trimStart();
      const closer = this.#closers[0]!;
      if (rest.startsWith(closer)) this.#buffer = rest.slice(closer.length);
      else if (!isEnd && closer.startsWith(rest)) return false;
      this.#closers.shift();
    }
    return true;
  }

  #judge(held: string, isEnd: boolean): Verdict {
    const wait: Verdict = isEnd ? { kind: 'text', length: held.length } : { kind: 'wait' };
    const closers: string[] = [];
    let at = 0;
    if (held.startsWith(TAG)) {
      at = TAG.length;
      closers.push('</tool_call>');
    } else if (held.startsWith('<')) return TAG.startsWith(held) ? wait : { kind: 'text', length: 1 };
    at += spaces(held, at);
    const fence = /^`{1,3}/.exec(held.slice(at))?.[0] ?? '';
    if (fence === FENCE) {
      closers.unshift(FENCE);
      at += FENCE.length;
      at += /^\w*\s*/.exec(held.slice(at))![0].length;
    } else if (fence !== '') {
      return at + fence.length === held.length ? wait : { kind: 'text', length: at + fence.length };
    }
    if (at === held.length) return wait;
    const opening = /^(?:\[\s*)?\{\s*(?:["']([\w ]*)(["'])?)?/.exec(held.slice(at));
    if (!opening) {
      const isOpenArray = /^\[\s*$/.test(held.slice(at));
      return isOpenArray ? wait : { kind: 'text', length: Math.max(at, 1) };
    }
    const isWhole = at + opening[0].length === held.length;
    const [, key, quote] = opening;
    const isForeign = quote ? !FIRST_KEYS.test(key!) : !isWhole;
    if (isForeign) return { kind: 'text', length: at + 1 };
    const length = valueLength(held, at);
    if (length === undefined && !isEnd)
      return held.length > MAX_CALL_CHARS ? { kind: 'text', length: held.length } : wait;
    const end = length === undefined ? held.length : at + length;
    // A call that was cut off before its arguments says nothing yet.
    const isCutEarly = length === undefined && !ARGUMENTS.test(held);
    const value = isCutEarly ? undefined : parseModelJson(held.slice(at, end));
    const calls = isRecord(value) || Array.isArray(value) ? readWrittenCalls(value, this.#names) : [];
    return calls.length ? { kind: 'calls', length: end, calls, closers } : { kind: 'text', length: end };
  }
}

/** Where something that may be a call starts; the length of the text when nothing does. */
function candidateStart(text: string): number {
  const at = text.search(/[{[`<]/);
  return at < 0 ? text.length : at;
}

function spaces(text: string, from: number): number {
  return /^\s*/.exec(text.slice(from))![0].length;
}

/** Length of the bracketed JSON value at `from`; undefined while it is open. */
function valueLength(text: string, from: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (isInString) {
      if (char === '\\') at++;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1 - from;
  }
  return undefined;
}

import type { LoggedEvent } from './logged-event.ts';

const TAIL_EVENTS = 256;
const TAIL_BYTES = 256 * 1024;

/**
 * The part of a running run that its followers share: the newest events, and the word that there are more. A follower
 * that falls behind the tail reads the log instead, so a slow client costs no memory.
 */
export class LiveRun {
  readonly id: string;
  readonly threadId: string;
  /** Set once, when no more events will come. */
  ended = false;
  /** Why the stream ends before the run does (shutdown, or a database that cannot be written). */
  parting: { code: string; message: string } | undefined;
  lastSeq: number;
  #tail: LoggedEvent[] = [];
  #bytes = 0;
  #waiting = new Set<() => void>();

  constructor(id: string, threadId: string, lastSeq: number) {
    this.id = id;
    this.threadId = threadId;
    this.lastSeq = lastSeq;
  }

  /** Adds a committed event and wakes the followers. */
  publish(event: LoggedEvent): void {
    this.#tail.push(event);
    this.#bytes += event.text.length;
    this.lastSeq = event.seq;
    while (this.#tail.length > TAIL_EVENTS || (this.#bytes > TAIL_BYTES && this.#tail.length > 1)) {
      this.#bytes -= this.#tail.shift()?.text.length ?? 0;
    }
    this.#wake();
  }

  /** Marks the end; `parting` is told to the followers as an error that is not in the log. */
  end(parting?: { code: string; message: string }): void {
    if (this.ended) return;
    this.ended = true;
    this.parting = parting;
    this.#wake();
  }

  /** Events after `cursor` if the tail still holds them all, else undefined. */
  after(cursor: number): LoggedEvent[] | undefined {
    const first = this.#tail[0];
    if (cursor >= this.lastSeq) return [];
    if (!first || first.seq > cursor + 1) return undefined;
    return this.#tail.slice(cursor + 1 - first.seq);
  }

  /** Resolves when there are events after `cursor` or the run ended; rejects on abort. */
  wait(cursor: number, signal: AbortSignal): Promise<void> {
    if (this.ended || this.lastSeq > cursor) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const wake = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        this.#waiting.delete(wake);
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(wake);
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const wake of waiting) wake();
  }
}

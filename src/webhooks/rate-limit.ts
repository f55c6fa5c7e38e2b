const WINDOW_MS = 60_000;
const MAX_KEYS = 10_000;

export type RateVerdict = { ok: true } | { ok: false; retryAfterSeconds: number };

/** Counts events of a key in a sliding minute. */
export class RateLimiter {
  /** Times of the counted events, oldest first. */
  readonly #times = new Map<string, number[]>();

  /** Keys that were counted lately. */
  get size(): number {
    return this.#times.size;
  }

  /** Whether one more event fits, without counting it. */
  check(key: string, limit: number, now: number): RateVerdict {
    const times = this.#recent(key, now);
    if (limit <= 0 || times.length < limit) return { ok: true };
    // The wait until enough events have left the window for one more to fit.
    const oldest = times[times.length - limit] as number;
    return { ok: false, retryAfterSeconds: Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000)) };
  }

  /** Counts an event. */
  count(key: string, now: number): void {
    const times = this.#recent(key, now);
    times.push(now);
    if (times.length > 1) return;
    if (this.#times.size >= MAX_KEYS) this.#times.delete(this.#times.keys().next().value as string);
    this.#times.set(key, times);
  }

  /** Takes an event back that was counted at `time`. */
  refund(key: string, time: number): void {
    const times = this.#times.get(key);
    const index = times?.lastIndexOf(time) ?? -1;
    if (index >= 0) times?.splice(index, 1);
  }

  #recent(key: string, now: number): number[] {
    const times = this.#times.get(key);
    if (!times) return [];
    let gone = 0;
    while (gone < times.length && (times[gone] as number) <= now - WINDOW_MS) gone++;
    if (gone > 0) times.splice(0, gone);
    if (times.length === 0) this.#times.delete(key);
    return times;
  }
}

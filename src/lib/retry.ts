import type { Clock } from './clock.ts';

export interface RetryOptions {
  /** Calls in all, the first one included. */
  attempts: number;
  /** First wait; doubles each time, with full jitter. */
  baseMs: number;
  maxMs: number;
  clock: Clock;
  signal?: AbortSignal;
  /** Returns false to give up, true to back off, or the wait in milliseconds the provider asked for. */
  shouldRetry(error: unknown): boolean | number;
  random?: () => number;
}

/** Calls `work` until it succeeds, gives up, or is aborted. */
export async function retry<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      options.signal?.throwIfAborted();
      const verdict = options.shouldRetry(error);
      if (verdict === false || attempt >= options.attempts) throw error;
      await options.clock.sleep(backoffMs(attempt, verdict, options), options.signal);
    }
  }
}

/** The wait before the next attempt: what the provider asked for (capped), else exponential with full jitter. */
export function backoffMs(
  attempt: number,
  verdict: boolean | number,
  options: { baseMs: number; maxMs: number; random?: () => number },
): number {
  if (typeof verdict === 'number') return Math.min(Math.max(verdict, 0), options.maxMs);
  const ceiling = Math.min(options.maxMs, options.baseMs * 2 ** (attempt - 1));
  return ceiling / 2 + (options.random ?? Math.random)() * (ceiling / 2);
}

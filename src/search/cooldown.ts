import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { ProviderStatus } from '../lib/provider-fetch.ts';

/** A key that was refused is not accepted a minute later. */
const REJECTED_MS = 15 * 60_000;
/** A provider's own wish is followed up to here. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

/** Keeps an engine that failed at rest, and lets one call at a time find out whether it is back. */
export class Cooldown {
  #until = 0;
  #reason: string | undefined;
  #probe: Promise<void> | undefined;

  constructor(
    readonly clock: Clock,
    readonly cooldownMs: number,
  ) {}

  /** Why the engine must not be asked now; undefined when it may. */
  get resting(): string | undefined {
    return this.clock.now() < this.#until ? this.#reason : undefined;
  }

  /**
   * Runs `work` unless the engine rests (then resolves to undefined) and remembers how it ended. After a failure the
   * first caller tries alone; the others wait for its outcome instead of all running into the same wall.
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    while (this.#probe) await abortable(this.#probe, signal);
    if (this.resting !== undefined) return undefined;
    if (this.#reason === undefined) return this.#observe(work, signal);
    const probe = Promise.withResolvers<void>();
    this.#probe = probe.promise;
    try {
      return await this.#observe(work, signal);
    } finally {
      this.#probe = undefined;
      probe.resolve();
    }
  }

  async #observe<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      const result = await work();
      this.#reason = undefined;
      return result;
    } catch (error) {
      // An abort says nothing about the engine.
      if (!signal.aborted) this.#rest(error);
      throw error;
    }
  }

  #rest(error: unknown): void {
    const waitMs = restMs(error, this.cooldownMs);
    if (waitMs === 0) return;
    this.#until = this.clock.now() + waitMs;
    this.#reason = error instanceof Error ? error.message : 'failed';
  }
}

function restMs(error: unknown, cooldownMs: number): number {
  if (!(error instanceof AppError)) return cooldownMs;
  const status = error.cause instanceof ProviderStatus ? error.cause.status : undefined;
  // The query was at fault, not the engine.
  if (status === 400 || status === 414 || status === 422) return 0;
  if (cooldownMs > 0 && (status === 401 || status === 403)) return Math.max(cooldownMs, REJECTED_MS);
  if (error.retryAfterMs !== undefined) return Math.min(error.retryAfterMs, MAX_RETRY_AFTER_MS);
  return cooldownMs;
}

async function abortable(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';

const PAUSE_MS = 500;

/**
 * Repeats a write until it is on disk: an outcome that is not stored would leave its event taken for ever. Gives up on anything
 * but a busy database, and when the signal ends the process's life (recovery takes over then).
 */
export async function persist<T>(clock: Clock, signal: AbortSignal, write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof AppError && error.retryable) || signal.aborted) throw error;
      await clock.sleep(PAUSE_MS, signal);
    }
  }
}

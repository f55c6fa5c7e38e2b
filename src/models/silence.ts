import type { Clock } from '../lib/clock.ts';

/** Guards the waits for a provider: one timer for a whole stream instead of one for each piece. */
export interface SilenceWatch {
  /** Aborted by the caller's signal, by too long a wait, and by `stop`. */
  readonly signal: AbortSignal;
  readonly timedOut: boolean;
  /** A wait begins. */
  arm(): void;
  /** The wait is over; time the reader of the stream takes does not count. */
  disarm(): void;
  /** Ends the watch and what still hangs on its signal. */
  stop(): void;
}

/** Watches that no single wait is longer than `timeoutMs`. */
export function watchSilence(caller: AbortSignal, timeoutMs: number, clock: Clock): SilenceWatch {
  const controller = new AbortController();
  const { signal } = controller;
  let since: number | undefined;
  let timedOut = false;
  const onAbort = () => controller.abort(caller.reason);
  caller.addEventListener('abort', onAbort, { once: true });
  if (caller.aborted) onAbort();

  const watch = async () => {
    let waitMs = timeoutMs;
    while (!signal.aborted) {
      await clock.sleep(waitMs, signal);
      const silentMs = since === undefined ? 0 : clock.now() - since;
      if (silentMs >= timeoutMs) {
        timedOut = true;
        controller.abort();
      }
      waitMs = timeoutMs - silentMs;
    }
  };
  // The only rejection is the end of the sleep by `stop` or the caller's abort.
  watch().catch(() => undefined);

  return {
    signal,
    get timedOut() {
      return timedOut;
    },
    arm: () => {
      since = clock.now();
    },
    disarm: () => {
      since = undefined;
    },
    stop: () => {
      caller.removeEventListener('abort', onAbort);
      controller.abort();
    },
  };
}

/** Gives the event loop a turn when the work since the last turn took longer than `sliceMs`; rejects on abort. */
export type Breathe = () => Promise<void> | undefined;

/** A `Breathe` for one answer. The clock only decides when to pause, never what is written. */
export function createBreathe(signal: AbortSignal, sliceMs = 4): Breathe {
  let last = performance.now();
  return () => {
    if (performance.now() - last < sliceMs) return undefined;
    return new Promise((resolve, reject) =>
      setImmediate(() => {
        last = performance.now();
        if (signal.aborted) reject(signal.reason);
        else resolve();
      }),
    );
  };
}

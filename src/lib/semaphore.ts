/** Lets at most `limit` holders in at once; waiters are served in order and leave on abort. */
export class Semaphore {
  #free: number;
  readonly #waiting: { resolve: () => void; reject: (reason: unknown) => void }[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Number of callers waiting for a place. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Waits for a place and returns the function that gives it back (safe to call twice). */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting.shift();
      if (next) next.resolve();
      else this.#free++;
    };
  }

  /** Runs `work` while holding a place. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        resolve: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        reject,
      };
      const onAbort = () => {
        const index = this.#waiting.indexOf(waiter);
        if (index >= 0) this.#waiting.splice(index, 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
    });
  }
}

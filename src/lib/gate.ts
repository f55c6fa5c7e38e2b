import { fail } from '../errors.ts';
import { Semaphore } from './semaphore.ts';

export interface GateOptions {
  /** Work done at once. */
  limit: number;
  /** Callers that may wait for a place; further ones are refused. */
  maxWaiting: number;
  /** What is busy, for the refusal: `speech`, `podcasts`. */
  what: string;
}

/** Lets a bounded number of callers in, makes a bounded number wait, and refuses the rest with `overloaded` (503). */
export class Gate {
  readonly #options: GateOptions;
  readonly #places: Semaphore;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#places = new Semaphore(options.limit);
  }

  /** Waits for a place and returns the function that gives it back. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    if (this.#places.waiting >= this.#options.maxWaiting)
      throw fail('overloaded', `Too many requests for ${this.#options.what} are waiting; try again later.`);
    return this.#places.acquire(signal);
  }

  /** Runs `work` while holding a place. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.enter(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}

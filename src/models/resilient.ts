import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { retry } from '../lib/retry.ts';
import type { Model, ModelEvent, ModelRequest } from './model.ts';
import { MAX_WAIT_MS, retryVerdict } from './provider-errors.ts';

/** A model of a chain and how often it is tried again. */
export interface Link {
  model: Model;
  /** Further attempts after the first. */
  retries: number;
}

/** What the chain needs from outside. */
export interface ResilientNeeds {
  clock: Clock;
  log: Logger;
  random?: () => number;
}

const BASE_WAIT_MS = 500;

interface Opened {
  first: IteratorResult<ModelEvent>;
  iterator: AsyncIterator<ModelEvent>;
}

/**
 * A model with its retries and fallback chain. Failures are retried with jittered backoff, then the next model of the
 * chain is asked; once a piece of an answer was given on, a failure is final, because it cannot be taken back.
 */
export class ResilientModel implements Model {
  readonly name: string;
  readonly #links: readonly [Link, ...Link[]];
  readonly #needs: ResilientNeeds;
  /** The window of a fallback model that was asked and found the prompt too long. */
  #fallbackWindow = Infinity;

  constructor(links: readonly [Link, ...Link[]], needs: ResilientNeeds) {
    this.name = links[0].model.name;
    this.#links = links;
    this.#needs = needs;
  }

  get contextWindow(): number {
    return Math.min(this.#links[0].model.contextWindow, this.#fallbackWindow);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const failures: AppError[] = [];
    for (const link of this.#links) {
      const isFirst = link === this.#links[0];
      let opened: Opened;
      try {
        opened = await this.#open(link, request, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AppError) || error.category !== 'upstream') throw error;
        if (error.code === 'context_overflow') {
          // The caller shortens the prompt to `contextWindow` and asks again.
          if (!isFirst) this.#fallbackWindow = link.model.contextWindow;
          throw error;
        }
        failures.push(error);
        this.#needs.log.warn('Model call failed', {
          model: link.model.name,
          agent: request.agent,
          code: error.code,
          reason: error.message,
        });
        continue;
      }
      if (isFirst) this.#fallbackWindow = Infinity;
      const { first, iterator } = opened;
      try {
        // Not `yield*`: delegating costs several promises for each event.
        for (let result = first; !result.done; result = await iterator.next()) yield result.value;
      } finally {
        await iterator.return?.();
      }
      return;
    }
    throw combine(failures);
  }

  /** Calls a model until its first piece is here. */
  async #open(link: Link, request: ModelRequest, signal: AbortSignal): Promise<Opened> {
    let attempts = 0;
    try {
      return await retry(
        async () => {
          attempts++;
          const iterator = link.model.stream(request, signal)[Symbol.asyncIterator]();
          return { first: await iterator.next(), iterator };
        },
        {
          attempts: link.retries + 1,
          baseMs: BASE_WAIT_MS,
          maxMs: MAX_WAIT_MS,
          clock: this.#needs.clock,
          signal,
          random: this.#needs.random,
          shouldRetry: retryVerdict,
        },
      );
    } catch (error) {
      if (attempts === 1 || !(error instanceof AppError) || error.category !== 'upstream') throw error;
      throw withMessage(error, `${error.message}; tried ${attempts} times`);
    }
  }
}

/** One error that says everything that was tried; its code is that of the first model. */
function combine(failures: AppError[]): AppError {
  const [first] = failures;
  if (failures.length === 1) return first!;
  return withMessage(first!, `No model of the chain answered: ${failures.map((error) => error.message).join('; ')}`);
}

function withMessage(error: AppError, message: string): AppError {
  const { code, category, status, retryable, retryAfterMs, cause } = error;
  return new AppError(message, { code, category, status, retryable, retryAfterMs, cause });
}

import { fail } from '../errors.ts';
import type { Evaluation, SandboxLimits, WorkerMessage } from './model.ts';

/** Time a worker may need to load the engine on a busy machine. */
const START_MS = 15_000;
/** What native code that does not look at the clock may take beyond the limit before its thread is ended. */
const GRACE_MS = 100;

/** A thread with one sandbox in it; for one evaluation at a time. */
export class QuickJsWorker {
  readonly #limits: SandboxLimits;
  readonly #ready = Promise.withResolvers<void>();
  #worker: Bun.Worker | undefined;
  #answer: PromiseWithResolvers<Evaluation> | undefined;
  #lastId = 0;

  /** Starts the thread. */
  constructor(limits: SandboxLimits) {
    this.#limits = limits;
    // The DOM's declaration of Worker hides Bun's.
    const worker = new Worker(workerAddress(), { smol: true } as WorkerOptions) as unknown as Bun.Worker;
    const onMessage = ({ data }: MessageEvent<WorkerMessage>) => {
      if ('ready' in data) this.#ready.resolve();
      else if (data.id === this.#lastId) this.#answer?.resolve(data.evaluation);
    };
    worker.onmessage = onMessage as typeof worker.onmessage;
    worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(event.error ?? event.message);
    };
    worker.postMessage({ limits });
    worker.unref();
    this.#worker = worker;
    // A worker that is started ahead of need may fail before anybody waits for it.
    this.#ready.promise.catch(() => {});
  }

  /** False once the thread was ended. */
  get alive(): boolean {
    return this.#worker !== undefined;
  }

  /** Runs code; answers every limit. Rejects with the signal's reason on abort, which ends the thread. */
  async evaluate(code: string, signal: AbortSignal): Promise<Evaluation> {
    const onAbort = () => this.#fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      await this.#whenReady();
      const answer = Promise.withResolvers<Evaluation>();
      this.#answer = answer;
      const timer = setTimeout(() => {
        this.terminate();
        answer.resolve({ output: '', exceeded: 'time' });
      }, this.#limits.timeMs + GRACE_MS);
      try {
        this.#worker?.ref();
        this.#worker?.postMessage({ id: ++this.#lastId, code });
        return await answer.promise;
      } finally {
        clearTimeout(timer);
        this.#answer = undefined;
        this.#worker?.unref();
      }
    } catch (error) {
      signal.throwIfAborted();
      throw fail('sandbox_failed', 'The code sandbox could not be started.', { cause: error });
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Ends the thread and what it runs; idempotent. */
  terminate(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #whenReady(): Promise<void> {
    this.#worker?.ref();
    const timer = setTimeout(() => this.#fail(new Error('the worker did not start in time')), START_MS);
    await this.#ready.promise.finally(() => clearTimeout(timer));
  }

  #fail(reason: unknown): void {
    this.terminate();
    this.#ready.reject(reason);
    this.#answer?.reject(reason);
  }
}

/**
 * In source the worker lies beside this file; in a binary it is an extra entry point that keeps its path in the
 * repository (`root` in scripts/build.ts).
 */
function workerAddress(): string {
  const embedded = /\$bunfs|~BUN/.test(import.meta.url);
  return new URL(embedded ? './src/sandbox/quickjs.worker.js' : './quickjs.worker.ts', import.meta.url).href;
}

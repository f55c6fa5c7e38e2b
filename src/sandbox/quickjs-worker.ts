import { fail } from '../errors.ts';
import { WorkerHandle } from '../lib/worker-handle.ts';
import type { Evaluation, SandboxLimits } from './model.ts';
import type { QuickJsOperations } from './quickjs.worker.ts';

/** Time a worker may need to load the engine on a busy machine. */
const START_MS = 15_000;
/** What native code that does not look at the clock may take beyond the limit before its thread is ended. */
const GRACE_MS = 100;

/** A thread with one sandbox in it; for one evaluation at a time. */
export class QuickJsWorker {
  readonly #limits: SandboxLimits;
  readonly #worker = new WorkerHandle<QuickJsOperations>({
    kind: 'thread',
    moduleUrl: import.meta.url,
    path: 'sandbox/quickjs',
  });
  readonly #ready: Promise<void>;

  /** Starts the thread. */
  constructor(limits: SandboxLimits) {
    this.#limits = limits;
    const timer = setTimeout(() => this.#worker.terminate(new Error('the worker did not start in time')), START_MS);
    timer.unref();
    this.#ready = this.#worker.call('open', limits).finally(() => clearTimeout(timer));
    // A worker that is started ahead of need may fail before anybody waits for it.
    this.#ready.catch(() => {});
  }

  /** False once the thread was ended. */
  get alive(): boolean {
    return this.#worker.running;
  }

  /** Runs code; answers every limit. Rejects with the signal's reason on abort, which ends the thread. */
  async evaluate(code: string, signal: AbortSignal): Promise<Evaluation> {
    const onAbort = () => this.#worker.terminate(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    let timer: Timer | undefined;
    try {
      signal.throwIfAborted();
      await this.#ready;
      const late = Promise.withResolvers<Evaluation>();
      timer = setTimeout(() => {
        late.resolve({ output: '', exceeded: 'time' });
        this.terminate();
      }, this.#limits.timeMs + GRACE_MS);
      return await Promise.race([late.promise, this.#worker.call('evaluate', code)]);
    } catch (error) {
      signal.throwIfAborted();
      throw fail('sandbox_failed', 'The code sandbox could not be started.', { cause: error });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Ends the thread and what it runs; idempotent. */
  terminate(): void {
    this.#worker.terminate();
  }
}

import { fail } from '../errors.ts';
import { Semaphore } from './semaphore.ts';

export interface WorkerPoolOptions {
  /** Starts a worker that answers every message with exactly one message. */
  start(): Bun.Worker;
  /** Workers at most; each is started when first needed. */
  size: number;
  /** Unused workers are ended after this. */
  idleMs?: number;
}

export interface WorkerCall {
  signal: AbortSignal;
  timeoutMs: number;
  /** The error of a call that took longer; its worker is killed. */
  timedOut(): Error;
  /** Handed over instead of copied. */
  transfer?: ArrayBuffer[];
}

/** Keeps heavy work off the event loop: one call per worker, the rest wait in order and leave the queue on abort. */
export class WorkerPool<Request, Answer> {
  readonly #options: WorkerPoolOptions;
  readonly #places: Semaphore;
  readonly #idle: Bun.Worker[] = [];
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#places = new Semaphore(options.size);
  }

  /** Calls that wait for a worker. */
  get waiting(): number {
    return this.#places.waiting;
  }

  /** Sends one message and waits for its answer. An aborted or late call ends its worker, so nothing goes on unseen. */
  call(request: Request, call: WorkerCall): Promise<Answer> {
    return this.#places.run(async () => {
      const worker = this.#idle.pop() ?? this.#options.start();
      worker.ref();
      try {
        const answer = await this.#ask(worker, request, call);
        this.#park(worker);
        return answer;
      } catch (error) {
        worker.terminate();
        throw error;
      }
    }, call.signal);
  }

  /** Ends the idle workers; idempotent. */
  stop(): void {
    clearTimeout(this.#idleTimer);
    for (const worker of this.#idle.splice(0)) worker.terminate();
  }

  #ask(
    worker: Bun.Worker,
    request: Request,
    { signal, timeoutMs, timedOut, transfer = [] }: WorkerCall,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const onAbort = () => reject(signal.reason);
    const timer = setTimeout(() => reject(timedOut()), timeoutMs);
    worker.onmessage = ((event: MessageEvent<Answer>) => resolve(event.data)) as typeof worker.onmessage;
    worker.onerror = (event) => {
      event.preventDefault();
      reject(fail('worker_failed', 'Internal server error', { cause: event.error ?? new Error(event.message) }));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    worker.postMessage(request, transfer);
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      worker.onmessage = null;
      worker.onerror = null;
    });
  }

  #park(worker: Bun.Worker): void {
    worker.unref();
    this.#idle.push(worker);
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.stop(), this.#options.idleMs ?? 30_000);
    this.#idleTimer.unref();
  }
}

/**
 * Address of a worker file. In source it lies beside the module that asks (`moduleUrl`); in a binary it is an extra entry
 * point that keeps its path in the repository (`root` in scripts/build.ts).
 */
export function workerAddress(moduleUrl: string, folder: string, name: string): string {
  const isEmbedded = /\$bunfs|~BUN/.test(moduleUrl);
  return new URL(isEmbedded ? `./src/${folder}/${name}.js` : `./${name}.ts`, moduleUrl).href;
}

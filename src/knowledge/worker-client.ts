import { type AppError, fail } from '../errors.ts';
import { unpackError, type WorkerRequest, type WorkerResponse } from './worker-messages.ts';

/** A worker file of this folder, without `.worker.ts`. */
export type WorkerName = 'ingest' | 'local';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Kills the worker, with every call it has, when one of these is passed or `signal` is aborted. */
  limits?: { timeoutMs: number; memoryBytes: number; exceeded(what: 'time' | 'memory'): AppError };
}

interface Pending {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

/** A worker that starts at the first call, answers calls in order, and does not keep the process alive between them. */
export class WorkerClient {
  readonly #name: WorkerName;
  readonly #idleMs: number;
  #worker: Bun.Worker | undefined;
  #nextId = 1;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #pending = new Map<number, Pending>();

  /** `idleMs`: a worker without calls for this long is ended, to give its memory back; 0 keeps it. */
  constructor(name: WorkerName, idleMs = 0) {
    this.#name = name;
    this.#idleMs = idleMs;
  }

  /** Runs one operation in the worker. Throws what it threw, or the signal's reason on abort. */
  async call<T>(operation: string, payload: unknown, options: CallOptions = {}): Promise<T> {
    options.signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = this.#nextId++;
    this.#pending.set(id, { resolve, reject });
    const onAbort = () => {
      if (options.limits) this.terminate(options.signal?.reason);
      else reject(options.signal?.reason);
    };
    options.signal?.addEventListener('abort', onAbort, { once: true });
    const unwatch = options.limits ? this.#watch(options.limits) : undefined;
    try {
      clearTimeout(this.#idleTimer);
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage({ id, operation, payload } satisfies WorkerRequest);
      return (await promise) as T;
    } finally {
      options.signal?.removeEventListener('abort', onAbort);
      unwatch?.();
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#rest();
    }
  }

  /** Ends the worker at once; its calls reject with `reason`. */
  terminate(reason: unknown = fail('worker_stopped', 'The knowledge store has stopped.')): void {
    clearTimeout(this.#idleTimer);
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const pending of this.#pending.values()) pending.reject(reason);
    this.#pending.clear();
  }

  /** True while the worker's thread exists. */
  get running(): boolean {
    return this.#worker !== undefined;
  }

  #start(): Bun.Worker {
    // The DOM's declaration of Worker hides Bun's.
    const worker = new Worker(workerAddress(this.#name), { smol: true } as WorkerOptions) as unknown as Bun.Worker;
    const onAnswer = ({ data }: MessageEvent<WorkerResponse>) => {
      const pending = this.#pending.get(data.id);
      if (data.ok) pending?.resolve(data.value);
      else pending?.reject(unpackError(data.error));
    };
    worker.onmessage = onAnswer as typeof worker.onmessage;
    worker.onerror = (event) => {
      if (worker === this.#worker)
        this.terminate(fail('worker_failed', 'Internal server error', { cause: new Error(event.message) }));
    };
    return worker;
  }

  #rest(): void {
    this.#worker?.unref();
    if (this.#idleMs === 0 || !this.#worker) return;
    this.#idleTimer = setTimeout(() => this.terminate(), this.#idleMs);
    this.#idleTimer.unref();
  }

  #watch(limits: NonNullable<CallOptions['limits']>): () => void {
    const memory = process.memoryUsage.rss() + limits.memoryBytes;
    const timer = setTimeout(() => this.terminate(limits.exceeded('time')), limits.timeoutMs);
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() > memory) this.terminate(limits.exceeded('memory'));
    }, 200);
    return () => {
      clearTimeout(timer);
      clearInterval(watch);
    };
  }
}

/**
 * In source the worker lies beside this file; in a binary it is an extra entry point that keeps its path in the
 * repository (`root` in scripts/build.ts).
 */
function workerAddress(name: WorkerName): string {
  const embedded = /\$bunfs|~BUN/.test(import.meta.url);
  const path = embedded ? `./src/knowledge/${name}.worker.js` : `./${name}.worker.ts`;
  return new URL(path, import.meta.url).href;
}

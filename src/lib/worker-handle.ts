import { fail } from '../errors.ts';
import { type Operations, READY_ID, unpackError } from './serve-worker.ts';
import { startWorker, type WorkerChannel, type WorkerSource } from './worker-channel.ts';

interface Pending {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

/** A worker that starts at its first call, may have several calls under way, and keeps the process alive only for them. */
export class WorkerHandle<T extends Operations> {
  readonly #source: WorkerSource;
  readonly #pending = new Map<number, Pending>();
  #channel: WorkerChannel | undefined;
  #lastId = READY_ID;
  #ready = Promise.withResolvers<void>();

  constructor(source: WorkerSource) {
    this.#source = source;
  }

  /** True while its thread or process exists. */
  get running(): boolean {
    return this.#channel !== undefined;
  }

  /** Resolves once the worker has loaded its code and begins with its first call. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Runs one operation. Throws what it threw; rejects with the signal's reason on abort, and the worker goes on. */
  async call<N extends keyof T & string>(
    operation: N,
    payload: Parameters<T[N]>[0],
    { signal, transfer = [] }: { signal?: AbortSignal | undefined; transfer?: ArrayBuffer[] } = {},
  ): Promise<Awaited<ReturnType<T[N]>>> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#pending.set(id, { resolve, reject });
    try {
      this.#channel ??= this.#start();
      this.#channel.ref();
      this.#channel.send({ id, operation, payload }, transfer);
      return (await promise) as Awaited<ReturnType<T[N]>>;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#channel?.unref();
    }
  }

  /** Ends the worker at once; its calls reject with `reason`, and the next call starts it again. Idempotent. */
  terminate(reason: unknown = fail('worker_stopped', 'The server is stopping.')): void {
    this.#channel?.kill();
    this.#channel = undefined;
    this.#ready = Promise.withResolvers();
    for (const pending of this.#pending.values()) pending.reject(reason);
    this.#pending.clear();
  }

  /** Lets everybody else go first, until it ends. */
  yield(): void {
    this.#channel?.yield();
  }

  /** Resident memory in bytes, of a process. */
  memory(): number | undefined {
    return this.#channel?.memory();
  }

  #start(): WorkerChannel {
    const channel = startWorker(this.#source, {
      onAnswer: (response) => {
        if (response.id === READY_ID) return this.#ready.resolve();
        const pending = this.#pending.get(response.id);
        if (response.ok) pending?.resolve(response.value);
        else pending?.reject(unpackError(response.error));
      },
      onEnd: (reason) => {
        if (channel === this.#channel)
          this.terminate(fail('worker_failed', 'Internal server error', { cause: reason }));
      },
    });
    return channel;
  }
}

import type { Operations } from './serve-worker.ts';
import type { WorkerSource } from './worker-channel.ts';
import { WorkerHandle } from './worker-handle.ts';

/** A process that has grown beyond this is ended rather than kept: its memory would stay with it. */
const KEPT_BYTES = 256 * 1024 * 1024;

/** Started workers that nobody uses, kept for a while. */
export class IdleWorkers<T extends Operations> {
  readonly #source: WorkerSource;
  readonly #idleMs: number;
  readonly #max: number;
  readonly #workers: WorkerHandle<T>[] = [];
  #timer: Timer | undefined;

  constructor(source: WorkerSource, idleMs = 30_000, max = Number.POSITIVE_INFINITY) {
    this.#source = source;
    this.#idleMs = idleMs;
    this.#max = max;
  }

  /** A worker for one user: the one used last, or a new one. */
  take(): WorkerHandle<T> {
    for (let worker = this.#workers.pop(); worker; worker = this.#workers.pop()) if (worker.running) return worker;
    return new WorkerHandle(this.#source);
  }

  /** Gives back a worker that has nothing to do. */
  give(worker: WorkerHandle<T>): void {
    if (this.#workers.length < this.#max && (worker.memory() ?? 0) <= KEPT_BYTES) this.#workers.push(worker);
    else worker.terminate();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.stop(), this.#idleMs);
    this.#timer.unref();
  }

  /** Ends them all; idempotent. */
  stop(): void {
    clearTimeout(this.#timer);
    for (const worker of this.#workers.splice(0)) worker.terminate();
  }
}

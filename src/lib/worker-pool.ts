import { fail } from '../errors.ts';
import { IdleWorkers } from './idle-workers.ts';
import type { Operations } from './serve-worker.ts';
import type { WorkerSource } from './worker-channel.ts';
import type { WorkerHandle } from './worker-handle.ts';

export interface WorkerPoolOptions {
  source: WorkerSource;
  /** Calls that work at the same time; each has a worker of its own, started when first needed. */
  size: number;
  /** Unused workers are ended after this. */
  idleMs?: number;
  /** Calls that may wait for a worker; further ones are refused with `busy`. Without it nothing is refused. */
  maxWaiting?: number;
  /**
   * A call that has worked for this long makes room while others wait: it goes on beside them at the lowest priority,
   * or, when the place there is taken, starts again once it is free. So calls that take for ever hold up nobody but
   * each other.
   */
  turnMs?: number;
}

/** What stopped a call; `crash` is a worker that ended by itself. */
export type WorkerLimit = 'time' | 'memory' | 'crash';

export interface PoolCall {
  signal: AbortSignal;
  /** Longest work, without the wait for a worker and its start. */
  timeoutMs: number;
  /** Largest resident memory of the worker; only for processes. */
  memoryBytes?: number;
  /** The error of a call whose worker was killed at a limit, or ended by itself for the reason `cause`. */
  exceeded(limit: WorkerLimit, cause?: unknown): Error;
  /** The error of a call that finds too many waiting. */
  busy?(): Error;
  /** Handed over instead of copied; only for threads. */
  transfer?: ArrayBuffer[];
}

interface Job<T extends Operations> {
  call: PoolCall;
  work(worker: WorkerHandle<T>): Promise<unknown>;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
  /** Present while it works; `startedAt` once the worker has loaded its code. */
  run?: { worker: WorkerHandle<T>; startedAt?: number; isLong: boolean } | undefined;
}

/** Calls that go on beside the others, and how many more may wait for that. */
const LONG_SIZE = 1;
const MAX_LONG_WAITING = 8;
const WATCH_MS = 100;
/** Time a worker may need to load its code on a busy machine. */
const START_MS = 30_000;

/**
 * Keeps heavy work off the event loop and bounds it: one call per worker, the rest wait in order and leave the queue on
 * abort. A call that is aborted or reaches a limit costs its worker, so nothing goes on unseen.
 */
export class WorkerPool<T extends Operations> {
  readonly #options: WorkerPoolOptions;
  readonly #idle: IdleWorkers<T>;
  /** Calls that have not worked yet, and those that had their turn. */
  readonly #waiting: Job<T>[] = [];
  readonly #longWaiting: Job<T>[] = [];
  readonly #running = new Set<Job<T>>();
  #turnTimer: Timer | undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#idle = new IdleWorkers(options.source, options.idleMs);
  }

  /** Calls that wait for a worker. */
  get waiting(): number {
    return this.#waiting.length + this.#longWaiting.length;
  }

  /** Runs one operation in a worker; throws what it threw, what `call` says of limits, or the signal's reason. */
  async call<N extends keyof T & string>(
    operation: N,
    payload: Parameters<T[N]>[0],
    call: PoolCall,
  ): Promise<Awaited<ReturnType<T[N]>>> {
    call.signal.throwIfAborted();
    const { maxWaiting = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#waiting.length >= maxWaiting) throw call.busy?.() ?? tooBusy();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const transfer = call.transfer ?? [];
    const job: Job<T> = { call, work: (worker) => worker.call(operation, payload, { transfer }), resolve, reject };
    const onAbort = () => this.#end(job, call.signal.reason);
    call.signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.push(job);
    this.#fill();
    return (await promise.finally(() => call.signal.removeEventListener('abort', onAbort))) as never;
  }

  /** Ends every worker; calls under way and waiting ones are refused. Idempotent, and the next call starts anew. */
  stop(): void {
    const reason = fail('worker_stopped', 'The server is stopping.');
    for (const job of [...this.#waiting, ...this.#longWaiting, ...this.#running]) this.#end(job, reason);
    this.#idle.stop();
  }

  #fill(): void {
    while (this.#waiting.length > 0 && this.#count(false) < this.#options.size)
      void this.#run(this.#waiting.shift()!, false);
    while (this.#longWaiting.length > 0 && this.#count(true) < LONG_SIZE)
      void this.#run(this.#longWaiting.shift()!, true);
    clearTimeout(this.#turnTimer);
    const { turnMs } = this.#options;
    if (turnMs === undefined || this.#waiting.length === 0) return;
    const inTurn = [...this.#running].filter(({ run }) => !run!.isLong && run!.startedAt !== undefined);
    const eldest = inTurn.sort((a, b) => a.run!.startedAt! - b.run!.startedAt!)[0];
    if (!eldest) return;
    const left = eldest.run!.startedAt! + turnMs - performance.now();
    this.#turnTimer = setTimeout(() => this.#makeRoom(eldest), Math.max(0, left));
  }

  #count(isLong: boolean): number {
    let count = 0;
    for (const job of this.#running) if (job.run!.isLong === isLong) count++;
    return count;
  }

  async #run(job: Job<T>, isLong: boolean): Promise<void> {
    const worker = this.#idle.take();
    const run: NonNullable<Job<T>['run']> = { worker, isLong };
    job.run = run;
    // A busy process would not notice that its parent is gone.
    if (this.#running.size === 0) process.on('exit', this.#leave);
    this.#running.add(job);
    const unwatch = this.#watch(job, worker, () => {
      run.startedAt = performance.now();
      this.#fill();
    });
    try {
      const work = job.work(worker);
      if (isLong) worker.yield();
      const answer = await work;
      if (job.run !== run) return;
      this.#forget(job);
      // One that was told to yield does so for ever.
      if (run.isLong) worker.terminate();
      else this.#idle.give(worker);
      job.resolve(answer);
    } catch (error) {
      if (job.run === run) this.#end(job, worker.running ? error : job.call.exceeded('crash', error));
    } finally {
      unwatch();
      this.#fill();
    }
  }

  /** Kills the worker of a call at its limits; the returned function stops watching. */
  #watch(job: Job<T>, worker: WorkerHandle<T>, onStart: () => void): () => void {
    const { timeoutMs, memoryBytes, exceeded } = job.call;
    let isOver = false;
    let timer = setTimeout(() => this.#end(job, exceeded('crash', new Error('the worker did not start'))), START_MS);
    void worker.ready.then(() => {
      if (isOver) return;
      clearTimeout(timer);
      timer = setTimeout(() => this.#end(job, exceeded('time')), timeoutMs);
      onStart();
    });
    const look = () => {
      if ((worker.memory() ?? 0) > memoryBytes!) this.#end(job, exceeded('memory'));
    };
    const watch = memoryBytes === undefined ? undefined : setInterval(look, WATCH_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
      clearInterval(watch);
    };
  }

  /** Others wait, and this call had its turn. */
  #makeRoom(job: Job<T>): void {
    const { run } = job;
    if (!run) return;
    if (this.#count(true) < LONG_SIZE) {
      run.isLong = true;
      run.worker.yield();
    } else if (this.#longWaiting.length < MAX_LONG_WAITING) {
      this.#release(job);
      this.#longWaiting.push(job);
    } else this.#end(job, job.call.busy?.() ?? tooBusy());
    this.#fill();
  }

  /** Ends a call, wherever it is. */
  #end(job: Job<T>, reason: unknown): void {
    for (const queue of [this.#waiting, this.#longWaiting]) {
      const index = queue.indexOf(job);
      if (index >= 0) queue.splice(index, 1);
    }
    job.reject(reason);
    this.#release(job);
  }

  /** Takes the worker away from a call and ends it. */
  #release(job: Job<T>): void {
    const { run } = job;
    this.#forget(job);
    run?.worker.terminate();
  }

  #forget(job: Job<T>): void {
    job.run = undefined;
    if (this.#running.delete(job) && this.#running.size === 0) process.off('exit', this.#leave);
  }

  readonly #leave = () => {
    for (const job of this.#running) job.run?.worker.terminate();
  };
}

function tooBusy(): Error {
  return fail('too_busy', 'Too many calls wait for a worker.');
}

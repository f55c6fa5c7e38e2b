import { Semaphore } from '../lib/semaphore.ts';
import type { Evaluation, SandboxLimits } from './model.ts';
import { QuickJsWorker } from './quickjs-worker.ts';

export interface QuickJsPoolOptions {
  limits: SandboxLimits;
  /** Threads at most. */
  maxWorkers: number;
}

/** An evaluation, and whether variables of earlier ones were lost before it. */
export interface SessionEvaluation extends Evaluation {
  forgot: boolean;
}

/** The sandboxes of all runs: a thread each, and a bounded number of threads. */
export class QuickJsPool {
  readonly #options: QuickJsPoolOptions;
  /** Sessions that have a thread, the one used last at the end. */
  readonly #holders = new Set<QuickJsSession>();
  readonly #waiting: (() => void)[] = [];

  constructor(options: QuickJsPoolOptions) {
    this.#options = options;
  }

  /** A sandbox whose variables are kept until it is closed; its thread starts when it is needed. */
  open(): QuickJsSession {
    return new QuickJsSession(this);
  }

  /** Threads there are. */
  get size(): number {
    return this.#holders.size;
  }

  /** Ends every thread; idempotent. */
  stop(): void {
    for (const session of this.#holders) session.drop();
  }

  /** A thread for a session; waits while all of them work. */
  async acquire(session: QuickJsSession, signal: AbortSignal): Promise<QuickJsWorker> {
    while (!this.#makeRoom()) await this.#wait(signal);
    const worker = new QuickJsWorker(this.#options.limits);
    this.#holders.add(session);
    return worker;
  }

  /** A thread for a session if that costs no other session its own. */
  tryAcquire(session: QuickJsSession): QuickJsWorker | undefined {
    if (this.#holders.size >= this.#options.maxWorkers) return undefined;
    this.#holders.add(session);
    return new QuickJsWorker(this.#options.limits);
  }

  /** Notes that a session has ended an evaluation, and whether it still has a thread. */
  settle(session: QuickJsSession, hasWorker: boolean): void {
    this.#holders.delete(session);
    if (hasWorker) this.#holders.add(session);
    this.#waiting.shift()?.();
  }

  #makeRoom(): boolean {
    if (this.#holders.size < this.#options.maxWorkers) return true;
    for (const session of this.#holders) {
      if (session.busy) continue;
      session.drop();
      return true;
    }
    return false;
  }

  #wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const wake = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(wake), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(wake);
    });
  }
}

/** The sandbox of one run. */
export class QuickJsSession {
  readonly #pool: QuickJsPool;
  readonly #turns = new Semaphore(1);
  #worker: QuickJsWorker | undefined;
  /** True once something was evaluated whose variables could be lost. */
  #hasState = false;
  #closed = false;
  busy = false;

  constructor(pool: QuickJsPool) {
    this.#pool = pool;
  }

  /** Starts the thread ahead of need, if one is free. */
  warm(): void {
    if (!this.#closed) this.#worker ??= this.#pool.tryAcquire(this);
  }

  /** Runs code after what this session runs already. */
  evaluate(code: string, signal: AbortSignal): Promise<SessionEvaluation> {
    return this.#turns.run(async () => {
      this.busy = true;
      try {
        let forgot = false;
        if (!this.#worker?.alive) {
          forgot = this.#hasState;
          this.#worker = undefined;
          this.#worker = await this.#pool.acquire(this, signal);
        }
        this.#hasState = true;
        const evaluation = await this.#worker.evaluate(code, signal);
        if (evaluation.exceeded) {
          this.#worker?.terminate();
          this.#hasState = false;
        }
        return { ...evaluation, forgot };
      } finally {
        this.busy = false;
        if (this.#closed) this.drop();
        else this.#pool.settle(this, this.#worker?.alive ?? false);
      }
    }, signal);
  }

  /** Ends the thread, and with it the variables. */
  drop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#pool.settle(this, false);
  }

  /** Ends the session; idempotent. */
  close(): void {
    this.#closed = true;
    if (!this.busy) this.drop();
    else this.#worker?.terminate();
  }
}

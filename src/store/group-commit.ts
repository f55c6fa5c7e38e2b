import { Database } from 'bun:sqlite';
import { closeSync, fdatasync, openSync } from 'node:fs';
import { AppError, fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createPrivateFile } from '../lib/private-file.ts';

interface Write {
  work(db: Database, transaction: object): unknown;
  result?: unknown;
  resolve(value: never): void;
  reject(error: unknown): void;
}

export interface GroupCommitOptions {
  /** Absolute path of the file, or `:memory:`. */
  path: string;
  /** How errors call it, `The database`. */
  name: string;
  clock: Clock;
  /** Sets up the connection and the schema at every start; until it returns, waiting for a lock blocks. */
  prepare(db: Database): void;
  /** A write is on disk when its promise resolves; without it a crash of the machine, not of the process, may lose the last. */
  durable?: boolean;
  /** How long a write waits for a lock held by another process. */
  lockTimeoutMs?: number;
  /** Told when nothing of a transaction was kept. */
  onRollback?(): void;
}

const MAX_WAITING = 20_000;
const LOCK_TIMEOUT_MS = 5000;
const LOCK_RETRY_MS = 10;
/** Longest time a write waits for others to share its commit. */
const GATHER_MS = 3;

/**
 * SQLite in WAL mode. All writes that come within a turn of the event loop, or while the ones before are being synced,
 * share one transaction and, where they are durable, one fsync.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #db: Database | undefined;
  #walFile: number | undefined;
  #waiting: Write[] = [];
  #flushing: Promise<void> | undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#db) return;
    const { path, prepare, durable } = this.#options;
    try {
      // What it holds is private: the file is its owner's from the first byte, and -wal and -shm copy its mode.
      if (path !== ':memory:') createPrivateFile(path);
      const db = new Database(path, { create: true, strict: true });
      this.#db = db;
      // Opening may have to wait for another process that is creating the same file.
      db.run('PRAGMA busy_timeout = 5000');
      // Three 2 KB payloads to a page instead of one; only a new file takes it.
      if (durable) db.run('PRAGMA page_size = 8192');
      db.run('PRAGMA journal_mode = WAL');
      // Durability beyond the process is this class's own: see #sync.
      db.run('PRAGMA synchronous = NORMAL');
      prepare(db);
      // From here on waiting for a lock must not block the event loop.
      db.run('PRAGMA busy_timeout = 0');
      if (durable) this.#walFile = openSync(`${path}-wal`, 'r+');
    } catch (error) {
      this.#close();
      if (error instanceof AppError) throw error;
      throw fail('database_unavailable', `The database ${path} cannot be opened.`, { cause: error });
    }
  }

  async stop(): Promise<void> {
    while (this.#flushing) await this.#flushing;
    this.#close();
  }

  #close(): void {
    if (this.#walFile !== undefined) closeSync(this.#walFile);
    this.#walFile = undefined;
    this.#db?.close();
    this.#db = undefined;
  }

  /** The connection for reads. */
  get db(): Database {
    if (!this.#db) throw fail('database_unavailable', `${this.#options.name} is not open.`);
    return this.#db;
  }

  /** Runs a read, which waits for a lock like a write. */
  async read<T>(work: (db: Database) => T): Promise<T> {
    const { clock, lockTimeoutMs = LOCK_TIMEOUT_MS } = this.#options;
    const deadline = clock.now() + lockTimeoutMs;
    for (;;) {
      try {
        return work(this.db);
      } catch (error) {
        if (!isBusy(error) || clock.now() > deadline) throw this.#storeError(error);
        await clock.sleep(LOCK_RETRY_MS);
      }
    }
  }

  /** Runs `work` inside the next transaction (named by an object of its own); resolves with its result once that is on disk. */
  write<T>(work: (db: Database, transaction: object) => T): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(this.#lockedError());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  async #flush(): Promise<void> {
    if (!this.#options.durable) await nextTurn();
    while (this.#waiting.length > 0) {
      if (this.#options.durable) await this.#gather();
      const writes = this.#waiting;
      this.#waiting = [];
      await this.#commit(writes);
    }
    this.#flushing = undefined;
  }

  /**
   * Waits until a turn of the event loop brings no further write: under load the requests that are already on their way share
   * the fsync, and a single write waits for one turn only.
   */
  async #gather(): Promise<void> {
    const deadline = performance.now() + GATHER_MS;
    for (let seen = 0; seen < this.#waiting.length && performance.now() < deadline; ) {
      seen = this.#waiting.length;
      await nextTurn();
    }
  }

  async #commit(writes: Write[]): Promise<void> {
    const { clock, lockTimeoutMs = LOCK_TIMEOUT_MS } = this.#options;
    const deadline = clock.now() + lockTimeoutMs;
    for (;;) {
      const failure = this.#transaction(writes) ?? (await this.#sync(writes));
      if (!failure) return;
      if (isBusy(failure.error)) {
        if (clock.now() < deadline) {
          await clock.sleep(LOCK_RETRY_MS);
          continue;
        }
      } else if (writes.length > 1) {
        // One bad write must not fail its neighbours.
        for (const write of writes) await this.#commit([write]);
        return;
      }
      for (const write of writes) write.reject(this.#storeError(failure.error));
      return;
    }
  }

  /** Synchronous, so that nothing else can use the connection in between. */
  #transaction(writes: Write[]): { error: unknown } | undefined {
    const results: unknown[] = [];
    let db: Database | undefined;
    try {
      db = this.db;
      db.run('BEGIN IMMEDIATE');
      for (const write of writes) results.push(write.work(db, results));
      db.run('COMMIT');
    } catch (error) {
      if (db?.inTransaction) db.run('ROLLBACK');
      this.#options.onRollback?.();
      return { error };
    }
    for (const [index, write] of writes.entries()) write.result = results[index];
    return undefined;
  }

  /**
   * Puts the log of the committed transaction on disk and then answers its writers. SQLite's `synchronous = FULL` does the same
   * within COMMIT, but there the fsync holds up every request; here it runs beside the event loop. The log is
   * written in order, so a transaction that was committed before this one is on disk too.
   */
  async #sync(writes: Write[]): Promise<{ error: unknown } | undefined> {
    const file = this.#walFile;
    if (file !== undefined) {
      const error = await new Promise<unknown>((resolve) => fdatasync(file, resolve));
      if (error) {
        for (const write of writes) write.reject(this.#storeError(error));
        return undefined;
      }
    }
    for (const write of writes) write.resolve(write.result as never);
    return undefined;
  }

  /** What a statement failed with; a defect of ours stays what it is. */
  #storeError(error: unknown): unknown {
    const { name } = this.#options;
    const code = codeOf(error);
    if (isBusy(error)) return this.#lockedError(error);
    if (code === 'SQLITE_FULL') return fail('disk_full', 'The disk is full.', { cause: error });
    const isBroken = /^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|PERM)/.test(code);
    return isBroken ? fail('database_unavailable', `${name} cannot be read or written.`, { cause: error }) : error;
  }

  #lockedError(cause?: unknown): AppError {
    return fail('database_locked', `${this.#options.name} is busy.`, { cause });
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return String(Object(error).code ?? '');
}

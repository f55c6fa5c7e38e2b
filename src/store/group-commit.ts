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
  /** Absolute path of the file. */
  path: string;
  /** Idempotent SQL run at every start. */
  schema: string;
  clock: Clock;
  /** How long a write waits for a lock held by another process. */
  lockTimeoutMs?: number;
  /** Told when nothing of a transaction was kept. */
  onRollback?(): void;
}

const MAX_WAITING = 20_000;
const LOCK_RETRY_MS = 10;
/** Longest time a write waits for others to share its commit. */
const GATHER_MS = 3;

/**
 * SQLite whose writes are durable when their promise resolves. All writes that come within a turn of the event loop, or while the
 * ones before are being synced, share one transaction and one fsync.
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
    const { path, schema } = this.#options;
    try {
      // Payloads are private: the file is its owner's from the first byte, and -wal and -shm copy its mode.
      createPrivateFile(path);
      const db = new Database(path, { create: true });
      this.#db = db;
      db.run('PRAGMA busy_timeout = 5000');
      // Three 2 KB payloads to a page instead of one; only a new file takes it.
      db.run('PRAGMA page_size = 8192');
      db.run('PRAGMA journal_mode = WAL');
      // Durability is this class's own: see #sync.
      db.run('PRAGMA synchronous = NORMAL');
      // 16 MB between checkpoints: index pages that change often are written once.
      db.run('PRAGMA wal_autocheckpoint = 2000');
      db.run('PRAGMA cache_size = -8000');
      db.run('PRAGMA journal_size_limit = 67108864');
      db.run(schema);
      // From here on waiting for a lock must not block the event loop.
      db.run('PRAGMA busy_timeout = 0');
      this.#walFile = openSync(`${path}-wal`, 'r+');
    } catch (error) {
      this.#close();
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
    if (!this.#db) throw fail('database_unavailable', 'The webhook database is not open.');
    return this.#db;
  }

  /** Runs `work` inside the next transaction (named by an object of its own); resolves with its result once that is on disk. */
  write<T>(work: (db: Database, transaction: object) => T): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(lockedError());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
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
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #commit(writes: Write[]): Promise<void> {
    const { clock, lockTimeoutMs = 5000 } = this.#options;
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
      for (const write of writes) write.reject(storeError(failure.error));
      return;
    }
  }

  /** Synchronous, so that nothing else can use the connection in between. */
  #transaction(writes: Write[]): { error: unknown } | undefined {
    const results: unknown[] = [];
    const db = this.#db;
    try {
      if (!db) throw fail('database_unavailable', 'The webhook database is not open.');
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
        for (const write of writes) write.reject(storeError(error));
        return undefined;
      }
    }
    for (const write of writes) write.resolve(write.result as never);
    return undefined;
  }
}

function isBusy(error: unknown): boolean {
  const code = (error as { code?: string }).code ?? '';
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED');
}

function storeError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  return isBusy(error)
    ? lockedError(error)
    : fail('database_unavailable', 'The webhook database failed.', { cause: error });
}

function lockedError(cause?: unknown): AppError {
  return fail('database_locked', 'The webhook database is busy.', { cause });
}

import { Database as Sqlite } from 'bun:sqlite';
import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createPrivateFile } from '../lib/private-file.ts';
import type { Database, Row, SqlValue, Statement } from './database.ts';
import { migrations } from './migrations.ts';

interface Batch {
  statements: Statement[];
  resolve(rows: Row[][]): void;
  reject(error: unknown): void;
}

export interface SqliteOptions {
  /** Absolute path of the file, or `:memory:`. */
  path: string;
  clock: Clock;
  /** How long a write waits for a lock held by another process. */
  lockTimeoutMs?: number;
}

/** SQLite in WAL mode; all writes of one event-loop turn share a commit. */
export class SqliteDatabase implements Database {
  readonly engine = 'sqlite';
  readonly #options: SqliteOptions;
  #db: Sqlite | undefined;
  #queue: Batch[] = [];
  #flushing: Promise<void> | undefined;

  constructor(options: SqliteOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#db) return;
    try {
      // Conversations are private: the file is its owner's from the first byte, and -wal and -shm copy its mode.
      if (this.#options.path !== ':memory:') createPrivateFile(this.#options.path);
      const db = new Sqlite(this.#options.path, { create: true, strict: true });
      this.#db = db;
      // Opening may have to wait for another process that is creating the same file.
      db.exec('PRAGMA busy_timeout = 5000');
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
      this.#migrate(db);
      // From here on waiting for locks is done without blocking the event loop.
      db.exec('PRAGMA busy_timeout = 0');
    } catch (error) {
      this.#db?.close();
      this.#db = undefined;
      throw fail('database_unavailable', `The database ${this.#options.path} cannot be opened.`, { cause: error });
    }
  }

  async stop(): Promise<void> {
    while (this.#flushing) await this.#flushing;
    this.#db?.close();
    this.#db = undefined;
  }

  async read(sql: string, params: SqlValue[]): Promise<Row[]> {
    const deadline = this.#deadline();
    for (;;) {
      try {
        return this.#open()
          .query<Row, SqlValue[]>(sql)
          .all(...params);
      } catch (error) {
        if (!isBusy(error) || this.#options.clock.now() > deadline) throw storeError(error);
        await this.#options.clock.sleep(20);
      }
    }
  }

  write(statements: Statement[]): Promise<Row[][]> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ statements, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  async #flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const batches = this.#queue;
      this.#queue = [];
      await this.#commit(batches);
    }
    this.#flushing = undefined;
  }

  async #commit(batches: Batch[]): Promise<void> {
    const deadline = this.#deadline();
    for (;;) {
      try {
        this.#transaction(batches);
        return;
      } catch (error) {
        if (isBusy(error) && this.#options.clock.now() <= deadline) {
          await this.#options.clock.sleep(20);
        } else if (batches.length > 1 && !isBusy(error)) {
          // One bad batch must not fail its neighbours.
          for (const batch of batches) await this.#commit([batch]);
          return;
        } else {
          for (const batch of batches) batch.reject(storeError(error));
          return;
        }
      }
    }
  }

  #transaction(batches: Batch[]): void {
    const db = this.#open();
    db.exec('BEGIN IMMEDIATE');
    const results: Row[][][] = [];
    try {
      for (const batch of batches) {
        results.push(batch.statements.map(({ sql, params }) => db.query<Row, SqlValue[]>(sql).all(...params)));
      }
      db.exec('COMMIT');
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      throw error;
    }
    batches.forEach((batch, index) => {
      batch.resolve(results[index] as Row[][]);
    });
  }

  #migrate(db: Sqlite): void {
    db.exec('BEGIN IMMEDIATE');
    try {
      const applied = db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0;
      if (applied > migrations.length) throw new Error(`made by a newer version (schema ${applied})`);
      for (const sql of migrations.slice(applied)) db.exec(sql);
      db.exec(`PRAGMA user_version = ${migrations.length}`);
      db.exec('COMMIT');
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  }

  #open(): Sqlite {
    if (!this.#db) throw fail('database_unavailable', 'The database is not open.');
    return this.#db;
  }

  #deadline(): number {
    return this.#options.clock.now() + (this.#options.lockTimeoutMs ?? 5000);
  }
}

function isBusy(error: unknown): boolean {
  const code = (error as { code?: string }).code ?? '';
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED');
}

function storeError(error: unknown): Error {
  const code = (error as { code?: string }).code ?? '';
  if (isBusy(error)) return fail('database_locked', 'The database is locked by another process.', { cause: error });
  if (code === 'SQLITE_FULL') return fail('disk_full', 'The disk is full.', { cause: error });
  if (code.startsWith('SQLITE_IOERR'))
    return fail('database_unavailable', 'The database cannot be read or written.', { cause: error });
  return error instanceof Error ? error : fail('database_unavailable', 'The database failed.', { cause: error });
}

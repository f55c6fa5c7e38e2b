import type { Database as Sqlite } from 'bun:sqlite';
import type { Clock } from '../lib/clock.ts';
import type { Database, Row, SqlValue, Statement } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { migrations, missingMigrations } from './migrations.ts';

export interface SqliteOptions {
  /** Absolute path of the file, or `:memory:`. */
  path: string;
  clock: Clock;
  /** How long a write waits for a lock held by another process. */
  lockTimeoutMs?: number;
}

/** Runs and threads in SQLite; all writes of one event-loop turn share a commit. */
export class SqliteDatabase implements Database {
  readonly engine = 'sqlite';
  readonly #commits: GroupCommit;

  constructor(options: SqliteOptions) {
    this.#commits = new GroupCommit({ ...options, name: 'The database', prepare: migrate });
  }

  async start(): Promise<void> {
    this.#commits.start();
  }

  stop(): Promise<void> {
    return this.#commits.stop();
  }

  read(sql: string, params: SqlValue[]): Promise<Row[]> {
    return this.#commits.read((db) => db.query<Row, SqlValue[]>(sql).all(...params));
  }

  write(statements: Statement[]): Promise<Row[][]> {
    return this.#commits.write((db) =>
      statements.map(({ sql, params }) => db.query<Row, SqlValue[]>(sql).all(...params)),
    );
  }
}

function migrate(db: Sqlite): void {
  db.run('PRAGMA foreign_keys = ON');
  db.run('BEGIN IMMEDIATE');
  try {
    const applied = db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0;
    for (const sql of missingMigrations(applied)) db.run(sql);
    db.run(`PRAGMA user_version = ${migrations.length}`);
    db.run('COMMIT');
  } catch (error) {
    db.run('ROLLBACK');
    throw error;
  }
}

import { SQL } from 'bun';
import { AppError, fail } from '../errors.ts';
import type { Database, Row, SqlValue, Statement } from './database.ts';
import { migrations, missingMigrations } from './migrations.ts';

/** Serialises migrations of replicas that start together; any fixed number does. */
const MIGRATION_LOCK = 0x6167_656e;

/** PostgreSQL, for several replicas that share their runs. */
export class PostgresDatabase implements Database {
  readonly engine = 'postgres';
  readonly #url: string;
  #sql: SQL | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async start(): Promise<void> {
    if (this.#sql) return;
    const sql = new SQL(this.#url, { max: 10, connectionTimeout: 10, idleTimeout: 60 });
    try {
      await sql.begin(async (tx) => {
        await tx.unsafe(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
        await tx.unsafe('CREATE TABLE IF NOT EXISTS agent_schema (version INTEGER NOT NULL)');
        const rows: { version: number }[] = await tx.unsafe('SELECT version FROM agent_schema');
        const applied = rows[0]?.version ?? 0;
        for (const migration of missingMigrations(applied)) await tx.unsafe(migration);
        await tx.unsafe('DELETE FROM agent_schema');
        await tx.unsafe('INSERT INTO agent_schema VALUES ($1)', [migrations.length]);
      });
      this.#sql = sql;
    } catch (error) {
      await sql.close({ timeout: 1 });
      if (error instanceof AppError) throw error;
      throw fail('database_unavailable', 'The PostgreSQL database cannot be opened.', { cause: error });
    }
  }

  async stop(): Promise<void> {
    await this.#sql?.close({ timeout: 5 });
    this.#sql = undefined;
  }

  async read(sql: string, params: SqlValue[]): Promise<Row[]> {
    return this.#guard(async () => [...((await this.#open().unsafe(sql, params)) as Row[])]);
  }

  async write(statements: Statement[]): Promise<Row[][]> {
    const only = statements[0];
    if (statements.length === 1 && only) return [await this.read(only.sql, only.params)];
    return this.#guard(() =>
      this.#open().begin(async (tx) => {
        const results: Row[][] = [];
        for (const { sql, params } of statements) results.push([...((await tx.unsafe(sql, params)) as Row[])]);
        return results;
      }),
    );
  }

  #open(): SQL {
    if (!this.#sql) throw fail('database_unavailable', 'The database is not open.');
    return this.#sql;
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // Driver messages may quote the connection string.
      throw fail('database_unavailable', 'The PostgreSQL database failed.', { cause: error });
    }
  }
}

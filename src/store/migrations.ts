import { fail } from '../errors.ts';
import runs from './migrations/0001_runs.sql' with { type: 'text' };
import versions from './migrations/0002_versions.sql' with { type: 'text' };

/** Migrations in order; the number of applied ones is kept in the database. The SQL runs on SQLite and PostgreSQL alike. */
export const migrations: readonly string[] = [runs, versions];

/** The migrations that a database with `applied` of them lacks; refuses one that a newer release has changed. */
export function missingMigrations(applied: number): readonly string[] {
  if (applied <= migrations.length) return migrations.slice(applied);
  throw fail('database_newer', `The database was written by a newer version of agent (schema ${applied}).`);
}

import runs from './migrations/0001_runs.sql' with { type: 'text' };
import versions from './migrations/0002_versions.sql' with { type: 'text' };

/** Migrations in order; the number of applied ones is kept in the database. The SQL runs on SQLite and PostgreSQL alike. */
export const migrations: readonly string[] = [runs, versions];

import { isAbsolute, join } from 'node:path';
import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from './database.ts';
import { PostgresDatabase } from './postgres.ts';
import { SqlRunStore } from './runs.ts';
import { SqliteDatabase } from './sqlite.ts';
import type { Store } from './store.ts';
import { SqlThreadStore } from './threads.ts';

/** The store behind `database.url`: `sqlite:<path>` (relative to the home) or `postgres://…`. */
export function createStore(options: { url: string; home: string; clock: Clock }): Store {
  const db = createDatabase(options);
  return {
    engine: db.engine,
    runs: new SqlRunStore(db, options.clock),
    threads: new SqlThreadStore(db, options.clock),
    start: () => db.start(),
    stop: () => db.stop(),
    check: async () => void (await db.read('SELECT 1 AS one', [])),
    [Symbol.asyncDispose]: () => db.stop(),
  };
}

function createDatabase({ url, home, clock }: { url: string; home: string; clock: Clock }): Database {
  if (/^postgres(ql)?:\/\//.test(url)) return new PostgresDatabase(url);
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length).replace(/^\/\/(?=[^/])|^\/\/(?=\/)/, '');
    if (path === '') throw fail('config_invalid', 'database.url names no file: use sqlite:<path>.');
    return new SqliteDatabase({ path: path === ':memory:' || isAbsolute(path) ? path : join(home, path), clock });
  }
  throw fail('config_invalid', 'database.url must begin with "sqlite:" or "postgres://".');
}

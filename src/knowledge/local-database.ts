import { Database } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, fail } from '../errors.ts';
import { createPrivateFile } from '../lib/private-file.ts';

/**
 * Schema by version (`user_version`). The full-text table keeps no copy of the text: the words of title and body go in
 * as `toIndexText` makes them, and `chunks.content` is what is shown. AUTOINCREMENT: an id is never used twice, so a
 * cached vector cannot belong to another chunk.
 */
const MIGRATIONS: string[] = [
  `CREATE TABLE resources (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     uri TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL,
     title TEXT NOT NULL,
     description TEXT,
     digest TEXT NOT NULL,
     builtin INTEGER NOT NULL DEFAULT 0,
     updated_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE chunks (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     resource_id INTEGER NOT NULL REFERENCES resources(id),
     content TEXT NOT NULL,
     heading_path TEXT NOT NULL,
     page INTEGER,
     start INTEGER NOT NULL,
     "end" INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX chunks_by_resource ON chunks(resource_id);
   CREATE TABLE vectors (
     chunk_id INTEGER PRIMARY KEY REFERENCES chunks(id),
     model TEXT NOT NULL,
     vector BLOB NOT NULL
   ) STRICT;
   CREATE VIRTUAL TABLE chunk_index USING fts5(
     title, body, content='', contentless_delete=1, tokenize="porter unicode61 remove_diacritics 2");`,
];

/** Longest wait for another process that writes; the wait is in a worker, never on the event loop. */
const BUSY_TIMEOUT_MS = 10_000;

/** Opens (and creates or migrates) the index. Errors: `knowledge_damaged`, `knowledge_newer`, `knowledge_unavailable`. */
export function openDatabase(file: string): Database {
  return withDatabaseErrors(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Documents are private: the file is its owner's from the first byte, and -wal and -shm copy its mode.
    createPrivateFile(file);
    const database = new Database(file, { create: true, strict: true });
    try {
      database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      database.run('PRAGMA journal_mode = WAL');
      database.run('PRAGMA synchronous = NORMAL');
      database.run('PRAGMA cache_size = -16000');
      database.run('PRAGMA wal_autocheckpoint = 4000');
      migrate(database, file);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

function migrate(database: Database, file: string): void {
  const version = () => database.query<{ user_version: number }, []>('PRAGMA user_version').get()!.user_version;
  if (version() > MIGRATIONS.length)
    throw fail('knowledge_newer', `The knowledge index ${file} was written by a newer version of the agent.`);
  if (version() === MIGRATIONS.length) return;
  database
    .transaction(() => {
      for (const sql of MIGRATIONS.slice(version())) database.run(sql);
      database.run(`PRAGMA user_version = ${MIGRATIONS.length}`);
    })
    .immediate();
}

/** Runs database work and says what is wrong with the file in words that help. */
export function withDatabaseErrors<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw describeDatabaseError(file, error);
  }
}

function describeDatabaseError(file: string, error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return fail(
      'knowledge_damaged',
      `The knowledge index ${file} is damaged; stop the agent, move the file away, and add your documents again with "agent knowledge add".`,
      { cause: error },
    );
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return fail('knowledge_busy', 'The knowledge index is being written by another process; try again in a moment.', {
      cause: error,
    });
  if (/^SQLITE_FULL/.test(code) || code === 'ENOSPC')
    return fail('knowledge_disk_full', `There is no space left for the knowledge index ${file}.`, { cause: error });
  if (/^SQLITE_(CANTOPEN|READONLY|IOERR|PERM)|^E(ACCES|PERM|ROFS|NOTDIR|EXIST|ISDIR)$/.test(code))
    return fail('knowledge_unavailable', `The knowledge index ${file} cannot be opened or written.`, { cause: error });
  return error;
}

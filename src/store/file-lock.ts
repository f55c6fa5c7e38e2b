import { Database } from 'bun:sqlite';
import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createPrivateFile } from '../lib/private-file.ts';

/**
 * Runs `work` while no other process does so for the same lock file. The lock is SQLite's, so the operating system frees it when
 * its holder dies, which a lock file of our own could not promise.
 */
export async function withFileLock<T>(
  path: string,
  options: { clock: Clock; timeoutMs?: number; signal?: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  createPrivateFile(path);
  const db = new Database(path, { create: true });
  try {
    db.run('PRAGMA busy_timeout = 0');
    await acquire(db, path, options);
    try {
      return await work();
    } finally {
      db.run('ROLLBACK');
    }
  } finally {
    db.close();
  }
}

async function acquire(
  db: Database,
  path: string,
  { clock, timeoutMs = 30_000, signal }: { clock: Clock; timeoutMs?: number; signal?: AbortSignal },
): Promise<void> {
  const deadline = clock.now() + timeoutMs;
  for (;;) {
    try {
      // Nothing is written in it: the transaction only holds the lock.
      db.run('BEGIN EXCLUSIVE');
      return;
    } catch (error) {
      if (!((error as { code?: string }).code ?? '').startsWith('SQLITE_BUSY')) throw error;
      if (clock.now() >= deadline) throw fail('locked', `Another process holds ${path}; try again.`, { cause: error });
      await clock.sleep(5 + Math.random() * 20, signal);
    }
  }
}

import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { createStore } from '../../src/store/create-store.ts';
import { SqliteDatabase } from '../../src/store/sqlite.ts';
import { storeContract } from '../contract/store.ts';

const temporary = () => mkdtemp(join(tmpdir(), 'agent-store-'));
const open = async (home: string) => {
  const store = createStore({ url: 'sqlite:agent.db', home, clock: systemClock });
  await store.start();
  return store;
};

storeContract('SQLite', async () => {
  const home = await temporary();
  const store = await open(home);
  return {
    store,
    second: () => open(home),
    close: async () => {
      await store.stop();
      await rm(home, { recursive: true });
    },
  };
});

test('the database and its side files are readable by their owner only', async () => {
  const home = await temporary();
  const database = new SqliteDatabase({ path: join(home, 'a.db'), clock: systemClock });
  await database.start();
  for (const name of ['a.db', 'a.db-wal', 'a.db-shm'])
    expect([name, (await stat(join(home, name))).mode & 0o777]).toEqual([name, 0o600]);
  await database.stop();
});

test('a write waits for the lock of another process without blocking the event loop, and fails after its time', async () => {
  const home = await temporary();
  const database = new SqliteDatabase({ path: join(home, 'a.db'), clock: systemClock, lockTimeoutMs: 200 });
  await database.start();
  const other = new Database(join(home, 'a.db'));
  other.exec('BEGIN IMMEDIATE');
  const insert = () =>
    database.write([{ sql: "INSERT INTO threads (id, created_at, updated_at) VALUES ('x', 1, 1)", params: [] }]);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await expect(insert()).rejects.toMatchObject({ code: 'database_locked' });
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(5);
  const waiting = insert();
  other.exec('ROLLBACK');
  await waiting;
  other.close();
  await database.stop();
});

test('a file that is no database, and a newer schema, are named in the error', async () => {
  const home = await temporary();
  await writeFile(join(home, 'agent.db'), 'this is not a database at all, really not');
  await expect(open(home)).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringContaining('agent.db'),
  });
  const newer = await temporary();
  const raw = new Database(join(newer, 'agent.db'), { create: true });
  raw.exec('PRAGMA user_version = 99');
  raw.close();
  await expect(open(newer)).rejects.toMatchObject({
    code: 'database_newer',
    message: expect.stringContaining('schema 99'),
  });
});

test('two processes may create the same file at once', async () => {
  const home = await temporary();
  const stores = await Promise.all([open(home), open(home), open(home)]);
  await Promise.all(stores.map((store) => store.check()));
  for (const store of stores) await store.stop();
});

test('an unknown kind of database URL is refused', () => {
  for (const url of ['mysql://x', 'agent.db', 'sqlite:']) {
    expect(() => createStore({ url, home: '/tmp', clock: systemClock })).toThrow(/database.url/);
  }
});

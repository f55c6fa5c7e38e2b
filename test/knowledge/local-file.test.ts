import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { AppError } from '../../src/errors.ts';
import { bytesOf } from './make-documents.ts';
import { openKnowledge, signal } from './open-knowledge.ts';

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error as AppError,
  );

describe('the file', () => {
  test('is private, is not made before it is needed, and is shared at once', async () => {
    await using held = openKnowledge();
    await held.knowledge.start();
    expect(statSync(held.file, { throwIfNoEntry: false })).toBeUndefined();
    const other = held.another();
    await other.ingest({ name: 'a.md', bytes: bytesOf('# A\n\nalpha') }, signal);
    expect(statSync(held.file).mode & 0o777).toBe(0o600);
    expect(await held.knowledge.retrieve('alpha', { limit: 5, signal })).toHaveLength(1);
    await other.ingest({ name: 'b.md', bytes: bytesOf('# B\n\nbeta') }, signal);
    expect(await held.knowledge.retrieve('beta', { limit: 5, signal })).toHaveLength(1);
  });

  test('is searched while another process writes, and a writer waits for its turn', async () => {
    await using held = openKnowledge();
    await held.knowledge.ingest({ name: 'a.md', bytes: bytesOf('# A\n\nalpha') }, signal);
    const other = new Database(held.file);
    other.run('BEGIN IMMEDIATE');
    const waiting = held.knowledge.ingest({ name: 'b.md', bytes: bytesOf('# B\n\nbeta') }, signal);
    expect(await held.knowledge.retrieve('alpha', { limit: 5, signal })).toHaveLength(1);
    other.run('COMMIT');
    other.close();
    expect(await waiting).toMatchObject({ title: 'B' });
  });

  test('may be written by several stores at once', async () => {
    await using held = openKnowledge();
    const stores = [held.knowledge, held.another(), held.another()];
    await Promise.all(
      stores.flatMap((store, index) =>
        Array.from({ length: 10 }, (_, number) =>
          store.ingest({ name: `s${index}-${number}.md`, bytes: bytesOf(`# S\n\nword ${index} ${number}`) }, signal),
        ),
      ),
    );
    expect(await held.knowledge.check()).toMatchObject({ resources: 30, chunks: 30 });
  });

  test.each([
    [
      'is no database',
      (file: string) => writeFileSync(file, 'This is not a database, whatever its name says. '.repeat(100)),
    ],
    [
      'has a broken page',
      (file: string) => {
        const bytes = readFileSync(file);
        bytes.fill(0xff, 4096);
        writeFileSync(file, bytes);
      },
    ],
  ])('that %s is named with the way out, and kept', async (_name, damage) => {
    await using held = openKnowledge();
    const seeding = held.another();
    for (let index = 0; index < 20; index++)
      await seeding.ingest({ name: `d${index}.md`, bytes: bytesOf(`# D\n\n${'alpha beta '.repeat(100)}`) }, signal);
    await seeding.stop();
    const checkpoint = new Database(held.file);
    checkpoint.run('PRAGMA wal_checkpoint(TRUNCATE)');
    checkpoint.close();
    damage(held.file);
    const before = readFileSync(held.file);
    const failure = await failureOf(held.knowledge.retrieve('alpha', { limit: 5, signal }));
    expect(failure).toBeInstanceOf(AppError);
    expect(failure).toMatchObject({ code: 'knowledge_damaged', category: 'internal' });
    expect(failure!.message).toContain(held.file);
    expect(failure!.message).toContain('agent knowledge add');
    expect(await failureOf(held.knowledge.ingest({ name: 'n.md', bytes: bytesOf('# N') }, signal))).toMatchObject({
      code: 'knowledge_damaged',
    });
    expect(readFileSync(held.file).equals(before)).toBe(true);
    renameSync(held.file, `${held.file}.damaged`);
    expect(await held.knowledge.ingest({ name: 'n.md', bytes: bytesOf('# N') }, signal)).toMatchObject({ title: 'N' });
  });

  test('of a newer version is left alone', async () => {
    await using held = openKnowledge();
    const newer = new Database(held.file, { create: true });
    newer.run('PRAGMA user_version = 99');
    newer.close();
    expect(await failureOf(held.knowledge.listResources({ limit: 1, signal }))).toMatchObject({
      code: 'knowledge_newer',
    });
  });

  test('that cannot be made is an error that names it, and says nothing of the machine', async () => {
    await using held = openKnowledge();
    mkdirSync(held.file);
    const failure = await failureOf(held.knowledge.listResources({ limit: 1, signal }));
    expect(failure).toMatchObject({ code: 'knowledge_unavailable' });
    expect(failure!.message).not.toContain('SQLITE');
  });

  test('is closed by stop, which may be called twice', async () => {
    await using held = openKnowledge();
    await held.knowledge.ingest({ name: 'a.md', bytes: bytesOf('# A\n\nalpha') }, signal);
    await held.knowledge.stop();
    await held.knowledge.stop();
    expect(await held.another().retrieve('alpha', { limit: 1, signal })).toHaveLength(1);
  });
});

import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../src/errors.ts';
import type { HandbookPage } from '../../src/knowledge/handbook.ts';
import { HANDBOOK_PAGES } from '../../src/knowledge/handbook.ts';
import { describeKnowledge } from '../contract/knowledge.ts';
import { bytesOf, makePdf } from './make-documents.ts';
import { openKnowledge, signal } from './open-knowledge.ts';

describeKnowledge('the local store', async (documents) => {
  const held = openKnowledge();
  for (const { name, text } of documents) await held.knowledge.ingest({ name, bytes: bytesOf(text) }, signal);
  return { provider: held.knowledge, [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]() };
});

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error as AppError,
  );
const titles = (resources: { title: string }[]) => resources.map((resource) => resource.title);

describe('adding documents', () => {
  test('gives a readable address that stays the same for the same name', async () => {
    await using held = openKnowledge();
    const first = await held.knowledge.ingest(
      { name: 'Annual Report 2024.md', bytes: bytesOf('# Report\n\nOld text.') },
      signal,
    );
    expect(first).toEqual({ uri: first.uri, title: 'Report', description: 'Old text.' });
    expect(first.uri).toMatch(/^local:\/\/annual-report-2024-[0-9a-f]{8}$/);
    const second = await held.knowledge.ingest(
      { name: 'Annual Report 2024.md', bytes: bytesOf('# Report\n\nNew words.') },
      signal,
    );
    expect(second.uri).toBe(first.uri);
    expect(await held.knowledge.listResources({ limit: 10, signal })).toEqual([second]);
    expect(await held.knowledge.retrieve('old', { limit: 5, signal })).toEqual([]);
    expect(await held.knowledge.retrieve('new words', { limit: 5, signal })).toHaveLength(1);
  });

  test('does not touch the index for the same bytes', async () => {
    await using held = openKnowledge();
    await held.knowledge.ingest({ name: 'a.md', bytes: bytesOf('# A\n\nalpha') }, signal);
    held.advance(5_000);
    await held.knowledge.ingest({ name: 'b.md', bytes: bytesOf('# B\n\nbeta') }, signal);
    held.advance(5_000);
    await held.knowledge.ingest({ name: 'a.md', bytes: bytesOf('# A\n\nalpha') }, signal);
    expect(titles(await held.knowledge.listResources({ limit: 10, signal }))).toEqual(['B', 'A']);
  });

  test('tells two files of one base name apart', async () => {
    await using held = openKnowledge();
    for (const name of ['/x/readme.md', '/y/readme.md'])
      await held.knowledge.ingest({ name, bytes: bytesOf(`# ${name}`) }, signal);
    expect(await held.knowledge.listResources({ limit: 10, signal })).toHaveLength(2);
  });

  test('keeps the page of a PDF and the offsets of a passage', async () => {
    await using held = openKnowledge();
    const pdf = makePdf([['Nothing here.'], ['The keeper trims the lamp.']]);
    const { uri } = await held.knowledge.ingest({ name: 'lamp.pdf', bytes: pdf }, signal);
    const [passage] = await held.knowledge.retrieve('keeper lamp', { limit: 1, signal });
    expect(passage).toMatchObject({
      uri: `${uri}#page=2`,
      resourceUri: uri,
      page: 2,
      content: 'The keeper trims the lamp.',
    });
    const text = '# Head\n\nFirst.\n\n## Inner *part*\n\nQuoted sentence.\n';
    await held.knowledge.ingest({ name: 'offsets.md', bytes: bytesOf(text) }, signal);
    const [quoted] = await held.knowledge.retrieve('quoted sentence', { limit: 1, signal });
    expect(text.slice(quoted!.start, quoted!.end)).toBe(quoted!.content);
    expect(quoted!.uri).toEndWith('#head');
  });

  test.each([
    ['', 'text', 'empty_name'],
    ['  ', 'text', 'empty_name'],
    ['x.exe', 'text', 'unsupported_type'],
    ['x.md', '', 'empty_file'],
    ['x.pdf', 'no pdf', 'unreadable_content'],
  ])('refuses %j with %j', async (name, text, code) => {
    await using held = openKnowledge();
    expect(await failureOf(held.knowledge.ingest({ name, bytes: bytesOf(text) }, signal))).toMatchObject({
      code,
      status: 400,
    });
    expect(await held.knowledge.listResources({ limit: 10, signal })).toEqual([]);
  });

  test('gives up on a document that takes too long and goes on with the next', async () => {
    await using held = openKnowledge({ parseTimeoutMs: 40 });
    const slow = makePdf(
      Array.from({ length: 3_000 }, (_, page) => Array.from({ length: 30 }, () => `Line of page ${page}`)),
    );
    const failure = await failureOf(held.knowledge.ingest({ name: 'slow.pdf', bytes: slow }, signal));
    expect(failure).toMatchObject({ code: 'unreadable_content', status: 400 });
    await using patient = openKnowledge({ home: held.home });
    expect(await patient.knowledge.ingest({ name: 'quick.md', bytes: bytesOf('# Quick') }, signal)).toMatchObject({
      title: 'Quick',
    });
  });

  test('stops reading when the caller leaves', async () => {
    await using held = openKnowledge();
    const leave = new AbortController();
    const slow = makePdf(Array.from({ length: 3_000 }, () => Array.from({ length: 30 }, () => 'A line of text')));
    const failure = failureOf(held.knowledge.ingest({ name: 'slow.pdf', bytes: slow }, leave.signal));
    await Bun.sleep(20);
    leave.abort(new Error('left'));
    expect((await failure)?.message).toBe('left');
    expect(await held.knowledge.listResources({ limit: 10, signal })).toEqual([]);
    expect(await held.knowledge.ingest({ name: 'quick.md', bytes: bytesOf('# Quick') }, signal)).toMatchObject({
      title: 'Quick',
    });
  });

  test('takes many at once and refuses only the bad ones', async () => {
    await using held = openKnowledge();
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        held.knowledge.ingest(
          { name: `d${index}.md`, bytes: bytesOf(index % 7 === 3 ? '' : `# D${index}\n\nword${index}`) },
          signal,
        ),
      ),
    );
    const good = results.filter((result) => result.status === 'fulfilled').length;
    expect(good).toBe(51);
    expect((await held.knowledge.check()).resources).toBe(51);
    expect(await held.knowledge.retrieve('word42', { limit: 3, signal })).toHaveLength(1);
  });
});

describe('removing documents', () => {
  test('takes them out of list and search, once', async () => {
    await using held = openKnowledge();
    const { uri } = await held.knowledge.ingest({ name: 'a.md', bytes: bytesOf('# A\n\nalpha') }, signal);
    expect(await held.knowledge.remove(`${uri}#a`)).toBe(true);
    expect(await held.knowledge.remove(uri)).toBe(false);
    expect(await held.knowledge.listResources({ limit: 10, signal })).toEqual([]);
    expect(await held.knowledge.retrieve('alpha', { limit: 5, signal })).toEqual([]);
    expect(await held.knowledge.hasContent()).toBe(false);
  });

  test('does not remove the handbook', async () => {
    await using held = openKnowledge({ handbookPages: [{ name: 'runs', text: '# Runs' }] });
    expect(await failureOf(held.knowledge.remove('handbook://runs'))).toMatchObject({ code: 'builtin', status: 400 });
  });
});

describe('listing', () => {
  test('is newest first without a query and best first with one', async () => {
    await using held = openKnowledge();
    for (const [name, text] of [
      ['one.md', '# One\n\nThe tide comes in. The tide goes out.'],
      ['two.md', '# Two\n\nA single tide in a text about many other things and more of them.'],
      ['three.md', '# Three\n\nNo match at all.'],
      ['four.md', '# Four\n\nNeither here.'],
      ['five.md', '# Five\n\nNor here.'],
    ] as const) {
      held.advance(1_000);
      await held.knowledge.ingest({ name, bytes: bytesOf(text) }, signal);
    }
    expect(titles(await held.knowledge.listResources({ limit: 10, signal }))).toEqual([
      'Five',
      'Four',
      'Three',
      'Two',
      'One',
    ]);
    expect(titles(await held.knowledge.listResources({ query: 'tides', limit: 10, signal }))).toEqual(['One', 'Two']);
  });

  test('also finds part of a title or of a file name, as it is typed', async () => {
    await using held = openKnowledge();
    await held.knowledge.ingest({ name: 'inventory.md', bytes: bytesOf('# Warehouse stocktaking\n\nText.') }, signal);
    for (const query of ['Wareh', 'invent', 'stocktaking'])
      expect(titles(await held.knowledge.listResources({ query, limit: 10, signal }))).toEqual([
        'Warehouse stocktaking',
      ]);
    expect(await held.knowledge.listResources({ query: 'nothing%_', limit: 10, signal })).toEqual([]);
  });

  test('names a resource once however many of its passages match', async () => {
    await using held = openKnowledge();
    const long = Array.from({ length: 400 }, (_, index) => `Tide sentence number ${index} stands here.`).join(' ');
    await held.knowledge.ingest({ name: 'long.md', bytes: bytesOf(`# Long\n\n${long}`) }, signal);
    await held.knowledge.ingest({ name: 'short.md', bytes: bytesOf('# Short\n\nAbout one tide and a boat.') }, signal);
    expect(titles(await held.knowledge.listResources({ query: 'tide', limit: 10, signal })).sort()).toEqual([
      'Long',
      'Short',
    ]);
  });
});

describe('searching', () => {
  test('finds words of one and two characters in Chinese, Japanese and Korean', async () => {
    await using held = openKnowledge();
    for (const [name, text] of [
      ['zh.md', '# 报告\n\n深度学习是机器学习的一个分支。'],
      ['ja.md', '# メモ\n\n東京タワーへ行きました。'],
      ['ko.md', '# 노트\n\n학교에서 공부합니다.'],
      ['en.md', '# Note\n\nNothing of the kind.'],
    ] as const)
      await held.knowledge.ingest({ name, bytes: bytesOf(text) }, signal);
    for (const [query, title] of [
      ['学习', '报告'],
      ['分支', '报告'],
      ['支', '报告'],
      ['東京', 'メモ'],
      ['タワー', 'メモ'],
      ['학교', '노트'],
    ] as const)
      expect([query, (await held.knowledge.retrieve(query, { limit: 1, signal }))[0]?.title]).toEqual([query, title]);
  });

  test('ignores word endings and stop words, and counts a title twice', async () => {
    await using held = openKnowledge();
    await held.knowledge.ingest(
      { name: 'a.md', bytes: bytesOf('# Anchors\n\nSomething else entirely, said at length.') },
      signal,
    );
    await held.knowledge.ingest(
      { name: 'b.md', bytes: bytesOf('# Other\n\nAn anchor, said at length, once again.') },
      signal,
    );
    for (let filler = 0; filler < 5; filler++)
      await held.knowledge.ingest(
        { name: `f${filler}.md`, bytes: bytesOf(`# Filler\n\nwhat is the of and ${filler}`) },
        signal,
      );
    const found = await held.knowledge.retrieve('what is the anchoring?', { limit: 5, signal });
    expect(titles(found)).toEqual(['Anchors', 'Other']);
  });

  test('narrows to several resources, also by the address of a passage, and finds nothing in unknown ones', async () => {
    await using held = openKnowledge();
    const uris: string[] = [];
    for (const name of ['a', 'b', 'c'])
      uris.push(
        (await held.knowledge.ingest({ name: `${name}.md`, bytes: bytesOf(`# ${name}\n\nshared words`) }, signal)).uri,
      );
    const search = (resources: string[]) => held.knowledge.retrieve('shared', { limit: 5, resources, signal });
    expect((await search([uris[0]!, `${uris[2]!}#c`])).map((passage) => passage.resourceUri).sort()).toEqual(
      [uris[0]!, uris[2]!].sort(),
    );
    expect(await search(['local://nothing-00000000'])).toEqual([]);
    expect(await search([])).toHaveLength(3);
  });
});

describe('the handbook', () => {
  const pages: HandbookPage[] = [
    { name: 'runs', text: '# Runs\n\nA run continues after a restart.' },
    { name: 'models', text: '# Models\n\nEvery role has a model.' },
  ];

  test('is there without any document, after the user’s own', async () => {
    await using held = openKnowledge({ handbookPages: pages });
    expect(await held.knowledge.hasContent()).toBe(true);
    expect((await held.knowledge.listResources({ limit: 10, signal })).map((resource) => resource.uri)).toEqual([
      'handbook://runs',
      'handbook://models',
    ]);
    await held.knowledge.ingest(
      { name: 'mine.md', bytes: bytesOf('# Mine\n\nA long text of my own that mentions a restart late.') },
      signal,
    );
    expect(titles(await held.knowledge.listResources({ limit: 10, signal }))).toEqual(['Mine', 'Runs', 'Models']);
    expect(titles(await held.knowledge.listResources({ query: 'restart', limit: 10, signal }))).toEqual([
      'Mine',
      'Runs',
    ]);
    expect((await held.knowledge.retrieve('continue after restart', { limit: 1, signal }))[0]!.uri).toBe(
      'handbook://runs#runs',
    );
  });

  test('follows its text, without duplicates, and disappears when it is switched off', async () => {
    await using held = openKnowledge({ handbookPages: pages });
    const uris = async (knowledge: typeof held.knowledge) =>
      (await knowledge.listResources({ limit: 10, signal })).map((resource) => resource.uri).sort();
    expect(await uris(held.knowledge)).toEqual(['handbook://models', 'handbook://runs']);
    const newer = held.another({
      handbookPages: [
        { name: 'runs', text: '# Runs\n\nChanged words.' },
        { name: 'new', text: '# New' },
      ],
    });
    expect(await uris(newer)).toEqual(['handbook://new', 'handbook://runs']);
    expect(await newer.retrieve('changed', { limit: 5, signal })).toHaveLength(1);
    expect(await newer.retrieve('restart', { limit: 5, signal })).toEqual([]);
    const { knowledge: off } = openKnowledge({ home: held.home });
    expect(await uris(off)).toEqual([]);
    expect(await off.hasContent()).toBe(false);
    await off.stop();
    expect(await uris(held.another())).toEqual(['handbook://models', 'handbook://runs']);
  });

  test('holds every page of the product and quotes them verbatim', async () => {
    await using held = openKnowledge({ handbookPages: HANDBOOK_PAGES });
    const resources = await held.knowledge.listResources({ limit: 100, signal });
    expect(resources.map((resource) => resource.uri)).toEqual(HANDBOOK_PAGES.map((page) => `handbook://${page.name}`));
    const files = [...new Bun.Glob('*.md').scanSync(join(import.meta.dir, '../../src/handbook'))];
    expect(HANDBOOK_PAGES.map((page) => `${page.name}.md`).sort()).toEqual(files.sort());
    const [passage] = await held.knowledge.retrieve('How does a research run continue after the server restarts?', {
      limit: 1,
      signal,
    });
    const page = HANDBOOK_PAGES.find((each) => `handbook://${each.name}` === passage!.resourceUri)!;
    expect(page.text).toContain(passage!.content);
    expect(page.name).toBe('runs');
  });
});

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

import { describe, expect, test } from 'bun:test';
import type { AppError } from '../../src/errors.ts';
import { describeKnowledge } from '../contract/knowledge.ts';
import { bytesOf, makePdf } from './make-documents.ts';
import { knowledgeConfig, openKnowledge, signal } from './open-knowledge.ts';

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
    await using held = openKnowledge({ config: knowledgeConfig({ read_timeout_seconds: 0.04 }) });
    const slow = makePdf(
      Array.from({ length: 3_000 }, (_, page) => Array.from({ length: 30 }, () => `Line of page ${page}`)),
    );
    const failure = await failureOf(held.knowledge.ingest({ name: 'slow.pdf', bytes: slow }, signal));
    expect(failure).toMatchObject({ code: 'document_time_limit', status: 422 });
    expect(failure?.message).toContain('0.04 seconds it may take (knowledge.read_timeout_seconds)');
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

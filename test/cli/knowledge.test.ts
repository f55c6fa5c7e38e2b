import { describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCliGroup } from '../../src/cli/command.ts';
import { addSources } from '../../src/cli/knowledge/add.ts';
import { createProgressBar } from '../../src/cli/knowledge/progress-bar.ts';
import { knowledgeCommand } from '../../src/cli/knowledge.ts';
import { openKnowledge, signal } from '../knowledge/open-knowledge.ts';
import { runWords } from './run-cli.ts';

const root = defineCliGroup('agent', { knowledge: { description: 'Knowledge', load: async () => knowledgeCommand } });

/** A home and a folder with documents, and how to run `agent knowledge`. */
function workspace() {
  const folder = mkdtempSync(join(tmpdir(), 'agent-cli-knowledge-'));
  const docs = join(folder, 'docs');
  mkdirSync(join(docs, 'deep/.hidden'), { recursive: true });
  writeFileSync(join(docs, 'tides.md'), '# Tide tables\n\nHigh water at noon, zanzibar time.');
  writeFileSync(join(docs, 'deep/notes.txt'), 'Notes\n\nThe quokka sleeps.');
  writeFileSync(join(docs, 'deep/picture.png'), 'x');
  writeFileSync(join(docs, 'deep/.hidden/secret.md'), '# Secret');
  writeFileSync(join(docs, '.dot.md'), '# Dot');
  symlinkSync(docs, join(docs, 'deep/circle'));
  return {
    docs,
    run: (...words: string[]) => runWords(root, ['knowledge', ...words], { env: { AGENT_HOME: join(folder, 'home') } }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

describe('agent knowledge', () => {
  test('adds a directory, lists, searches and removes', async () => {
    using space = workspace();
    const added = await space.run('add', space.docs);
    expect(added.status).toBe(0);
    expect(added.stdout).toMatch(/^local:\/\/notes-\w{8} {2}Notes\nlocal:\/\/tides-\w{8} {2}Tide tables\n$/);
    expect(added.stderr).toContain('2 added, 2 skipped');
    expect(added.stderr).not.toContain('secret');

    const listed = await space.run('list');
    expect(listed.stdout.split('\n').slice(0, 2).join('\n')).toContain('Tide tables');
    expect(listed.stdout).toContain('handbook://runs');
    const { resources } = JSON.parse((await space.run('list', '--json')).stdout);
    expect(resources.map((resource: { uri: string }) => resource.uri)).not.toContain('local://secret');

    const found = await space.run('search', 'sleeping', 'quokka');
    expect(found.status).toBe(0);
    expect(found.stdout).toStartWith('1. Notes\n   local://notes-');
    expect(found.stdout).toContain('The quokka sleeps.');
    const uri = added.stdout.split(' ')[0]!;
    const { passages } = JSON.parse((await space.run('search', '--json', '--in', uri, '-n', '1', 'quokka')).stdout);
    expect(passages).toHaveLength(1);
    expect(passages[0]).toMatchObject({ resourceUri: uri, title: 'Notes' });

    const removed = await space.run('remove', uri, 'local://none-00000000');
    expect(removed.status).toBe(1);
    expect(removed.stdout).toBe(`Removed ${uri}\n`);
    expect(removed.stderr).toContain('There is no document local://none-00000000');
    expect((await space.run('search', '--json', 'quokka')).stdout).toContain('"passages": []');
  });

  test('goes on after a failure, tells it and leaves with 1', async () => {
    using space = workspace();
    writeFileSync(join(space.docs, 'empty.md'), '');
    const result = await space.run(
      'add',
      '--json',
      space.docs,
      join(space.docs, 'deep/picture.png'),
      'no/such/file.md',
    );
    expect(result.status).toBe(1);
    const { added, skipped, failed } = JSON.parse(result.stdout);
    expect(added).toHaveLength(2);
    expect(skipped).toHaveLength(2);
    expect(failed.map((each: { code: string }) => each.code).sort()).toEqual([
      'empty_file',
      'not_found',
      'unsupported_type',
    ]);
  });

  test('adding the same directory again changes nothing', async () => {
    using space = workspace();
    const first = await space.run('add', space.docs);
    const second = await space.run('add', space.docs);
    expect(second.stdout).toBe(first.stdout);
    expect(
      JSON.parse((await space.run('list', '--json')).stdout).resources.filter((each: { uri: string }) =>
        each.uri.startsWith('local:'),
      ),
    ).toHaveLength(2);
  });

  test.each([
    [['add'], 'SOURCES is missing'],
    [['search'], 'QUERY is missing'],
    [['search', 'x', '-n', '0'], '--limit must be'],
    [['drop'], 'Unknown command'],
    [['remove', '--al', 'x'], 'Unknown flag'],
  ])('%p is wrong usage', async (words, message) => {
    using space = workspace();
    const result = await space.run(...words);
    expect([result.status, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toContain(message);
  });

  test('refuses a file over the limit without reading it', async () => {
    using space = workspace();
    writeFileSync(join(space.docs, 'big.txt'), 'x'.repeat((10 << 20) + 1));
    const result = await space.run('add', join(space.docs, 'big.txt'));
    expect(result.status).toBe(1);
    expect(result.stderr).toContain('larger than the limit of 10485760 bytes');
  });
});

describe('adding web pages', () => {
  const context = (stdout: string[]) =>
    ({
      json: true,
      signal,
      stderr: { isTerminal: false, columns: 80, write: async () => {} },
      print: async (line: object) => void stdout.push(JSON.stringify(line)),
      warn: async () => {},
    }) as unknown as Parameters<typeof addSources>[1];

  test('goes through the crawler and keeps title and address', async () => {
    await using held = openKnowledge();
    const crawler = {
      crawl: async (url: string) => ({ url: `${url}final`, title: 'Harbour', crawled_content: 'The quokka swims.' }),
      stop: () => {},
    };
    const stdout: string[] = [];
    const needs = { knowledge: held.knowledge, crawler, config: { knowledge: { max_file_bytes: 1000 } } };
    expect(await addSources(needs, context(stdout), ['https://example.test/'])).toBe(0);
    expect(JSON.parse(stdout[0]!).added).toMatchObject([{ source: 'https://example.test/', title: 'Harbour' }]);
    const [passage] = await held.knowledge.retrieve('quokka', { limit: 1, signal });
    expect(passage!.content).toBe('# Harbour\n\nThe quokka swims.');
  });
});

test('the progress bar stays on one line, clears it, and is silent where nobody looks', async () => {
  let text = '';
  const output = (isTerminal: boolean) => ({
    isTerminal,
    columns: 50,
    write: async (chunk: string | Uint8Array) => {
      text += chunk;
    },
  });
  const bar = createProgressBar(output(true), 3);
  for (const label of ['a.md', 'a/very/long/path/to/some/document/in/a/folder.md', 'c.md']) await bar.step(label);
  await bar.end();
  expect(text).toContain(`${'█'.repeat(24)} 3/3 c.md`);
  for (const line of text.split('\r\x1b[2K')) expect(line.length).toBeLessThan(50);
  expect(text).toEndWith('\r\x1b[2K');
  expect(text).not.toContain('\n');
  text = '';
  for (const silent of [
    createProgressBar(output(false), 3),
    createProgressBar(output(true), 1),
    createProgressBar(output(true), 3, false),
  ]) {
    await silent.step('x');
    await silent.end();
  }
  expect(text).toBe('');
});

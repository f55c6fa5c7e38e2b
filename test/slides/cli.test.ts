import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineCliGroup } from '../../src/cli/command.ts';
import { slidesCommand } from '../../src/cli/slides.ts';
import { runWords } from '../cli/run-cli.ts';
import { homeFolder } from '../config/home-folder.ts';
import { FIXTURES } from './fixtures.ts';
import { openPptx, packageProblems } from './pptx.ts';

const root = defineCliGroup('agent', { slides: { description: 'slides', load: async () => slidesCommand } });
const run = (words: string[], options: { stdin?: string } = {}) => {
  const home = homeFolder();
  return runWords(root, ['slides', ...words], { env: { AGENT_HOME: home }, ...options });
};

describe('agent slides', () => {
  test('writes a presentation from a file in an empty home', async () => {
    const out = join(homeFolder(), 'deck.pptx');
    const { status, stderr, stdout } = await run([join(FIXTURES, 'tables.md'), '-o', out, '--theme', 'dark']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toBe(`${out}: 8 slides\n`);
    expect(packageProblems(readFileSync(out))).toEqual([]);
  });

  test('reads stdin and prints what it made as JSON', async () => {
    const out = join(homeFolder(), 'deck.pptx');
    const { status, stdout } = await run(['-', '--out', out, '--json', '--locale', 'de-DE'], {
      stdin: '# Titel\n\n## A\n\nx\n\n## B\n\ny\n',
    });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ path: out, title: 'Titel', slides: 5 });
    expect(openPptx(readFileSync(out)).allText()).toContain('Zusammenfassung');
  });

  test.each([
    ['a missing file', ['nowhere.md', '-o', 'x.pptx'], 1, 'nowhere.md cannot be read: it does not exist.'],
    ['a folder', ['.', '-o', 'x.pptx'], 1, '. cannot be read: it is a folder.'],
    ['a folder as output', ['-', '-o', '.'], 2, '--out: . is a folder; name a file.'],
    ['empty input', ['-', '-o', 'x.pptx'], 2, 'The report is empty.'],
    ['an unknown theme', ['-', '--theme', 'blue', '-o', 'x'], 2, '--theme must be one of light, dark'],
    ['JSON and the file on one stdout', ['-', '--json'], 2, 'name a file with -o'],
  ])('refuses %s', async (_, words, status, message) => {
    const result = await run(words);
    expect(result.status).toBe(status);
    expect(result.stderr).toContain(message);
  });

  test('warns of an image it may not read, without its path', async () => {
    const home = homeFolder();
    writeFileSync(join(home, 'report.md'), '# A\n\n![secret plan](/etc/hostname)\n');
    const out = join(home, 'deck.pptx');
    const { status, stderr } = await run([join(home, 'report.md'), '-o', out]);
    expect(status).toBe(0);
    expect(openPptx(readFileSync(out)).allText()).toContain('Image: secret plan');
    expect(stderr).not.toContain('/etc/hostname');
  });
});

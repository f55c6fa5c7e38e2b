import { describe, expect, test } from 'bun:test';
import { parseCommandArgs } from '../../src/cli/args.ts';
import { type CliCommand, type CliGroup, findEntry } from '../../src/cli/command.ts';
import { renderHelp } from '../../src/cli/help.ts';
import { rootCommand } from '../../src/cli/index.ts';
import { VERSION } from '../../src/version.ts';
import { runWords } from './run-cli.ts';

/** Every command and group with its path. */
async function everyNode(node: CliCommand | CliGroup, path = 'agent'): Promise<[string, CliCommand | CliGroup][]> {
  const below = node.kind === 'group' ? Object.entries(node.commands) : [];
  const nodes = await Promise.all(below.map(async ([name, { load }]) => everyNode(await load(), `${path} ${name}`)));
  return [[path, node], ...nodes.flat()];
}
const nodes = await everyNode(rootCommand);

/** The words of `agent …` in a line of a shell, without what is piped in and out. */
function wordsOf(example: string): string[] {
  const [, line = ''] = /(?:^|[|(] ?)agent ?(.*)$/.exec(example) ?? [];
  const words: string[] = [];
  for (const [, double, single, bare] of line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)) {
    const word = double ?? single ?? (bare as string);
    if (bare && /^[|>)]/.test(bare)) break;
    words.push(bare ? word.replace(/\)$/, '') : word);
  }
  return words;
}

describe('the help of every command', () => {
  test.each(nodes)('%s has examples, and each one is right', async (_path, node) => {
    expect(node.examples.length).toBeGreaterThan(0);
    for (const example of node.examples) {
      let at: CliCommand | CliGroup = rootCommand;
      let words = wordsOf(example);
      while (at.kind === 'group') {
        const found: ReturnType<typeof findEntry> = findEntry(at, words[0] as string);
        expect(found, example).toBeDefined();
        at = await found![1].load();
        words = words.slice(1);
      }
      expect(() => parseCommandArgs((at as CliCommand).args, words), example).not.toThrow();
    }
  });

  test.each([80, 100, 120])('fits a terminal of %d columns', async (columns) => {
    for (const [path, node] of nodes)
      for (const line of (await renderHelp(node, path, columns)).split('\n')) {
        expect(Bun.stringWidth(line), `${path}: ${line}`).toBeLessThanOrEqual(columns);
        expect(line).not.toMatch(/ $/);
      }
  });

  test('loses no word when it is wrapped', async () => {
    const wordsIn = (text: string) => Bun.stripANSI(text).split(/\s+/).filter(Boolean);
    for (const [path, node] of nodes)
      for (const columns of [40, 80])
        expect(wordsIn(await renderHelp(node, path, columns))).toEqual(wordsIn(await renderHelp(node, path)));
  });

  test('shows the flags of the program and of every command', async () => {
    const { stdout } = await runWords(rootCommand, ['--help']);
    for (const flag of ['--home', '--json', '--debug', '-v, --version']) expect(stdout).toContain(flag);
    expect(stdout).toContain('USAGE agent [OPTIONS] <COMMAND>');
  });
});

describe('agent help', () => {
  test.each([
    [['help'], ['--help']],
    [
      ['help', 'serve'],
      ['serve', '--help'],
    ],
    [
      ['help', 'webhook', 'subscribe'],
      ['webhook', 'subscribe', '--help'],
    ],
    [
      ['help', 'webhook', 'ls'],
      ['webhook', 'list', '--help'],
    ],
  ])('%p prints what %p prints', async (words, same) => {
    expect(await runWords(rootCommand, words)).toEqual(await runWords(rootCommand, same));
  });

  test('of an unknown command names the nearest one', async () => {
    const { status, stdout, stderr } = await runWords(rootCommand, ['help', 'webhok']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe('Unknown command "agent webhok"; did you mean agent webhook?\n');
  });
});

describe('agent version', () => {
  test('names version, Bun and platform', async () => {
    const { stdout } = await runWords(rootCommand, ['version']);
    expect(stdout).toBe(`agent ${VERSION} (bun ${Bun.version}, ${process.platform}-${process.arch})\n`);
  });

  test('is JSON when asked', async () => {
    const { stdout } = await runWords(rootCommand, ['version', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ version: VERSION, commit: null, bun: Bun.version });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCommand } from '../../src/cli/index.ts';
import { runWords } from './run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-completion-'));
const path = (shell: string) => join(folder, `agent.${shell}`);
beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(path(shell), (await runWords(rootCommand, ['completion', shell])).stdout);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What each shell offers behind the words; the last one is being typed. */
const ASK: Record<string, (words: string[]) => string[]> = {
  bash: (words) => {
    // Readline hands `--flag=value` over as three words.
    const split = words.flatMap((word) => (word.startsWith('--') ? word.split(/(=)/).filter(Boolean) : [word]));
    const list = split.map((word) => `'${word}'`).join(' ');
    const last = split.length - 1;
    return [
      'bash',
      '-c',
      `source '${path('bash')}'; COMP_WORDS=(${list}); COMP_CWORD=${last}; _agent; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ];
  },
  // The builtins of completion work only under a key press: these print what they would be told.
  zsh: (words) => [
    'zsh',
    '-fc',
    `compdef() { :; }; _files() { print -- FILES; }; compset() { :; }
     compadd() { shift; print -l -- $@; }; _describe() { [[ $1 == -o ]] && shift; print -l -- \${(P)2%%:*}; }
     source '${path('zsh')}'; words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=$#words; PREFIX=$words[-1]; _agent`,
  ],
  fish: (words) => ['fish', '--no-config', '-c', `source '${path('fish')}'; complete -C '${words.join(' ')}'`],
};

for (const [shell, command] of Object.entries(ASK))
  describe.skipIf(!Bun.which(shell))(`completion of ${shell}`, () => {
    const ask = async (...words: string[]) => {
      const child = Bun.spawn(command(words), {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder },
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [stdout, stderr] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      expect(stderr).toBe('');
      // fish puts the description behind a tab, and the flag before `=`.
      return stdout.split('\n').flatMap((line) => line.split('\t')[0]!.replace(/^--\w+=/, '') || []);
    };
    const offered: [words: string[], some: string[], none: string[]][] = [
      [
        ['agent', ''],
        ['serve', 'webhook', 'completion'],
        ['subscribe', '--json'],
      ],
      [['agent', 'webhook', ''], ['subscribe', 'list', 'rotate-secret'], ['serve']],
      [['agent', '--home', '/x', 'webhook', ''], ['subscribe'], ['serve']],
      [
        ['agent', 'webhook', 'ls', '--'],
        ['--json', '--home'],
        ['--events', 'subscribe'],
      ],
      [['agent', 'webhook', 'subscribe', '--'], ['--events', '--deliver-only', '--json'], ['--theme']],
      [
        ['agent', 'slides', '--theme', ''],
        ['light', 'dark'],
        ['--theme', 'serve'],
      ],
      [['agent', 'slides', '--theme='], ['light', 'dark'], ['serve']],
      [['agent', 'research', '--style', ''], ['academic', 'popular_science'], ['serve']],
      [['agent', 'research', '--'], ['--no-web', '--web'], []],
      [['agent', 'prose', ''], ['zap', 'shorter'], ['serve']],
      [['agent', 'completion', ''], ['bash', 'zsh', 'fish'], ['serve']],
    ];
    test.each(offered)('%p offers %p', async (words, some, none) => {
      const found = await ask(...words);
      expect(found).toEqual(expect.arrayContaining(some));
      for (const word of none) expect(found).not.toContain(word);
    });

    test('leaves file names to the shell', async () => {
      for (const words of [
        ['agent', 'slides', ''],
        ['agent', 'slides', '-o', ''],
      ]) {
        const found = await ask(...words);
        // bash asks readline when the function offers nothing.
        expect(found).toEqual(
          { bash: [], zsh: ['FILES'], fish: expect.arrayContaining(['agent.bash']) }[shell] as string[],
        );
      }
    });
  });

test('a shell that is not known is named with those that are', async () => {
  const { status, stderr } = await runWords(rootCommand, ['completion', 'fihs']);
  expect(status).toBe(2);
  expect(stderr).toBe('SHELL must be one of bash, zsh, fish; did you mean fish?\n');
});

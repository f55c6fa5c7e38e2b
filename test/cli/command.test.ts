import { describe, expect, test } from 'bun:test';
import { parseCommandArgs, usageError } from '../../src/cli/args.ts';
import { type CliGroup, defineCliCommand, defineCliGroup } from '../../src/cli/command.ts';
import { rootCommand } from '../../src/cli/index.ts';
import { AppError, fail } from '../../src/errors.ts';
import { VERSION } from '../../src/version.ts';
import { runWords } from './run-cli.ts';

const definitions = {
  name: { type: 'positional', description: 'Name.', required: true },
  files: { type: 'positional', description: 'Files.', multiple: true },
  'deliver-chat-id': { type: 'string', description: 'Chat.' },
  extra: { type: 'string', description: 'Key=value.', multiple: true },
  steps: { type: 'number', description: 'Steps.', integer: true, min: 1, max: 5, default: 3 },
  ratio: { type: 'number', description: 'Ratio.' },
  style: { type: 'enum', description: 'Style.', options: ['academic', 'news'] },
  web: { type: 'boolean', description: 'Web.', default: true },
  out: { type: 'string', alias: 'o', description: 'File.' },
} as const;

describe('parseCommandArgs', () => {
  const good: [words: string[], expected: Record<string, unknown>][] = [
    [['n'], { name: 'n', files: [], extra: [], steps: 3, web: true }],
    [['n', '--deliver-chat-id', '-100123'], { 'deliver-chat-id': '-100123' }],
    [['n', '--deliver-chat-id=-100123'], { 'deliver-chat-id': '-100123' }],
    [['--deliver-chat-id', '-100123', 'n'], { 'deliver-chat-id': '-100123', name: 'n' }],
    [['n', '--extra', 'a=1', '--extra=b=2'], { extra: ['a=1', 'b=2'] }],
    [['n', '--steps', '5', '--ratio', '-0.5'], { steps: 5, ratio: -0.5 }],
    [['n', '--style', 'news'], { style: 'news' }],
    [['n', '--no-web'], { web: false }],
    [['n', '--web=false'], { web: false }],
    [['n', '-o', 'x'], { out: 'x' }],
    [['n', '-ox'], { out: 'x' }],
    [['n', '-o=x'], { out: 'x' }],
    [['n', '--out=a=b\nc'], { out: 'a=b\nc' }],
    [['-'], { name: '-' }],
    [['n', 'a', 'b'], { name: 'n', files: ['a', 'b'] }],
    [['--', '-n', '--steps'], { name: '-n', files: ['--steps'] }],
    [['n', '--out', ''], { out: '' }],
    [['n', '--out', '--text'], { out: '--text' }],
    [['n', '--out=--web'], { out: '--web' }],
  ];
  test.each(good)('%o', (words, expected) => {
    expect(parseCommandArgs(definitions, words)).toMatchObject(expected);
  });

  const bad: [words: string[], message: RegExp][] = [
    [[], /^NAME is missing\.$/],
    [['n', '--stps', '2'], /^Unknown flag --stps; did you mean --steps\?$/],
    [['n', '--zzzzzzzz'], /^Unknown flag --zzzzzzzz; --help lists the flags\.$/],
    [['n', '--no-steps'], /^Unknown flag --no-steps/],
    [['n', '-x'], /^Unknown flag -x/],
    [['n', '--steps'], /^--steps needs a value\.$/],
    [['n', '--out', '--web'], /^--out needs a value\.$/],
    [['n', '--steps', 'many'], /^--steps must be an integer of at least 1 up to 5, not "many"\.$/],
    [['n', '--steps', '6'], /^--steps must be an integer/],
    [['n', '--steps', '1.5'], /^--steps must be an integer/],
    [['n', '--steps='], /^--steps must be an integer/],
    [['n', '--steps', '2', '--steps', '3'], /^--steps is given twice\.$/],
    [['n', '--style', 'nws'], /^--style must be one of academic, news; did you mean news\?$/],
    [['n', '--web=maybe'], /^--web takes no value\.$/],
  ];
  test.each(bad)('%o is wrong usage', (words, message) => {
    let failure: unknown;
    try {
      parseCommandArgs(definitions, words);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(AppError);
    expect((failure as AppError).code).toBe('usage');
    expect((failure as AppError).message).toMatch(message);
  });

  test('a word too many is wrong usage', () => {
    const { files: _files, ...single } = definitions;
    expect(() => parseCommandArgs(single, ['n', 'extra'])).toThrow('Unexpected argument "extra".');
  });
});

function tree(run: (args: Record<string, unknown>) => Promise<number | undefined>): CliGroup {
  const leaf = defineCliCommand({ description: 'Does it', args: { id: { type: 'string', description: 'Id.' } }, run });
  const group = defineCliGroup('Things', {
    remove: { description: 'Remove one', alias: ['rm'], load: async () => leaf },
  });
  return defineCliGroup('Root', { thing: { description: 'Things', load: async () => group } });
}

describe('runCli', () => {
  const done = async () => undefined;

  test('a nested command runs, its alias too, with flags before it', async () => {
    const seen: unknown[] = [];
    const root = tree(async (args) => {
      seen.push(args['id'], args['home']);
      return 0;
    });
    expect((await runWords(root, ['thing', 'remove', '--id', '1'])).status).toBe(0);
    expect((await runWords(root, ['--home', '/x', 'thing', 'rm', '--id=-2'])).status).toBe(0);
    expect(seen).toEqual(['1', undefined, '-2', '/x']);
  });

  test('the returned number is the exit status', async () => {
    expect(
      (
        await runWords(
          tree(async () => 1),
          ['thing', 'rm'],
        )
      ).status,
    ).toBe(1);
    expect((await runWords(tree(done), ['thing', 'rm'])).status).toBe(0);
  });

  const refused: [words: string[], status: number, stderr: RegExp][] = [
    [['thing', 'rm', '--di', '1'], 2, /^Unknown flag --di; did you mean --id\?\n$/],
    [['thing', 'rmove'], 2, /^Unknown command "agent thing rmove"; did you mean agent thing remove\?\n$/],
    [['thnig'], 2, /did you mean agent thing\?/],
    [['qqqq'], 2, /the commands are thing\./],
    [['--jsno', 'thing', 'rm'], 2, /^Unknown flag --jsno; did you mean --json\?\n$/],
    [['--versoin'], 2, /did you mean --version/],
    [['__proto__'], 2, /Unknown command/],
    [['constructor'], 2, /Unknown command/],
  ];
  test.each(refused)('%o exits %p', async (words, status, stderr) => {
    const result = await runWords(tree(done), words);
    expect(result.status).toBe(status);
    expect(result.stderr).toMatch(stderr);
    expect(result.stdout).toBe('');
  });

  const failures: [name: string, error: unknown, status: number, stderr: string][] = [
    ['a refusal', fail('not_found', 'No thing of that name.'), 1, 'No thing of that name.\n'],
    ['wrong usage', usageError('Give one.'), 2, 'Give one.\n'],
    [
      'an unwritable file',
      Object.assign(new Error("EACCES: permission denied, open '/x'"), { code: 'EACCES' }),
      1,
      "EACCES: permission denied, open '/x'\n",
    ],
    ['a defect', new Error('secret detail'), 1, 'Internal error; run the command again with --debug to see where.\n'],
  ];
  test.each(failures)('%s is one line on stderr', async (_name, error, status, stderr) => {
    const result = await runWords(
      tree(() => Promise.reject(error)),
      ['thing', 'rm'],
    );
    expect(result).toEqual({ status, stdout: '', stderr });
  });

  test('--debug shows the stack of a defect', async () => {
    const result = await runWords(
      tree(() => Promise.reject(new Error('detail'))),
      ['thing', 'rm', '--debug'],
    );
    expect(result.stderr).toContain('detail');
    expect(result.stderr).toContain('command.test.ts');
  });

  test('an aborted command exits 130 without a word', async () => {
    const controller = new AbortController();
    const root = tree(async () => {
      controller.abort(new DOMException('Stopped', 'AbortError'));
      throw controller.signal.reason;
    });
    expect(await runWords(root, ['thing', 'rm'], { signal: controller.signal })).toEqual({
      status: 130,
      stdout: '',
      stderr: '',
    });
  });

  test('help is printed for the root, a group and a command, without running it', async () => {
    const root = tree(() => Promise.reject(new Error('must not run')));
    const words = [
      [],
      ['--help'],
      ['-h'],
      ['thing', '--help'],
      ['thing', 'remove', '--help'],
      ['--help', 'thing', 'rm'],
    ];
    for (const line of words) {
      const result = await runWords(root, line);
      expect(result.status, line.join(' ')).toBe(0);
      expect(result.stdout, line.join(' ')).toContain('USAGE agent');
      expect(result.stdout).not.toContain('\u001b');
    }
    expect((await runWords(root, ['thing', 'remove', '--help'])).stdout).toContain('--home');
    expect((await runWords(root, ['thing'])).status).toBe(2);
  });

  test('--version is printed', async () => {
    expect(await runWords(tree(done), ['--version'])).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
  });
});

test('every command of the index loads, has a description and prints its help', async () => {
  for (const [name, entry] of Object.entries(rootCommand.commands)) {
    expect(entry.description, name).not.toBe('');
    const result = await runWords(rootCommand, [name, '--help']);
    expect(result.status, name).toBe(0);
    expect(result.stdout, name).toContain(`USAGE agent ${name}`);
  }
});

import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCliCommand, defineCliGroup } from '../../src/cli/command.ts';
import type { CommandContext } from '../../src/cli/context.ts';
import { writeBox } from '../../src/cli/messages.ts';
import { expectCalm, HOSTILE } from '../helpers/hostile-text.ts';
import { startModelServer } from '../helpers/model-server.ts';
import { runWords } from './run-cli.ts';

/** A command that says `text` in every way. */
const speaking = (text: string, extra: (context: CommandContext) => Promise<unknown> = async () => {}) => {
  const run = async (_args: unknown, context: CommandContext) => {
    await extra(context);
    await context.note(text);
    await context.done(text);
    await context.warn(text);
    throw Object.assign(new Error(text), { code: 'EACCES' });
  };
  const say = defineCliCommand({ description: 'Says it', run });
  return defineCliGroup('test', { say: { description: '', load: async () => say } });
};

describe('messages of a command', () => {
  test('in a pipe are bare lines on stderr', async () => {
    expect(await runWords(speaking('It is so.'), ['say'])).toEqual({
      status: 1,
      stdout: '',
      stderr: 'It is so.\n'.repeat(4),
    });
  });

  test('on a terminal begin with a mark of their kind, one line each, however often they are said', async () => {
    const { stderr } = await runWords(speaking('It is so.'), ['say'], { terminal: true });
    const lines = Bun.stripANSI(stderr).split('\n');
    expect(lines).toEqual(['ℹ It is so.', '✔ It is so.', '⚠ It is so.', '✖ It is so.', '']);
  });

  test('are lines of JSON where the log is JSON', async () => {
    const loading = speaking('It is "so".', (context) => context.loadConfig());
    for (const terminal of [false, true]) {
      const { stderr } = await runWords(loading, ['say'], { env: { AGENT_LOG_FORMAT: 'json' }, terminal });
      const entries = stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(entries.map(({ level, message }) => [level, message])).toEqual([
        ['info', 'It is "so".'],
        ['info', 'It is "so".'],
        ['warn', 'It is "so".'],
        ['error', 'It is "so".'],
      ]);
      expect(Number.isNaN(Date.parse(entries[0].time))).toBe(false);
    }
  });

  test.each([false, true])('made of outside text steer no terminal (on a terminal: %p)', async (terminal) => {
    for (const env of [{}, { AGENT_LOG_FORMAT: 'json' }]) {
      const hostile = speaking(HOSTILE, (context) => context.loadConfig());
      const { stderr } = await runWords(hostile, ['say'], { env: env as Record<string, string>, terminal });
      expectCalm(stderr);
      expect(stderr.match(/owned/g)).toHaveLength(4);
    }
  });
});

describe('a box', () => {
  const written = async (lines: string[], isTerminal: boolean, columns = 80) => {
    let text = '';
    const write = async (chunk: string | Uint8Array) => {
      text += chunk;
    };
    await writeBox({ write, isTerminal, columns }, lines);
    return Bun.stripANSI(text);
  };

  test('stands round its lines on a terminal that is wide enough', async () => {
    const lines = (await written(['one', 'three'], true)).trim().split('\n');
    expect(lines[0]).toBe('╭─────────╮');
    expect(lines).toContain('│  three  │');
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([11]));
  });

  test.each([
    ['in a pipe', false, 80, 'three'],
    ['on a narrow terminal', true, 10, 'three'],
    ['round wide letters', true, 80, '三つ'],
  ])('is left out %s', async (_where, isTerminal, columns, line) => {
    expect(await written(['one', line], isTerminal, columns)).toBe(`one\n${line}\n`);
  });

  test('holds outside text on one line, calm', async () => {
    for (const isTerminal of [false, true]) expectCalm(await written([HOSTILE], isTerminal, 500));
  });
});

test('--debug shows the log in commands that hide it otherwise', async () => {
  await using model = startModelServer({ rejects: ['stream_options'] });
  const home = mkdtempSync(join(tmpdir(), 'agent-debug-'));
  try {
    const main = join(import.meta.dir, '../../src/main.ts');
    const run = async (...words: string[]) => {
      const child = Bun.spawn([process.execPath, '--no-env-file', main, ...words], {
        env: {
          PATH: process.env['PATH'],
          AGENT_HOME: home,
          BASIC_MODEL__BASE_URL: model.baseUrl,
          BASIC_MODEL__MODEL: 'm',
        },
        stdin: new TextEncoder().encode('A text.'),
        stdout: 'ignore',
        stderr: 'pipe',
      });
      return new Response(child.stderr).text();
    };
    const commands = [['prose', 'fix'], ['enhance']];
    const quiet = await Promise.all(commands.map((words) => run(...words)));
    const loud = await Promise.all(commands.map((words) => run(...words, '--debug')));
    for (const [index, [name]] of commands.entries()) {
      expect(quiet[index], name).not.toContain(' INFO ');
      expect(loud[index], name).toContain(' INFO ');
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCliGroup } from '../../src/cli/command.ts';
import { renderPlan, renderSources } from '../../src/cli/research/render.ts';
import { researchCommand } from '../../src/cli/research.ts';
import { type ModelServer, startModelServer } from '../helpers/model-server.ts';
import { planText } from '../research/script.ts';
import { runWords } from './run-cli.ts';

const root = defineCliGroup('agent', { research: { description: 'Research', load: async () => researchCommand } });

let model: ModelServer;
let home: string;
beforeAll(async () => {
  model = startModelServer();
  home = await mkdtemp(join(tmpdir(), 'agent-cli-research-'));
});
afterAll(async () => {
  await model.stop();
  await rm(home, { recursive: true, force: true });
});

const research = (...words: string[]) =>
  runWords(root, ['research', ...words], {
    env: { AGENT_HOME: home, OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'test', OPENAI_MODEL: 'test' },
  });

describe('agent research', () => {
  test('prints the report only, without what the coordinator says on the way', async () => {
    const handoff = { name: 'handoff_to_planner', arguments: { research_topic: 'tides', locale: 'en-US' } };
    model.enqueue('coordinator', { text: 'Sure, I will look into it.', toolCalls: [handoff] });
    model.enqueue('reporter', { text: '# Tides\n\nThe Moon.' });
    const result = await research('tides', '--no-web');
    expect(result).toEqual({ status: 0, stdout: '# Tides\n\nThe Moon.\n', stderr: '' });
  });

  test('prints what the coordinator answers by itself', async () => {
    model.enqueue('coordinator', { text: 'Hello!' });
    expect(await research('hi', '--no-web')).toMatchObject({ status: 0, stdout: 'Hello!\n' });
  });

  test('writes the report to a file', async () => {
    model.enqueue('coordinator', { text: 'Hello!' });
    const file = join(home, 'report.md');
    expect(await research('hi', '--out', file)).toMatchObject({ status: 0, stdout: '' });
    expect(await readFile(file, 'utf8')).toBe('Hello!\n');
  });

  test('a provider that refuses the key ends with one line and no key in it', async () => {
    model.enqueue('coordinator', { status: 401, error: 'bad key' });
    const result = await research('tides', '--no-web');
    expect(result.status).toBe(1);
    expect(result.stdout).toBe('');
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
    expect(result.stderr).toContain('refused the credentials');
  });

  test.each([
    [['q', '--style', 'haiku'], '--style must be one of academic, popular_science'],
    [['q', '--out', '/nowhere/at/all/report.md'], '--out: the folder /nowhere/at/all does not exist'],
    [['q', '--steps', '0'], '--steps must be an integer'],
    [['  '], 'The question is empty.'],
  ])('%j is wrong use, said before any model is asked', async (words, message) => {
    const before = model.requests.length;
    const result = await research(...words);
    expect([result.status, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toContain(message);
    expect(model.requests.length).toBe(before);
  });
});

describe('on a narrow terminal', () => {
  const width = (text: string) => Math.max(...text.split('\n').map((line) => Bun.stringWidth(line)));
  const words = (text: string) => Bun.stripANSI(text).split(/\s+/).filter(Boolean).join(' ');

  test('the plan is broken at words', () => {
    const title = 'A rather long title that does not fit into forty columns at once';
    const shown = renderPlan(planText(2, { title, thought: 'x '.repeat(60) }), 40);
    expect(width(shown)).toBeLessThanOrEqual(40);
    expect(words(shown)).toContain(`${title} x x`);
    expect(words(shown)).toContain('2. Step 2 (research) Find out part 2');
  });

  test('the sources are broken at words', () => {
    const citation = { title: 'A page with a long title about tides', url: 'https://example.org/tides' };
    const shown = renderSources([citation as never], 40);
    expect(width(shown)).toBeLessThanOrEqual(40);
    expect(words(shown)).toBe(`Sources 1. ${citation.title} ${citation.url}`);
  });
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HANDBOOK_PAGES } from '../../src/knowledge/handbook.ts';
import { startModelServer } from '../helpers/model-server.ts';
import { parseFrames, readUntil, textOf } from '../helpers/research-app.ts';
import { runBinary } from './binary.ts';
import { startBinary } from './serve.ts';

const QUESTION = 'How does a research run continue after the server restarts?';
// Loopback ports nobody listens on: the engines fail at once, as on a machine without a network.
const OFFLINE = { DUCKDUCKGO_BASE_URL: 'http://127.0.0.1:9', WIKIPEDIA_BASE_URL: 'http://127.0.0.1:9' };

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'agent-e2e-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Checks that every quote of a report stands verbatim in the handbook page it cites. */
function expectVerbatim(report: string): void {
  const quotes = [...report.matchAll(/^> "([\s\S]+?)" — \[[^\]]+\]\(handbook:\/\/([\w-]+)(?:#[^)]*)?\)$/gm)];
  expect(quotes.length).toBeGreaterThan(3);
  for (const [, quote, page] of quotes) {
    expect(HANDBOOK_PAGES.find(({ name }) => name === page)?.text).toContain(quote as string);
  }
}

test('the command prints a cited report from the handbook, its quotes verbatim, with no key and no network', async () => {
  const { status, stdout, stderr } = await runBinary(['research', QUESTION], { cwd: home, env: OFFLINE });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toStartWith(`# ${QUESTION}`);
  expect(stdout).toContain('goes on from its last finished step');
  expect(stdout).toContain('No language model wrote this report.');
  expectVerbatim(stdout);
});

test('--json prints events, --out writes the report, bad flags and values are refused', async () => {
  const json = await runBinary(['research', 'What is a lease?', '--json', '--no-web'], { cwd: home });
  const events = json.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.at(-1)).toMatchObject({ event: 'citations' });
  const file = join(home, 'report.md');
  await runBinary(['research', 'What is a lease?', '--no-web', '--out', file], { cwd: home });
  expect(await Bun.file(file).text()).toStartWith('# What is a lease?');
  const cases: [string[], number, RegExp][] = [
    [['research'], 2, /QUESTION is missing/],
    [['research', 'x', '--stlye', 'news'], 2, /--style/],
    [['research', 'x', '--steps', '0'], 2, /steps/],
    [['research', 'x', '--style', 'haiku'], 2, /academic/i],
    [['research', 'x', '--no-web', '--out', '/no/such/folder/r.md'], 2, /folder/],
  ];
  for (const [words, status, message] of cases) {
    const result = await runBinary(words, { cwd: home });
    expect([words, result.status]).toEqual([words, status]);
    expect(result.stderr).toMatch(message);
  }
});

test('over HTTP: the plan interrupts, accepted goes on, and the replay is byte-identical', async () => {
  await using server = await startBinary({ env: OFFLINE });
  const chat = async (body: object) => {
    const response = await server.post('/api/chat/stream', body);
    const raw = await response.text();
    return { response, raw, frames: parseFrames(raw) };
  };
  const first = await chat({ messages: [{ role: 'user', content: QUESTION }], thread_id: 't' });
  expect(first.frames.at(-1)?.event).toBe('interrupt');
  const second = await chat({ thread_id: 't', interrupt_feedback: 'accepted' });
  expect(second.frames.at(-1)?.event).toBe('citations');
  expectVerbatim(textOf(second.frames, 'reporter'));
  for (const { response, raw } of [first, second]) {
    const replay = await server.fetch(`/api/runs/${response.headers.get('x-run-id')}/events`);
    expect(await replay.text()).toBe(raw);
  }
});

test('kill -9 in the second step: the run goes on after a restart and repeats nothing', async () => {
  const second = Promise.withResolvers<void>();
  const answered: string[] = [];
  let killed = false;
  await using model = startModelServer({
    auto: { steps: 2, toolRounds: 0 },
    handler: async (request) => {
      const text = JSON.stringify(request.body.messages);
      const step = request.agent === 'researcher' ? (text.includes('Find out part 1') ? ' 1' : ' 2') : '';
      // The second step of the first process never gets an answer.
      if (step === ' 2' && !killed) {
        second.resolve();
        return { text: 'never', latencyMs: 60_000 };
      }
      answered.push(`${request.agent}${step}`);
      return undefined;
    },
  });
  const env = { ...OFFLINE, OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'k', OPENAI_MODEL: 'm' };
  const config = 'research: { max_concurrency: 1 }\n';
  const first = await startBinary({ env, config, keepHome: true });
  const response = await first.post('/api/chat/stream', {
    messages: [{ role: 'user', content: 'Tell me about tides' }],
    auto_accepted_plan: true,
    on_disconnect: 'continue',
  });
  const runId = response.headers.get('x-run-id') as string;
  const { frames: seen } = await readUntil(
    response,
    (frame) => frame.data['agent'] === 'researcher' && frame.data['finish_reason'] === 'stop',
  );
  await second.promise;
  first.kill('SIGKILL');
  await first.exited;
  killed = true;

  await using again = await startBinary({ env, config, home: first.home });
  const rest = await again.fetch(`/api/runs/${runId}/events`, { headers: { 'last-event-id': seen.at(-1)?.id ?? '' } });
  expect(parseFrames(await rest.text()).at(-1)?.event).toBe('citations');
  expect(answered).toEqual(['coordinator', 'planner', 'researcher 1', 'researcher 2', 'reporter']);
  const whole = parseFrames(await (await again.fetch(`/api/runs/${runId}/events`)).text());
  expect(whole.slice(0, seen.length).map((frame) => frame.raw)).toEqual(seen.map((frame) => frame.raw));
  expect(whole.map((frame) => frame.id)).toEqual(whole.map((_frame, index) => `${runId}:${index + 1}`));
  expect(await (await again.fetch(`/api/runs/${runId}`)).json()).toMatchObject({ status: 'completed' });
});

test('SIGTERM ends a stream with shutting_down and the process within ten seconds', async () => {
  await using model = startModelServer({ handler: () => ({ text: 'never', latencyMs: 60_000 }) });
  await using server = await startBinary({
    env: { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'k', OPENAI_MODEL: 'm' },
  });
  const response = await server.post('/api/chat/stream', {
    messages: [{ role: 'user', content: 'Tell me about tides' }],
  });
  const body = response.text();
  const started = performance.now();
  server.kill('SIGTERM');
  expect(parseFrames(await body).at(-1)?.data).toMatchObject({ code: 'shutting_down' });
  expect(await server.exited).toBe(0);
  expect(performance.now() - started).toBeLessThan(10_000);
});

test('no key, prompt or answer is in the log', async () => {
  await using model = startModelServer();
  await using server = await startBinary({
    env: {
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'sk-secret-key',
      OPENAI_MODEL: 'm',
      AGENT_LOG_LEVEL: 'debug',
      ...OFFLINE,
    },
  });
  const response = await server.post('/api/chat/stream', {
    messages: [{ role: 'user', content: 'What is my private-word about?' }],
    auto_accepted_plan: true,
  });
  expect(parseFrames(await response.text()).at(-1)?.data['code']).toBeUndefined();
  server.kill('SIGTERM');
  await server.exited;
  const log = server.log();
  expect(log).toContain('run ended');
  for (const secret of ['sk-secret-key', 'private-word']) expect(log).not.toContain(secret);
});

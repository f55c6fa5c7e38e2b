import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCommand } from '../../src/cli/index.ts';
import { renderMarkdown } from '../../src/cli/research/render.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { SqliteWebhookStore } from '../../src/store/webhook-store.ts';
import { expectCalm, HOSTILE, HOSTILE_WORD } from '../helpers/hostile-text.ts';
import { type ModelServer, startModelServer } from '../helpers/model-server.ts';
import { planText } from '../research/script.ts';
import { runWords } from './run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-hostile-'));
const { port, stop } = hostileServer();
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});
let homes = 0;

/** Speaks MCP, the lists of models, and the webhook listener, all with an attacker's words. */
function hostileServer() {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname.endsWith('/models')) return Response.json({ data: [{ id: HOSTILE }] });
      if (pathname === '/api/tags') return Response.json({ models: [{ name: HOSTILE }] });
      if (pathname.startsWith('/webhooks/')) return new Response(HOSTILE, { status: 500 });
      if (request.method !== 'POST') return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as { id?: number; method: string };
      if (id === undefined) return new Response(null, { status: 202 });
      const serverInfo = { name: HOSTILE, title: HOSTILE, version: HOSTILE };
      const tool = { name: HOSTILE, description: HOSTILE.split('\n')[0], inputSchema: schemaOf(HOSTILE) };
      const result =
        method === 'initialize'
          ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
          : { tools: [tool] };
      return Response.json({ jsonrpc: '2.0', id, result });
    },
  });
  return { port: server.port as number, stop: () => server.stop(true) };
}

const schemaOf = (name: string) => ({ type: 'object', properties: { [name]: {} }, required: [name] });

interface Place {
  home: string;
  docs: string;
  env: Record<string, string>;
  run(words: string[], stdin?: string): Promise<{ status: number; stdout: string; stderr: string }>;
}

/** A home with the webhook platform enabled, run as on a terminal or behind a pipe. */
function place(terminal: boolean, model?: ModelServer): Place {
  const home = join(folder, `home-${++homes}`);
  const docs = join(folder, `docs-${homes}`);
  mkdirSync(docs);
  const env = {
    AGENT_HOME: home,
    WEBHOOK_ENABLED: 'true',
    WEBHOOK_PORT: String(port),
    PATH: Bun.env['PATH'] ?? '',
    DUCKDUCKGO_BASE_URL: 'http://127.0.0.1:9',
    ...(model ? { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'k', OPENAI_MODEL: 'm' } : {}),
  };
  return {
    home,
    docs,
    env,
    run: (words, stdin = '') => runWords(rootCommand, words, { env, stdin, terminal }),
  };
}

const script = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** What prints text from outside: the words, what comes before, and what must have been printed. */
const COMMANDS: [
  name: string,
  words: string[] | ((place: Place) => string[]),
  prepare?: (place: Place) => Promise<unknown>,
][] = [
  ['an unknown command', [HOSTILE_WORD]],
  ['an unknown flag', ['doctor', `--${HOSTILE_WORD}`]],
  ['an unexpected word', ['config', HOSTILE_WORD]],
  ['config', ['config'], ({ home }) => settings(home, `server: {allowed_origins: [${JSON.stringify(HOSTILE)}]}`)],
  ['config that is wrong', ['config'], ({ home }) => settings(home, `log: {level: ${JSON.stringify(HOSTILE)}}`)],
  [
    'doctor',
    ['doctor'],
    ({ home }) =>
      settings(
        home,
        `models: {basic: {model: m, base_url: "http://127.0.0.1:${port}/v1"}}\nmcp: {servers: {${JSON.stringify(HOSTILE)}: {command: ${JSON.stringify(HOSTILE)}}}}`,
      ),
  ],
  ['knowledge add', ({ docs }) => ['knowledge', 'add', docs, `/nowhere/${HOSTILE_WORD}`], hostileDocuments],
  ['knowledge list', ['knowledge', 'list'], addDocuments],
  ['knowledge search', ['knowledge', 'search', 'zanzibar'], addDocuments],
  ['knowledge remove', ['knowledge', 'remove', `local://${HOSTILE_WORD}`]],
  ['webhook subscribe', ['webhook', 'subscribe', 'a', '--events', HOSTILE_WORD, '--deliver', 'log']],
  ['a subscription with a wrong name', ['webhook', 'subscribe', HOSTILE_WORD.repeat(9)]],
  ['webhook list', ['webhook', 'list'], subscribe],
  ['webhook show', ['webhook', 'show', 'a'], subscribe],
  ['webhook events', ['webhook', 'events'], acceptEvent],
  ['webhook list with a last event', ['webhook', 'list'], acceptEvent],
  ['webhook replay', ['webhook', 'replay', HOSTILE_WORD], subscribe],
  ['webhook test', ['webhook', 'test', 'a', '--event', 'push'], subscribe],
  ['webhook test with a strange event', ['webhook', 'test', 'a', '--event', HOSTILE_WORD], subscribe],
  [
    'webhook test --dry-run',
    ['webhook', 'test', 'a', '--dry-run', '--payload', JSON.stringify({ text: HOSTILE, event_type: HOSTILE })],
    subscribe,
  ],
  ['mcp inspect over HTTP', ['mcp', 'inspect', '--url', `http://127.0.0.1:${port}/mcp`]],
  [
    'mcp inspect of a program that fails',
    () => ['mcp', 'inspect', '--command', process.execPath, '--args', script('loud.js', LOUD)],
  ],
  [
    'slides',
    () => [
      'slides',
      script('tides.md', '# Tides\n\nThe Moon.\n'),
      '-o',
      join(folder, HOSTILE_WORD.slice(0, 60).replaceAll('/', '')),
    ],
  ],
  ['evaluate', ['evaluate', '--query', HOSTILE_WORD, '--style', HOSTILE_WORD]],
  ['prose of a file that is not there', ['prose', 'fix', `/nowhere/${HOSTILE_WORD}`]],
];

/** Every row whole: a missing argument would be taken for Bun's `done`. */
const ROWS = COMMANDS.map(([name, words, prepare = async () => undefined]) => [name, words, prepare] as const);
const LOUD = `process.stderr.write(${JSON.stringify(HOSTILE)}); process.exit(3);`;

async function settings(home: string, yaml: string): Promise<void> {
  await Bun.write(join(home, 'config.yaml'), yaml);
}

async function hostileDocuments({ docs }: Place): Promise<void> {
  const name = HOSTILE_WORD.replaceAll('\n', '');
  writeFileSync(
    join(docs, `${name}.md`),
    `# ${HOSTILE.split('\n')[0]}\n\nHigh water in zanzibar ${HOSTILE_WORD} ${'and words '.repeat(99)}`,
  );
  writeFileSync(join(docs, `${name}.pdf`), 'no PDF');
  writeFileSync(join(docs, `${name}.xyz`), 'not known');
}

async function addDocuments(at: Place): Promise<void> {
  await hostileDocuments(at);
  await at.run(['knowledge', 'add', at.docs]);
}

const RECORD = {
  description: HOSTILE,
  events: ['push', HOSTILE],
  deliver: HOSTILE,
  script: HOSTILE,
  prompt: 'Say {text}',
  secret: 'a-secret-of-a-fair-length',
  note: HOSTILE,
};

async function subscribe({ home }: Place): Promise<void> {
  const { script: _script, ...record } = RECORD;
  await Bun.write(
    join(home, 'webhook_subscriptions.json'),
    JSON.stringify({ a: { ...record, deliver: 'log' }, [HOSTILE]: RECORD }),
  );
}

/** An event with an attacker's type, reason, delivery id and answer in the delivery log, as older versions took them. */
async function acceptEvent(at: Place): Promise<void> {
  await subscribe(at);
  const store = new SqliteWebhookStore({
    path: join(at.home, 'webhooks.db'),
    clock: systemClock,
    owner: 'test',
    isDeadOwner: () => false,
  });
  store.start();
  await store.accept({
    id: 'evt_1',
    route: 'a',
    event: HOSTILE,
    deliveryId: HOSTILE,
    status: 'ignored',
    reason: HOSTILE,
    stage: 'run',
    body: new TextEncoder().encode('{}'),
    runId: 'run_1',
  });
  await store.update('evt_1', { status: 'delivered', answer: HOSTILE });
  await store.stop();
}

for (const terminal of [false, true])
  describe(terminal ? 'on a terminal' : 'behind a pipe', () => {
    test.each(ROWS)('%s prints no outside text that steers', async (_name, words, prepare) => {
      const at = place(terminal);
      await prepare(at);
      const list = typeof words === 'function' ? words(at) : words;
      const { stdout, stderr } = await at.run(list);
      expectCalm(stdout);
      expectCalm(stderr);
      // The attack went through the command, it was not lost before.
      expect(stdout + stderr).toContain('evil\\u001b]0;owned\\u0007');
    });
  });

describe('with JSON', () => {
  const withJson = ROWS.filter(([name]) => /^(config|doctor|knowledge|webhook (list|show|events|test)|mcp)/.test(name));
  test.each(withJson)('%s --json prints the same data, escaped', async (_name, words, prepare) => {
    const at = place(false);
    await prepare(at);
    const list = typeof words === 'function' ? words(at) : words;
    const { stdout, stderr } = await at.run([...list, '--json']);
    expectCalm(stdout);
    expectCalm(stderr);
    if (stdout !== '') expect(() => JSON.parse(stdout)).not.toThrow();
  });
});

describe('texts of models', () => {
  const attack = `${HOSTILE}\n\n&#x9b;2J &#27;[2J &#155;&#8238;&#x202E; [x](http://a.example/&#155;)`;

  test.each([false, true])('a research report is calm (on a terminal: %p)', async (terminal) => {
    const handoff = { name: 'handoff_to_planner', arguments: { research_topic: HOSTILE, locale: 'en-US' } };
    await using model = startModelServer();
    model.enqueue('coordinator', { toolCalls: [handoff] });
    model.enqueue('planner', { text: planText(1, { title: HOSTILE, thought: HOSTILE }) });
    model.enqueue('researcher', { toolCalls: [{ name: 'local_search_tool', arguments: { keywords: HOSTILE } }] });
    model.enqueue('researcher', { text: HOSTILE });
    model.enqueue('reporter', { text: `# Tides ${attack}` });
    const at = place(terminal, model);
    const { status, stdout, stderr } = await at.run(['research', 'tides', '--no-web', '--auto-accept']);
    expect(status).toBe(0);
    expectCalm(stdout, { lines: 'theirs' });
    expectCalm(stderr);
    expect(stdout).toContain('evil\\u001b]0;owned\\u0007');
    if (terminal) expect(stderr).toContain('local_search_tool  evil\\u001b]0;owned');
  });

  test('a research report as JSON is the same report', async () => {
    await using model = startModelServer();
    model.enqueue('coordinator', { text: attack });
    const { stdout } = await place(false, model).run(['research', 'hi', '--no-web', '--json']);
    expectCalm(stdout);
    const said = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((event) => event.agent === 'coordinator')
      .map((event) => event.content ?? '')
      .join('');
    expect(said).toContain('evil\u001b]0;owned\u0007');
  });

  test.each([
    [['prose', 'continue'], 'prose', attack],
    [['enhance'], 'enhancer', `<enhanced_prompt>${attack}</enhanced_prompt>`],
  ])('%j is calm on stdout and true in a file', async (words, agent, text) => {
    for (const terminal of [false, true]) {
      await using model = startModelServer();
      model.enqueue(agent, { text }, { text });
      const at = place(terminal, model);
      const shown = await at.run([...words, script('zero.txt', 'Zero.')]);
      expect(shown.status).toBe(0);
      expectCalm(shown.stdout, { lines: 'theirs' });
      expect(shown.stdout).toContain('evil\\u001b]0;owned\\u0007');
      const out = join(folder, `out-${agent}.txt`);
      expect((await at.run([...words, script('zero.txt', 'Zero.'), '-o', out])).status).toBe(0);
      expect(existsSync(out) && (await Bun.file(out).text())).toContain('evil\u001b]0;owned\u0007');
    }
  });

  test('references to control characters in Markdown are no way around', () => {
    const shown = renderMarkdown(
      'a &#155;2J &#x9B;2J &#8238;x &#x202e; &#13;\n\n`&#155;` | &amp; &#228; &#x1F600;',
      80,
    );
    expectCalm(shown, { lines: 'theirs' });
    expect(shown).toContain('\\u009b2J');
    expect(shown).toContain('ä 😀');
  });
});

import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import type { Config } from '../../src/config/schema.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { nameTools } from '../../src/mcp/tool-names.ts';
import { createMcpToolProvider } from '../../src/mcp/tool-provider.ts';
import { readToolResult } from '../../src/mcp/tool-result.ts';
import type { ResearchInput } from '../../src/research/model.ts';
import type { Tool, ToolSet } from '../../src/research/tool.ts';
import { startResearchApp, textOf } from '../helpers/research-app.ts';
import { type ScriptedStep, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { HANDOFF, planText, question, report } from '../research/script.ts';
import { EVERYTHING, FILESYSTEM, isRunning, MISBEHAVE, notes, openPlace, pidsOf, startEverything } from './servers.ts';

const signal = () => new AbortController().signal;

async function openProvider(change: (config: Config) => void = () => {}) {
  const place = await openPlace(change);
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  const provider = createMcpToolProvider({ config: place.config, connection: place.needs, log, clock: systemClock });
  const sets: ToolSet[] = [];
  return {
    ...place,
    provider,
    logText: () => lines.join('\n'),
    run(servers: Record<string, unknown> | null): ToolSet {
      const input = { mcpSettings: servers && { servers } } as ResearchInput;
      const set = provider.forRun(input, 'run_1');
      sets.push(set);
      return set;
    },
    server: (mode: string, extra: Record<string, unknown> = {}, file = 'notes') => ({
      transport: 'stdio',
      command: 'node',
      args: [MISBEHAVE, mode, place.file(file)],
      ...extra,
    }),
    async [Symbol.asyncDispose]() {
      await Promise.all(sets.map((set) => set.close()));
      await place[Symbol.asyncDispose]();
    },
  };
}

const names = (tools: Tool[]) => tools.map((tool) => tool.definition.name);
const call = async (tools: Tool[], name: string, args: Record<string, unknown> = {}, abort = signal()) => {
  const tool = tools.find((entry) => entry.definition.name === name);
  if (!tool) throw new Error(`no ${name} among ${names(tools)}`);
  return (await tool.run(args, abort)).content;
};

describe('tools of servers in a run', () => {
  test('tools of the everything server are called over all transports', async () => {
    await using sse = await startEverything('sse');
    await using http = await startEverything('streamableHttp');
    await using place = await openProvider((config) => {
      config.crawl.allow_private_network = true;
    });
    for (const setting of [
      { transport: 'stdio', command: 'node', args: [EVERYTHING, 'stdio'] },
      { transport: 'sse', url: sse.url },
      { transport: 'streamable_http', url: http.url },
    ]) {
      const set = place.run({ everything: setting });
      const tools = await set.toolsFor('researcher', signal());
      expect(await call(tools, 'echo', { message: 'hello' })).toBe('Echo: hello');
      expect(await call(tools, 'get-sum', { a: 2, b: 3 })).toContain('5');
      expect(await call(tools, 'get-tiny-image')).toContain('[image image/png');
      await set.close();
    }
  }, 20_000);

  test('the filesystem server reads a file, and its refusal is an error text', async () => {
    await using place = await openProvider();
    await Bun.write(place.file('note.txt'), 'The moon is far.');
    const tools = await place
      .run({ files: { transport: 'stdio', command: 'node', args: [FILESYSTEM, place.home] } })
      .toolsFor('researcher', signal());
    expect(await call(tools, 'read_text_file', { path: place.file('note.txt') })).toContain('The moon is far.');
    expect(await call(tools, 'read_text_file', { path: '/etc/passwd' })).toMatch(/^Error: /);
  });

  test('only enabled tools are given, and only to the agents named', async () => {
    await using place = await openProvider();
    const set = place.run({
      one: place.server('normal', { enabled_tools: ['echo', 'missing'], add_to_agents: ['coder', 'analyst'] }),
    });
    expect(names(await set.toolsFor('researcher', signal()))).toEqual([]);
    expect(existsSync(place.file('notes'))).toBe(false);
    expect(names(await set.toolsFor('coder', signal()))).toEqual(['echo']);
    expect(names(await set.toolsFor('analyst', signal()))).toEqual(['echo']);
    expect(names(await place.run({ one: place.server('normal') }).toolsFor('researcher', signal()))).toEqual([
      'echo',
      'add',
      'secret',
    ]);
    expect(
      names(await place.run({ one: place.server('normal', { enabled_tools: [] }) }).toolsFor('researcher', signal())),
    ).toEqual([]);
  });

  test('two servers with one tool name: both are prefixed and both are usable', async () => {
    await using place = await openProvider();
    const tools = await place
      .run({
        'first one': place.server('normal', { enabled_tools: ['echo', 'add'] }),
        second: place.server('greets', { enabled_tools: ['echo'] }),
      })
      .toolsFor('researcher', signal());
    expect(names(tools)).toEqual(['first_one__echo', 'add', 'second__echo']);
    expect(await call(tools, 'first_one__echo', { a: 1 })).toBe('normal: {"a":1}');
    expect(await call(tools, 'second__echo', { a: 2 })).toBe('greets: {"a":2}');
  });

  test('names are made fit for every provider; a name of ours is prefixed', async () => {
    await using place = await openProvider();
    const tools = await place.run({ w: place.server('weird') }).toolsFor('researcher', signal());
    expect(names(tools)).toEqual(['w_ird_n_me_with_everything', 'echo', 'x'.repeat(64), 'w__web_search']);
    expect(await call(tools, 'w__web_search', { query: 'x' })).toContain('weird:');
  });

  test('one process serves concurrent steps and is gone with the run', async () => {
    await using place = await openProvider();
    const set = place.run({ one: place.server('grandchild') });
    const lists = await Promise.all([1, 2, 3].map(() => set.toolsFor('researcher', signal())));
    await Promise.all(lists.map((tools, index) => call(tools, 'echo', { index })));
    const [pid, ...more] = pidsOf(place.file('notes'), 'start');
    expect(more).toEqual([]);
    expect(isRunning(pid as number)).toBe(true);
    await set.close();
    for (const gone of [pid, ...pidsOf(place.file('notes'), 'child')]) expect(isRunning(gone as number)).toBe(false);
    expect(await place.leftFolders()).toEqual([]);
  });

  test('a step that is aborted while the server starts leaves the server to the others', async () => {
    await using place = await openProvider();
    const set = place.run({ one: place.server('normal') });
    const leave = new AbortController();
    const first = set.toolsFor('researcher', leave.signal);
    const second = set.toolsFor('researcher', signal());
    leave.abort(new DOMException('gone', 'AbortError'));
    await expect(first).rejects.toThrow('gone');
    expect(names(await second)).toContain('echo');
  });

  test('a server that dies during a call is started once more and the call is repeated', async () => {
    await using place = await openProvider();
    const tools = await place.run({ one: place.server('dies') }).toolsFor('researcher', signal());
    expect(await call(tools, 'die')).toBe('alive again');
    expect(await call(tools, 'echo')).toBe('dies: {}');
    expect(pidsOf(place.file('notes'), 'start')).toHaveLength(2);
  });

  test('a call of a tool that destroys things is never repeated', async () => {
    await using place = await openProvider();
    const tools = await place.run({ one: place.server('dies-destructive') }).toolsFor('researcher', signal());
    await expect(call(tools, 'die')).rejects.toThrow('ended with status 9');
    expect(notes(place.file('notes')).filter((line) => line === 'call die')).toHaveLength(1);
  });

  test('a server that dies again is given up with a sentence, and there is no third start', async () => {
    await using place = await openProvider();
    const tools = await place.run({ one: place.server('huge') }).toolsFor('researcher', signal());
    await expect(call(tools, 'huge')).rejects.toThrow('message larger than');
    await expect(call(tools, 'huge')).rejects.toThrow('message larger than');
    expect(pidsOf(place.file('notes'), 'start')).toHaveLength(2);
  });

  test('an aborted call tells the server, and the run goes on with it', async () => {
    await using place = await openProvider();
    const tools = await place.run({ one: place.server('hangs') }).toolsFor('researcher', signal());
    const leave = new AbortController();
    const pending = call(tools, 'echo', {}, leave.signal);
    while (!notes(place.file('notes')).includes('call echo')) await Bun.sleep(5);
    leave.abort(new DOMException('enough', 'AbortError'));
    await expect(pending).rejects.toThrow('enough');
    for (let wait = 0; wait < 200 && !notes(place.file('notes')).some((line) => line.includes('cancelled')); wait++)
      await Bun.sleep(5);
    expect(notes(place.file('notes')).join()).toContain('notifications/cancelled');
  });

  test('a call that takes longer than the timeout of the server is an error', async () => {
    await using place = await openProvider();
    const tools = await place
      .run({ one: place.server('hangs', { timeout_seconds: 1 }) })
      .toolsFor('researcher', signal());
    await expect(call(tools, 'echo')).rejects.toMatchObject({ code: 'upstream_timeout' });
  });

  test('a server that cannot be used costs the run its tools only, and is told and logged without secrets', async () => {
    await using place = await openProvider();
    const set = place.run({
      bad: place.server('exits', { env: { API_KEY: 'hunter2' } }),
      good: place.server('normal', {}, 'good'),
    });
    expect(names(await set.toolsFor('researcher', signal()))).toEqual(['echo', 'add', 'secret']);
    expect(set.notices?.()).toEqual([
      'The tools of the MCP server "bad" are missing: The MCP server node (stdio) cannot be used: it ended with status 3.',
    ]);
    expect(place.logText()).toContain('mcp server not usable');
    expect(place.logText()).not.toContain('hunter2');
  });

  test('too many tools are cut to what a model takes, and that is told', async () => {
    await using place = await openProvider();
    const set = place.run({ one: place.server('many') });
    expect(await set.toolsFor('researcher', signal())).toHaveLength(128);
    expect(set.notices?.()[0]).toContain('9872 of 10000 MCP tools are left out');
  });

  test('a server of a request gets a clean environment and an empty folder of its own', async () => {
    await using place = await openProvider();
    const set = place.run({ one: place.server('environment', { env: { MY_KEY: 'hunter2' } }) });
    await set.toolsFor('researcher', signal());
    const seen = JSON.parse(await Bun.file(place.file('notes.json')).text());
    expect(Object.keys(seen.env).toSorted()).toEqual(
      [
        'AGENT_MCP_ID',
        'BUN_INSTALL_CACHE_DIR',
        'DENO_DIR',
        'HOME',
        'LANG',
        'MY_KEY',
        'PATH',
        'TMPDIR',
        'UV_CACHE_DIR',
        'npm_config_cache',
      ]
        .concat(['npm_config_update_notifier', ...('npm_config_registry' in seen.env ? ['npm_config_registry'] : [])])
        .toSorted(),
    );
    expect(seen.env.HOME).toStartWith(place.home);
    expect(seen.cwd).toBe(seen.env.HOME);
    await set.close();
    expect(existsSync(seen.cwd)).toBe(false);
  });

  test('servers of the configuration work while requests may name none; those of a request are left out', async () => {
    await using place = await openProvider((config) => {
      config.mcp.enable_server_configuration = false;
      config.mcp.servers = {
        mine: { command: 'node', args: ['--no-warnings', MISBEHAVE, 'normal'], enabled_tools: ['add'] },
      };
    });
    expect(names(await place.run(null).toolsFor('researcher', signal()))).toEqual(['add']);
    expect(names(await place.run({ other: place.server('normal') }).toolsFor('researcher', signal()))).toEqual(['add']);
  });

  test('the command of a configured server is used as written, also one that requests may not use', async () => {
    await using place = await openProvider((config) => {
      config.mcp.allowed_commands = [];
      config.mcp.servers = {
        mine: {
          command: process.execPath,
          args: ['-e', `process.argv.splice(1, 0, 'x'); process.argv[2] = 'normal'; import('${MISBEHAVE}')`],
        },
      };
    });
    expect(names(await place.run(null).toolsFor('researcher', signal()))).toContain('echo');
  });

  test('stored settings that are not allowed any more are skipped', async () => {
    await using place = await openProvider();
    const set = place.run({ bad: { transport: 'stdio', command: 'bash', args: [] } });
    expect(await set.toolsFor('researcher', signal())).toEqual([]);
    expect(place.logText()).toContain('/mcp_settings/servers/bad/command');
  });
});

describe('a research run', () => {
  const threeSteps: ScriptedStep = { agent: 'planner', text: [planText(3)] };
  const callEcho = (times: number): ScriptedStep => ({
    agent: 'researcher',
    when: (request) => !request.messages.some((message) => message.role === 'tool'),
    toolCalls: [{ name: 'echo', args: { message: 'from the server' } }],
    times,
  });
  const quote: ScriptedStep = {
    agent: 'researcher',
    text: (request) => `Found: ${request.messages.findLast((message) => message.role === 'tool')?.content}`,
    times: 3,
  };
  const write: ScriptedStep = {
    agent: 'reporter',
    text: (request) =>
      JSON.stringify(request.messages).includes('Echo: from the server')
        ? '# Report\n\nIt said: from the server.'
        : '# Empty',
  };

  test('calls an MCP tool in three steps through one process, and the result reaches the report', async () => {
    await using place = await openPlace((config) => {
      config.mcp.servers = { everything: { command: 'node', args: [EVERYTHING, 'stdio'], enabled_tools: ['echo'] } };
    });
    const log = createLogger({ level: 'silent', format: 'text' });
    const provider = createMcpToolProvider({ config: place.config, connection: place.needs, log, clock: systemClock });
    const model = scriptedModel([HANDOFF, threeSteps, callEcho(3), quote, write]);
    await using app = await startResearchApp({
      models: scriptedModels({ basic: model }),
      deps: { toolProviders: [provider] },
    });
    const { frames } = await app.chat({ ...question(), auto_accepted_plan: true });
    const results = frames.filter((frame) => frame.event === 'tool_call_result');
    expect(results.map((frame) => frame.data['content'])).toEqual(new Array(3).fill('Echo: from the server'));
    expect(textOf(frames, 'reporter')).toContain('It said: from the server.');
    expect(await place.leftFolders()).toEqual([]);
    model.assertDone();
  });

  test('goes on without a broken server, and the agent is told', async () => {
    await using place = await openPlace((config) => {
      config.mcp.servers = { broken: { command: 'node', args: [MISBEHAVE, 'exits'] } };
    });
    const log = createLogger({ level: 'silent', format: 'text' });
    const provider = createMcpToolProvider({ config: place.config, connection: place.needs, log, clock: systemClock });
    const told: ScriptedStep = {
      agent: 'researcher',
      when: (request) =>
        JSON.stringify(request.messages).includes('The tools of the MCP server \\"broken\\" are missing'),
      text: ['Nothing, the tools were missing.'],
    };
    const model = scriptedModel([HANDOFF, { agent: 'planner', text: [planText(1)] }, told, report('# Report')]);
    await using app = await startResearchApp({
      models: scriptedModels({ basic: model }),
      deps: { toolProviders: [provider] },
    });
    const { frames } = await app.chat({ ...question(), auto_accepted_plan: true });
    expect(frames.some((frame) => frame.event === 'error')).toBe(false);
    expect(textOf(frames, 'reporter')).toContain('# Report');
    model.assertDone();
  });

  test('waits for approval before a listed MCP tool', async () => {
    await using place = await openPlace((config) => {
      config.mcp.servers = { everything: { command: 'node', args: [EVERYTHING, 'stdio'], enabled_tools: ['echo'] } };
    });
    const log = createLogger({ level: 'silent', format: 'text' });
    const provider = createMcpToolProvider({ config: place.config, connection: place.needs, log, clock: systemClock });
    const model = scriptedModel([
      HANDOFF,
      { agent: 'planner', text: [planText(1)] },
      callEcho(1),
      { ...quote, times: 1 },
      write,
    ]);
    await using app = await startResearchApp({
      models: scriptedModels({ basic: model }),
      deps: { toolProviders: [provider] },
    });
    const body = { ...question(), auto_accepted_plan: true, interrupt_before_tools: ['echo'], thread_id: 't1' };
    const first = await app.chat(body);
    expect(first.frames.at(-1)).toMatchObject({
      event: 'interrupt',
      data: { content: expect.stringContaining('echo') },
    });
    const second = await app.chat({ thread_id: 't1', messages: [], interrupt_feedback: 'approved' });
    expect(textOf(second.frames, 'reporter')).toContain('from the server');
    model.assertDone();
  });
});

test('approval is also asked for by the own name of a tool that had to be renamed', async () => {
  await using place = await openPlace((config) => {
    const server = { command: 'node', args: [EVERYTHING, 'stdio'], enabled_tools: ['echo'] };
    config.mcp.servers = { a: server, b: server };
  });
  const log = createLogger({ level: 'silent', format: 'text' });
  const provider = createMcpToolProvider({ config: place.config, connection: place.needs, log, clock: systemClock });
  const prefixed: ScriptedStep = { agent: 'researcher', toolCalls: [{ name: 'b__echo', args: { message: 'x' } }] };
  const model = scriptedModel([HANDOFF, { agent: 'planner', text: [planText(1)] }, prefixed]);
  await using app = await startResearchApp({
    models: scriptedModels({ basic: model }),
    deps: { toolProviders: [provider] },
  });
  const { frames } = await app.chat({ ...question(), auto_accepted_plan: true, interrupt_before_tools: ['echo'] });
  expect(frames.at(-1)).toMatchObject({ event: 'interrupt', data: { content: expect.stringContaining('b__echo') } });
  model.assertDone();
});

describe('results', () => {
  const read = (result: Record<string, unknown>) => readToolResult(result, 1000).content;
  test.each([
    [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      'a\nb',
    ],
    [{ content: [] }, '(The tool returned nothing.)'],
    [{}, '(The tool returned nothing.)'],
    [{ content: 'text' }, '(The tool returned nothing.)'],
    [{ content: [], structuredContent: { a: 1 } }, '{"a":1}'],
    [{ isError: true, content: [{ type: 'text', text: 'no such city' }] }, 'Error: no such city'],
    [{ isError: true, content: [{ type: 'text', text: 'Error: bad' }] }, 'Error: bad'],
    [{ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }, '[image image/png, 3 bytes, not shown]'],
    [
      { content: [{ type: 'audio', data: 'A'.repeat(8192), mimeType: 'audio/wav' }] },
      '[audio audio/wav, 6 kB, not shown]',
    ],
    [
      { content: [{ type: 'resource_link', uri: 'https://x.example/a', name: 'A' }] },
      '[link: A — https://x.example/a]',
    ],
    [{ content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'body' } }] }, '[resource: file:///a]\nbody'],
    [
      { content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType: 'a/b', blob: 'AAAA' } }] },
      '[resource: file:///a a/b, 3 bytes, not shown]',
    ],
    [{ content: [{ type: 'hologram' }, null, 5] }, '[content of an unknown type, not shown]'],
  ])('%j reads %s', (result, text) => {
    expect(read(result)).toBe(text);
  });
  test('a long result is cut with a mark', () => {
    expect(read({ content: [{ type: 'text', text: 'z'.repeat(5000) }] })).toBe(
      `${'z'.repeat(1000)}\n… [cut: the tool returned 5000 characters]`,
    );
  });
  test('links of the result become sources; addresses in its prose, other schemes and failures do not', () => {
    const json = JSON.stringify({
      items: [{ html_url: 'https://x.example/1', title: 'One', description: 'First' }, { url: 'javascript:1' }],
    });
    const { links } = readToolResult(
      {
        content: [
          { type: 'text', text: json },
          { type: 'text', text: 'see https://prose.example/' },
          { type: 'resource_link', uri: 'https://x.example/2', name: 'Two' },
        ],
      },
      1000,
    );
    expect(links).toEqual([
      { url: 'https://x.example/1', title: 'One', content: 'First' },
      { url: 'https://x.example/2', title: 'Two', content: '' },
    ]);
    expect(readToolResult({ isError: true, content: [{ type: 'text', text: json }] }, 1000).links).toEqual([]);
  });
  test('names stay unique and short', () => {
    const entries = [
      { server: 'a', tool: 'x y' },
      { server: 'a', tool: 'x_y' },
      { server: 'b'.repeat(80), tool: 'x.y' },
      { server: 'c', tool: 'ü'.repeat(70) },
    ];
    const exposed = nameTools(entries).map((entry) => entry.exposed);
    expect(new Set(exposed).size).toBe(4);
    for (const name of exposed) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });
});

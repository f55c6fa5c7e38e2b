import { describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { type AgentPorts, createResearchPort } from '../../src/mcp/server/ports.ts';
import { createMcpServerRoutes } from '../../src/mcp/server/routes.ts';
import { McpSessions } from '../../src/mcp/server/sessions.ts';
import { startChat } from '../../src/research/start-chat.ts';
import { fixedKnowledge, startResearchApp } from '../helpers/research-app.ts';
import { gate, type ScriptedStep, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { startTestServer } from '../helpers/test-server.ts';
import { finding, HANDOFF, plan, report, search } from '../research/script.ts';

const AGENT = join(import.meta.dir, '../fixtures/mcp/agent.ts');
const INSPECTOR = join(import.meta.dir, '../../node_modules/.bin/mcp-inspector');
const PASSAGE = {
  uri: 'local://tides#moon',
  resourceUri: 'local://tides',
  title: 'Tides',
  content: 'The Moon raises two bulges.',
  score: 2,
  headingPath: ['Moon'],
};
const fullRun = (): ScriptedStep[] => [HANDOFF, plan(1), search(), finding(), report()];

interface ServerOptions {
  steps?: ScriptedStep[];
  ports?: Partial<AgentPorts>;
  maxSessions?: number;
  now?: () => number;
  token?: string;
}

/** The research app with `/mcp` on a server of its own. */
async function startAgent(options: ServerOptions = {}) {
  const model = scriptedModel(options.steps ?? []);
  const app = await startResearchApp({ models: scriptedModels({ basic: model }) });
  const { store, runs } = app;
  const ports: AgentPorts = {
    knowledge: fixedKnowledge([PASSAGE]),
    research: createResearchPort({
      store,
      runs,
      clock: systemClock,
      begin: (request) => startChat({ store, runs, clock: systemClock }, request),
    }),
    ...options.ports,
  };
  const clock = { ...systemClock, now: options.now ?? systemClock.now };
  const sessions = new McpSessions({
    ports,
    clock,
    log: silentLogger,
    maxSessions: options.maxSessions ?? 10,
    idleMs: 60_000,
  });
  const server = await startTestServer({
    server: { api_token: options.token, allowed_hosts: ['agent.example.org'] },
    mount: (base) => base.use(createMcpServerRoutes({ sessions, maxBodyBytes: 1 << 20 })),
  });
  return {
    app,
    model,
    sessions,
    server,
    url: `${server.url}/mcp`,
    async [Symbol.asyncDispose]() {
      await sessions.stop();
      await server[Symbol.asyncDispose]();
      await app.stop();
    },
  };
}

async function openClient(url: string, headers: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;

describe('over streamable HTTP', () => {
  test('a client lists the tools with schemas and annotations, and only those this installation can do', async () => {
    await using agent = await startAgent();
    await using connection = await openClient(agent.url);
    expect(connection.client.getServerVersion()).toMatchObject({ name: 'agent' });
    const { tools } = await connection.client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['research', 'search_knowledge']);
    const research = tools[0];
    expect(research?.inputSchema).toMatchObject({
      type: 'object',
      required: ['question'],
      additionalProperties: false,
    });
    expect(research?.outputSchema).toMatchObject({ type: 'object', properties: { report: { type: 'string' } } });
    expect(research?.annotations).toMatchObject({ readOnlyHint: false, openWorldHint: true });
    expect(tools[1]?.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
  });

  test('research gives the cited report and tells its progress', async () => {
    await using agent = await startAgent({ steps: fullRun() });
    await using connection = await openClient(agent.url);
    await connection.client.listTools();
    const progress: { progress: number; message?: string | undefined }[] = [];
    const result = await connection.client.callTool(
      { name: 'research', arguments: { question: 'How do tides work?', style: 'news', max_steps: 1 } },
      undefined,
      { onprogress: (event) => progress.push(event) },
    );
    expect(result.isError).toBeFalsy();
    expect(textOf(result)).toBe('# Tides\n\nThe Moon raises them [Tides](https://example.org/tides).');
    expect(result.structuredContent).toMatchObject({
      report: textOf(result),
      citations: [{ url: 'https://example.org/tides', title: 'Tides' }, {}, {}],
      run_id: expect.stringMatching(/^run_/),
      thread_id: expect.stringMatching(/^thread_/),
    });
    const messages = progress.map((event) => event.message);
    expect(messages).toContain('Plan: Tides (1 step)');
    expect(messages).toContain('web_search: tides');
    expect(messages).toContain('Writing the report');
    expect(progress.map((event) => event.progress)).toEqual(progress.map((_event, index) => index + 1));
    agent.model.assertDone();
  });

  test('small talk is answered without a report', async () => {
    await using agent = await startAgent({
      steps: [{ agent: 'coordinator', text: ['Hello! What shall I find out?'] }],
    });
    await using connection = await openClient(agent.url);
    const result = await connection.client.callTool({ name: 'research', arguments: { question: 'hi' } });
    expect(result.structuredContent).toMatchObject({ report: 'Hello! What shall I find out?', citations: [] });
  });

  test('a run that fails is an error result with its sentence', async () => {
    await using agent = await startAgent({ steps: [HANDOFF, { agent: 'planner', text: ['nonsense'], times: 'any' }] });
    await using connection = await openClient(agent.url);
    const result = await connection.client.callTool({
      name: 'research',
      arguments: { question: 'How do tides work?' },
    });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/plan/i);
    expect(result._meta).toMatchObject({ code: 'plan_invalid', retryable: false });
  });

  test('a cancelled call cancels the run', async () => {
    const hold = gate();
    await using agent = await startAgent({ steps: [{ ...HANDOFF, before: () => hold.wait() }] });
    await using connection = await openClient(agent.url);
    const leave = new AbortController();
    const pending = connection.client.callTool({ name: 'research', arguments: { question: 'x' } }, undefined, {
      signal: leave.signal,
    });
    while (agent.app.runs.activeCount === 0) await Bun.sleep(5);
    leave.abort('enough');
    await expect(pending).rejects.toThrow();
    for (let wait = 0; agent.app.runs.activeCount > 0 && wait < 200; wait++) await Bun.sleep(5);
    expect(agent.app.runs.activeCount).toBe(0);
    expect((await agent.app.store.runs.list({ limit: 1 }))[0]?.status).toBe('cancelled');
  });

  test('a client that goes away cancels its run', async () => {
    const hold = gate();
    await using agent = await startAgent({ steps: [{ ...HANDOFF, before: () => hold.wait() }] });
    const connection = await openClient(agent.url);
    const pending = connection.client
      .callTool({ name: 'research', arguments: { question: 'x' } })
      .catch(() => undefined);
    while (agent.app.runs.activeCount === 0) await Bun.sleep(5);
    await connection.client.close();
    await pending;
    for (let wait = 0; agent.app.runs.activeCount > 0 && wait < 200; wait++) await Bun.sleep(5);
    expect((await agent.app.store.runs.list({ limit: 1 }))[0]?.status).toBe('cancelled');
  });

  test('search_knowledge returns passages', async () => {
    await using agent = await startAgent();
    await using connection = await openClient(agent.url);
    await connection.client.listTools();
    const result = await connection.client.callTool({ name: 'search_knowledge', arguments: { query: 'tides' } });
    expect(result.structuredContent).toEqual({
      passages: [
        {
          uri: 'local://tides#moon',
          resource_uri: 'local://tides',
          title: 'Tides',
          heading_path: ['Moon'],
          content: 'The Moon raises two bulges.',
          score: 2,
        },
      ],
    });
    expect(textOf(result)).toContain('The Moon raises two bulges.');
  });

  test('slides, podcasts and prompts are offered when the installation makes them', async () => {
    const file = { bytes: new Uint8Array([1, 2, 3]), fileName: 'Tides & more.pptx', mediaType: 'application/pptx' };
    await using agent = await startAgent({
      ports: {
        generateSlides: async () => file,
        generatePodcast: async () => ({ ...file, mediaType: 'audio/mpeg' }),
        enhancePrompt: async ({ prompt, report_style: style }) => `${prompt}, ${style}`,
      },
    });
    await using connection = await openClient(agent.url);
    expect((await connection.client.listTools()).tools.map((tool) => tool.name)).toEqual([
      'research',
      'search_knowledge',
      'generate_slides',
      'generate_podcast',
      'enhance_prompt',
    ]);
    const slides = await connection.client.callTool({ name: 'generate_slides', arguments: { content: '# Tides' } });
    expect(slides.structuredContent).toEqual({
      file_name: 'Tides & more.pptx',
      media_type: 'application/pptx',
      size_bytes: 3,
    });
    expect(slides.content).toContainEqual({
      type: 'resource',
      resource: { uri: 'agent://files/Tides%20%26%20more.pptx', mimeType: 'application/pptx', blob: 'AQID' },
    });
    const podcast = await connection.client.callTool({ name: 'generate_podcast', arguments: { content: '# Tides' } });
    expect(podcast.content).toContainEqual({ type: 'audio', data: 'AQID', mimeType: 'audio/mpeg' });
    const prompt = await connection.client.callTool({
      name: 'enhance_prompt',
      arguments: { prompt: 'tides', report_style: 'news' },
    });
    expect(prompt.structuredContent).toEqual({ result: 'tides, news' });
  });

  test.each([
    [{}, '"question"'],
    [{ question: '' }, '"question"'],
    [{ question: 'x', max_steps: 0 }, '"max_steps"'],
    [{ question: 'x', style: 'poem' }, '"style" must be one of academic'],
    [{ question: 'x', unknown: 1 }, '"unknown"'],
  ])('arguments %j are refused naming %s', async (args, words) => {
    await using agent = await startAgent();
    await using connection = await openClient(agent.url);
    const result = await connection.client.callTool({ name: 'research', arguments: args });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(words);
  });

  test('the inspector lists and calls them', async () => {
    await using agent = await startAgent();
    const home = await mkdtemp(join(tmpdir(), 'agent-mcp-inspector-'));
    const child = Bun.spawn(
      [
        process.execPath,
        '--no-env-file',
        INSPECTOR,
        '--cli',
        agent.url,
        '--transport',
        'http',
        '--method',
        'tools/call',
        '--tool-name',
        'search_knowledge',
        '--tool-arg',
        'query=tides',
      ],
      { cwd: home, env: { PATH: Bun.env['PATH'] ?? '', HOME: home }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    );
    const out = await new Response(child.stdout).text();
    expect(await child.exited).toBe(0);
    expect(JSON.parse(out).structuredContent.passages[0].title).toBe('Tides');
    await rm(home, { recursive: true, force: true });
  }, 30_000);

  test('an unknown tool is a protocol error; a defect of ours shows nothing of itself', async () => {
    await using agent = await startAgent({
      ports: { enhancePrompt: () => Promise.reject(new Error('hunter2 in a stack')) },
    });
    await using connection = await openClient(agent.url);
    await expect(connection.client.callTool({ name: 'rm', arguments: {} })).rejects.toThrow(
      'There is no tool named rm',
    );
    const result = await connection.client.callTool({ name: 'enhance_prompt', arguments: { prompt: 'x' } });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: 'Internal server error' }],
      _meta: { code: 'internal_error', retryable: true },
    });
  });
});

describe('sessions', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const send = (url: string, body: unknown, extra: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, ...extra },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  test('a session ends by DELETE, by silence, and by a newer client when there are too many', async () => {
    let now = 0;
    await using agent = await startAgent({ now: () => now, maxSessions: 2 });
    const open = async () => {
      const response = await send(agent.url, initialize);
      await response.text();
      return response.headers.get('mcp-session-id') ?? '';
    };
    const ping = async (id: string) => {
      const response = await send(agent.url, { jsonrpc: '2.0', id: 2, method: 'ping' }, { 'mcp-session-id': id });
      await response.text();
      return response.status;
    };
    const first = await open();
    expect(await ping(first)).toBe(200);
    expect((await fetch(agent.url, { method: 'DELETE', headers: { 'mcp-session-id': first } })).status).toBe(200);
    expect(await ping(first)).toBe(404);
    const [second, third] = [await open(), await open()];
    now += 30_000;
    expect(await ping(third)).toBe(200);
    const fourth = await open();
    expect(agent.sessions.size).toBe(2);
    expect(await ping(second)).toBe(404);
    now += 50_000;
    expect(await ping(third)).toBe(200);
    now += 50_000;
    expect(await ping(fourth)).toBe(404);
    expect(await ping(third)).toBe(200);
  });

  test('a session with a running call is never ended for a newer client', async () => {
    const hold = gate();
    await using agent = await startAgent({
      maxSessions: 1,
      ports: { enhancePrompt: () => hold.wait().then(() => 'done') },
    });
    await using connection = await openClient(agent.url);
    const pending = connection.client.callTool({ name: 'enhance_prompt', arguments: { prompt: 'x' } });
    await Bun.sleep(30);
    const refused = await send(agent.url, initialize);
    expect(refused.status).toBe(503);
    hold.open();
    expect((await pending).structuredContent).toEqual({ result: 'done' });
  });

  test('the end of the server ends open streams and cancels calls', async () => {
    const hold = gate();
    let cancelled = false;
    const enhancePrompt = async (_input: unknown, signal: AbortSignal) => {
      signal.addEventListener('abort', () => {
        cancelled = true;
        hold.open();
      });
      await hold.wait();
      return 'late';
    };
    await using agent = await startAgent({ ports: { enhancePrompt } });
    await using connection = await openClient(agent.url);
    const listening = await fetch(agent.url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': connection.transport.sessionId ?? '' },
    });
    const pending = connection.client
      .callTool({ name: 'enhance_prompt', arguments: { prompt: 'x' } })
      .catch(() => 'lost');
    await Bun.sleep(30);
    await agent.sessions.stop();
    await listening.text();
    expect(cancelled).toBe(true);
    expect(agent.sessions.size).toBe(0);
    expect((await send(agent.url, initialize)).status).toBe(503);
    await connection.client.close();
    expect(await pending).toBe('lost');
  });

  test.each([
    [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }, {}, 400],
    ['not json', {}, 400],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-session-id': 'guess' }, 404],
    [initialize, { accept: 'text/html' }, 406],
    [{ ...initialize, params: 'bad' }, {}, 400],
    ['x'.repeat(2 << 20), {}, 413],
  ] as [unknown, Record<string, string>, number][])('%j with %j is a %d', async (body, extra, status) => {
    await using agent = await startAgent();
    const response = await send(agent.url, body, extra);
    await response.text();
    expect(response.status).toBe(status);
    expect(agent.sessions.size).toBe(0);
  });

  test('other methods get 405, a wrong token 401', async () => {
    await using agent = await startAgent({ token: 'a-long-enough-test-token' });
    expect((await send(agent.url, initialize)).status).toBe(401);
    const bearer = { authorization: 'Bearer a-long-enough-test-token' };
    expect((await send(agent.url, initialize, bearer)).status).toBe(200);
    expect((await fetch(agent.url, { method: 'PUT', headers: bearer })).status).toBe(405);
    await using connection = await openClient(agent.url, bearer);
    expect((await connection.client.listTools()).tools.length).toBeGreaterThan(0);
  });

  test.each([
    [{ host: 'evil.example' }, 421],
    [{ host: 'evil.example:8000', origin: 'http://evil.example:8000' }, 421],
    [{ host: 'localhost.evil.example' }, 421],
    [{ origin: 'http://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://localhost:3000.evil.example' }, 403],
    [{ host: 'agent.example.org' }, 200],
    [{ host: 'localhost:8000' }, 200],
    [{ origin: 'http://localhost:3000' }, 200],
    [{}, 200],
  ] as [Record<string, string>, number][])('%j is a %d', async (extra, status) => {
    await using agent = await startAgent();
    const response = await send(agent.url, initialize, extra);
    await response.text();
    expect(response.status).toBe(status);
  });
});

describe('over standard input and output', () => {
  const environment = (home: string) => ({ PATH: Bun.env['PATH'] ?? '', HOME: home, AGENT_HOME: home });

  test('agent mcp serve: a client researches the handbook without network or model; stdout is protocol only', async () => {
    const home = await mkdtemp(join(tmpdir(), 'agent-mcp-serve-'));
    const client = new Client({ name: 'test', version: '1' });
    const strays: Error[] = [];
    client.onerror = (error) => strays.push(error);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: ['--no-env-file', AGENT, 'mcp', 'serve'],
      env: environment(home),
      stderr: 'ignore',
    });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    const { pid } = transport;
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('research');
    const found = await client.callTool({ name: 'search_knowledge', arguments: { query: 'cancel a run', limit: 2 } });
    expect((found.structuredContent as { passages: unknown[] }).passages).toHaveLength(2);
    const result = await client.callTool({
      name: 'research',
      arguments: { question: 'How can a run be cancelled?', web_search: false, max_steps: 1 },
    });
    expect(result.isError).toBeFalsy();
    expect((result.structuredContent as { report: string }).report).toContain('cancel');
    expect((result.structuredContent as { citations: unknown[] }).citations.length).toBeGreaterThan(0);
    await client.close();
    expect(strays).toEqual([]);
    for (let wait = 0; wait < 200 && (await Bun.file(`/proc/${pid}/stat`).exists()); wait++) await Bun.sleep(10);
    expect(await Bun.file(`/proc/${pid}/stat`).exists()).toBe(false);
    await rm(home, { recursive: true, force: true });
  }, 30_000);

  test('the inspector lists and calls our tools', async () => {
    const home = await mkdtemp(join(tmpdir(), 'agent-mcp-inspector-'));
    const inspect = async (...words: string[]) => {
      const child = Bun.spawn(
        [
          process.execPath,
          '--no-env-file',
          INSPECTOR,
          '--cli',
          ...words,
          '--',
          process.execPath,
          '--no-env-file',
          AGENT,
          'mcp',
          'serve',
        ],
        { cwd: home, env: environment(home), stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
      );
      const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      return { status: await child.exited, out, err };
    };
    const listed = await inspect('--method', 'tools/list');
    expect(listed).toMatchObject({ status: 0 });
    expect(JSON.parse(listed.out).tools.map((tool: { name: string }) => tool.name)).toContain('search_knowledge');
    const called = await inspect(
      '--method',
      'tools/call',
      '--tool-name',
      'search_knowledge',
      '--tool-arg',
      'query=cancel',
    );
    expect(called).toMatchObject({ status: 0 });
    expect(JSON.parse(called.out).structuredContent.passages[0].content).toContain('ancel');
    await rm(home, { recursive: true, force: true });
  }, 60_000);
});

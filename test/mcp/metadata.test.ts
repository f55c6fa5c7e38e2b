import { describe, expect, test } from 'bun:test';
import type { Config } from '../../src/config/schema.ts';
import type { MetadataDeps } from '../../src/mcp/metadata.ts';
import { createMcpPolicy } from '../../src/mcp/policy.ts';
import { createMcpRoutes } from '../../src/mcp/routes.ts';
import { startTestServer } from '../helpers/test-server.ts';
import { EVERYTHING, FILESYSTEM, isRunning, MISBEHAVE, openPlace, pidsOf, startEverything } from './servers.ts';

const PATH = '/api/mcp/server/metadata';

async function openApi(change: (config: Config) => void = () => {}) {
  const place = await openPlace(change);
  const { config } = place;
  const deps: MetadataDeps = {
    policy: createMcpPolicy(config),
    enabled: config.mcp.enable_server_configuration,
    defaultTimeoutMs: config.mcp.default_timeout_seconds * 1000,
    connection: place.needs,
  };
  const server = await startTestServer({ mount: (base) => base.use(createMcpRoutes(deps)) });
  const ask = async (body: unknown) => {
    const response = await server.post(PATH, body);
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text), text };
  };
  const misbehave = (mode: string, extra: Record<string, unknown> = {}) =>
    ask({ transport: 'stdio', command: 'node', args: [MISBEHAVE, mode, place.file('notes')], ...extra });
  return {
    ...place,
    server,
    ask,
    misbehave,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

const openNetwork = (config: Config) => {
  config.crawl.allow_private_network = true;
};

describe('real servers', () => {
  test('the everything server lists its tools over stdio and the request is echoed with its secrets masked', async () => {
    await using api = await openApi();
    const { status, body, text } = await api.ask({
      transport: 'stdio',
      command: 'node',
      args: [EVERYTHING, 'stdio'],
      env: { API_KEY: 'hunter2' },
      url: null,
      headers: null,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      transport: 'stdio',
      command: 'node',
      args: [EVERYTHING, 'stdio'],
      env: { API_KEY: '********' },
      url: null,
      headers: null,
    });
    const echo = body.tools.find((tool: { name: string }) => tool.name === 'echo');
    expect(echo).toMatchObject({ title: expect.any(String), description: expect.any(String) });
    expect(echo.inputSchema).toMatchObject({ type: 'object', properties: { message: { type: 'string' } } });
    expect(text).not.toContain('hunter2');
    expect(api.server.logText()).not.toContain('hunter2');
    expect(await api.leftFolders()).toEqual([]);
  });

  test('the filesystem server starts by its script', async () => {
    await using api = await openApi();
    const { status, body } = await api.ask({ transport: 'stdio', command: 'node', args: [FILESYSTEM, api.home] });
    expect(status).toBe(200);
    expect(body.tools.map((tool: { name: string }) => tool.name)).toContain('read_text_file');
  });

  test.each(['sse', 'streamableHttp'] as const)('the everything server lists its tools over %s', async (mode) => {
    await using everything = await startEverything(mode);
    await using api = await openApi(openNetwork);
    const { status, body } = await api.ask({
      transport: mode === 'sse' ? 'sse' : 'streamable_http',
      url: everything.url,
      headers: { 'X-Api-Key': 'hunter2' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ url: everything.url, headers: { 'X-Api-Key': '********' } });
    expect(body.tools.map((tool: { name: string }) => tool.name)).toContain('get-sum');
  });
});

describe('refusals come before anything is started', () => {
  const stdio = { transport: 'stdio', command: 'node', args: ['x.js'] };
  test.each([
    [{}, '/transport'],
    [{ ...stdio, transport: 'pipe' }, '/transport'],
    [{ ...stdio, transport: 'STDIO' }, '/transport'],
    [{ transport: 'stdio' }, '/command'],
    [{ transport: 'stdio', command: null }, '/command'],
    [{ transport: 'stdio', url: 'https://mcp.example.org' }, '/command'],
    [{ transport: 'sse' }, '/url'],
    [{ transport: 'streamable_http', command: 'node' }, '/url'],
    [{ ...stdio, command: 'bash' }, '/command'],
    [{ ...stdio, command: '/bin/sh' }, '/command'],
    [{ ...stdio, args: ['-e', '1'] }, '/args'],
    [{ ...stdio, args: ['x.js', '../../x'] }, '/args'],
    [{ ...stdio, args: 'x.js' }, '/args'],
    [{ ...stdio, args: [1] }, '/args/0'],
    [{ ...stdio, env: { LD_PRELOAD: '/x.so' } }, '/env'],
    [{ ...stdio, env: { NODE_OPTIONS: '-r x' } }, '/env'],
    [{ ...stdio, env: { A: 1 } }, '/env/A'],
    [{ transport: 'sse', url: 'https://mcp.example.org', headers: { A: 'x\r\ny' } }, '/headers'],
    [{ transport: 'sse', url: 'file:///etc/passwd' }, '/url'],
    [{ transport: 'sse', url: 'http://127.0.0.1/' }, '/url'],
    [{ transport: 'sse', url: 'http://u:p@mcp.example.org/' }, '/url'],
    [{ ...stdio, timeout_seconds: 0 }, '/timeout_seconds'],
    [{ ...stdio, timeout_seconds: -1 }, '/timeout_seconds'],
    [{ ...stdio, timeout_seconds: 3601 }, '/timeout_seconds'],
    [{ ...stdio, timeout_seconds: 1.5 }, '/timeout_seconds'],
    [{ ...stdio, timeout_seconds: '5' }, '/timeout_seconds'],
  ])('%j is a 422 at %s', async (body, path) => {
    await using api = await openApi((config) => {
      config.mcp.enable_server_configuration = true;
    });
    const answer = await api.ask(body);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: 'invalid_request', detail: expect.stringMatching(/\.$/) });
    expect(answer.body.errors[0].path).toBe(path);
  });

  test.each([
    [{}, 422],
    [{ ...stdio, transport: 'pipe' }, 422],
    [{ transport: 'stdio' }, 422],
    [{ transport: 'sse', url: ' ' }, 422],
    [{ ...stdio, timeout_seconds: 0 }, 422],
    [{ ...stdio, command: 'bash' }, 403],
    [{ transport: 'sse', url: 'http://127.0.0.1/' }, 403],
  ])('when disabled, %j is %d: an incomplete request is told so, what may be named is not', async (body, status) => {
    await using api = await openApi((config) => {
      config.mcp.enable_server_configuration = false;
    });
    expect((await api.ask(body)).status).toBe(status);
  });

  test('a valid request is a 403 when disabled, and nothing is started', async () => {
    await using api = await openApi((config) => {
      config.mcp.enable_server_configuration = false;
    });
    const { status, body } = await api.misbehave('normal');
    expect(status).toBe(403);
    expect(body.detail).toContain('MCP server configuration is disabled');
    expect(pidsOf(api.file('notes'), 'start')).toEqual([]);
  });

  test('timeouts of 1 and 3600 and null fields are fine', async () => {
    await using api = await openApi();
    for (const timeout of [1, 3600, null]) {
      const { status } = await api.misbehave('normal', { timeout_seconds: timeout, env: null, headers: null });
      expect(status).toBe(200);
    }
  });
});

describe('servers that misbehave', () => {
  test.each([
    ['never', 'did not answer within 1 seconds', 'upstream_timeout'],
    ['no-list', 'did not answer within 1 seconds', 'upstream_timeout'],
    ['exits', 'ended with status 3', 'upstream_unavailable'],
    ['garbage', 'does not speak MCP', 'upstream_unavailable'],
    ['endless-line', 'message larger than', 'upstream_unavailable'],
    ['huge-list', 'message larger than', undefined],
    ['refuses-list', 'has no tools', 'upstream_rejected'],
    ['malformed-list', 'malformed list of tools', 'upstream_rejected'],
    ['future', 'version of MCP', 'upstream_rejected'],
  ])('%s: a 500 that says "%s", and the process is gone', async (mode, sentence, code) => {
    await using api = await openApi();
    const { status, body, text } = await api.misbehave(mode, { timeout_seconds: 1, env: { API_KEY: 'hunter2' } });
    expect(status).toBe(500);
    expect(body.detail).toContain('node (stdio)');
    expect(body.detail).toContain(sentence);
    if (code) expect(body.code).toBe(code);
    expect(text).not.toContain('hunter2');
    expect(api.server.logText()).not.toContain('hunter2');
    for (const pid of pidsOf(api.file('notes'), 'start')) expect(isRunning(pid)).toBe(false);
    expect(await api.leftFolders()).toEqual([]);
  });

  test('a greeting on stdout and a flood on stderr do no harm', async () => {
    await using api = await openApi();
    expect((await api.misbehave('greets')).status).toBe(200);
    expect((await api.misbehave('floods')).status).toBe(200);
  });

  test('ten thousand tools in pages arrive, an endless list is cut there', async () => {
    await using api = await openApi();
    const many = await api.misbehave('many');
    expect(many.status).toBe(200);
    expect(many.body.tools).toHaveLength(10_000);
    expect(many.body.tools.at(-1).name).toBe('tool_9999');
    const endless = await api.misbehave('endless');
    expect(endless.status).toBe(200);
    expect(endless.body.tools.length).toBeLessThanOrEqual(10_000);
  }, 20_000);

  test.each(['grandchild', 'daemon', 'unmarked-daemon', 'wandered-daemon'])(
    'a %s the server leaves behind is gone when the answer is there',
    async (mode) => {
      await using api = await openApi();
      expect((await api.misbehave(mode)).status).toBe(200);
      const [child] = pidsOf(api.file('notes'), 'child');
      expect(child).toBeGreaterThan(0);
      expect(isRunning(child as number)).toBe(false);
    },
  );

  test('a daemon without the mark of its server, which ended by itself, is found by its folder', async () => {
    await using api = await openApi();
    expect((await api.misbehave('orphaned-daemon')).status).toBe(500);
    const [child] = pidsOf(api.file('notes'), 'child');
    expect(child).toBeGreaterThan(0);
    expect(isRunning(child as number)).toBe(false);
  });

  test('a server that ignores SIGTERM and its closed input is killed', async () => {
    await using api = await openApi();
    expect((await api.misbehave('ignores-term')).status).toBe(200);
    for (const pid of pidsOf(api.file('notes'), 'start')) expect(isRunning(pid)).toBe(false);
  });

  test('when the client goes away the server and its children are stopped', async () => {
    await using api = await openApi();
    const leave = new AbortController();
    const asked = api.server.fetch(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ transport: 'stdio', command: 'node', args: [MISBEHAVE, 'never', api.file('notes')] }),
      signal: leave.signal,
    });
    while (pidsOf(api.file('notes'), 'start').length === 0) await Bun.sleep(10);
    leave.abort();
    await asked.catch(() => undefined);
    const [pid] = pidsOf(api.file('notes'), 'start');
    for (let wait = 0; isRunning(pid as number) && wait < 300; wait++) await Bun.sleep(10);
    expect(isRunning(pid as number)).toBe(false);
    for (let wait = 0; (await api.leftFolders()).length > 0 && wait < 100; wait++) await Bun.sleep(10);
    expect(await api.leftFolders()).toEqual([]);
  });

  test('when the server stops, a request that waits for a program is answered at once', async () => {
    await using api = await openApi();
    const asked = api.misbehave('never');
    while (pidsOf(api.file('notes'), 'start').length === 0) await Bun.sleep(10);
    api.needs.groups.killAll();
    const { status, body } = await asked;
    expect(status).toBe(500);
    expect(body.detail).toContain('ended with signal SIGKILL');
  });

  test('a program that is not installed and a script that is not there are named', async () => {
    await using api = await openApi((config) => {
      config.mcp.path = '/nonexistent';
    });
    const { status, body } = await api.misbehave('normal');
    expect(status).toBe(500);
    expect(body.detail).toBe('The program node is not on the PATH of the server.');
  });
});

describe('servers on the network that misbehave', () => {
  const serve = (answer: (request: Request) => Response | Promise<Response>) =>
    Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: answer });
  test.each([
    [
      'a web page',
      () => new Response('<html>hunter2</html>', { headers: { 'content-type': 'text/html' } }),
      /does not speak MCP/,
    ],
    ['an error', () => new Response('hunter2', { status: 503 }), /answered with HTTP 503/],
    ['a refusal', () => new Response('hunter2', { status: 401 }), /refused the credentials \(HTTP 401\)/],
    [
      '20 MB',
      () => new Response(new Uint8Array(20 << 20), { headers: { 'content-type': 'application/json' } }),
      /message larger than/,
    ],
    [
      'a redirect to a file',
      () => new Response(null, { status: 307, headers: { location: 'file:///etc/passwd' } }),
      /not contacted|HTTP 307/,
    ],
  ] as const)(
    '%s is a 500 that says what failed and nothing the server wrote',
    async (_what, answer, sentence) => {
      await using api = await openApi(openNetwork);
      for (const transport of ['streamable_http', 'sse'] as const) {
        const server = serve(answer);
        const { status, body, text } = await api.ask({
          transport,
          url: `http://127.0.0.1:${server.port}/mcp`,
          timeout_seconds: 5,
        });
        await server.stop(true);
        expect(status).toBe(500);
        expect(body.detail).toMatch(new RegExp(`127.0.0.1:\\d+ \\(${transport}\\)`));
        if (transport === 'streamable_http') expect(body.detail).toMatch(sentence);
        expect(text).not.toContain('hunter2');
        expect(api.server.logText()).not.toContain('hunter2');
      }
    },
    15_000,
  );

  test('a server that never answers is given up after the timeout', async () => {
    await using api = await openApi(openNetwork);
    for (const transport of ['streamable_http', 'sse'] as const) {
      const server = serve(() => new Promise<Response>(() => {}));
      const { status, body } = await api.ask({
        transport,
        url: `http://127.0.0.1:${server.port}/`,
        timeout_seconds: 1,
      });
      await server.stop(true);
      expect(status).toBe(500);
      expect(body).toMatchObject({ code: 'upstream_timeout', detail: expect.stringContaining('within 1 seconds') });
    }
  });

  test('a name that does not resolve is named', async () => {
    await using api = await openApi();
    const { status, body } = await api.ask({
      transport: 'streamable_http',
      url: 'http://localtest.invalid/mcp',
      timeout_seconds: 5,
    });
    expect(status).toBe(500);
    expect(body.detail).toContain('localtest.invalid');
  });
});

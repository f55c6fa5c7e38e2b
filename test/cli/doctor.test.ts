import { afterEach, describe, expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, DoctorContext, Finding } from '../../src/cli/doctor/check.ts';
import { checkCode } from '../../src/cli/doctor/code.ts';
import { checkDatabase } from '../../src/cli/doctor/database.ts';
import { checkHome } from '../../src/cli/doctor/home.ts';
import { checkKnowledge } from '../../src/cli/doctor/knowledge.ts';
import { checkMcp } from '../../src/cli/doctor/mcp.ts';
import { checkModels } from '../../src/cli/doctor/models.ts';
import { checkSearch } from '../../src/cli/doctor/search.ts';
import { checkServer } from '../../src/cli/doctor/server.ts';
import { checkSpeech } from '../../src/cli/doctor/speech.ts';
import { checkWebhooks } from '../../src/cli/doctor/webhooks.ts';
import { runChecks } from '../../src/cli/doctor.ts';
import { rootCommand } from '../../src/cli/index.ts';
import { loadConfig } from '../../src/config/load.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Approvals } from '../../src/mcp/approvals.ts';
import type { McpServerSpec } from '../../src/mcp/model.ts';
import { configuredServers } from '../../src/mcp/policy.ts';
import { homeFolder } from '../config/home-folder.ts';
import { runWords } from './run-cli.ts';

const servers: Bun.Server<undefined>[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(true)));
});

function serve(handler: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: handler });
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

/** An address nothing listens on. */
function closedAddress(): string {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  const address = `http://127.0.0.1:${server.port}`;
  server.stop(true);
  return address;
}

async function look(
  check: Check,
  env: Record<string, string>,
  options: Partial<DoctorContext> & { files?: Record<string, string> } = {},
): Promise<Finding[]> {
  const { files = {}, ...rest } = options;
  const home = homeFolder(files);
  chmodSync(home, 0o700);
  const loaded = await loadConfig({ env: { AGENT_HOME: home, ...env } });
  const nowhere = closedAddress();
  return check({
    ...loaded,
    fetch,
    signal: new AbortController().signal,
    timeoutMs: 500,
    localServers: { ollama: nowhere, lmStudio: nowhere },
    ...rest,
  });
}

const summary = (findings: Finding[]) => findings.map((finding) => `${finding.status} ${finding.message}`);

describe('models', () => {
  const model = (base: string) => ({ OPENAI_BASE_URL: `${base}/v1`, OPENAI_MODEL: 'm1', OPENAI_API_KEY: 'sk-secret' });

  test('none configured is fine and says which engine works', async () => {
    const [finding] = await look(checkModels, {});
    expect(finding?.status).toBe('ok');
    expect(finding?.message).toContain('extractive');
  });

  test('an endpoint that answers with the model is fine, and gets the key', async () => {
    let seen: string | null = '';
    const base = serve((request) => {
      seen = `${new URL(request.url).pathname} ${request.headers.get('authorization')}`;
      return Response.json({ data: [{ id: 'm1' }] });
    });
    expect(summary(await look(checkModels, model(base)))).toEqual([`ok basic: m1 at ${base}/v1: answers.`]);
    expect(seen).toBe('/v1/models Bearer sk-secret');
  });

  const answers: [name: string, respond: () => Response, expected: RegExp][] = [
    [
      'refuses the key',
      () => new Response('sk-secret is wrong', { status: 401 }),
      /^fail .*the key is refused \(401\)/,
    ],
    ['has no model list', () => new Response('', { status: 404 }), /^ok .*has no model list/],
    ['fails', () => new Response('boom', { status: 500 }), /^warn .*status 500/],
    ['lists other models', () => Response.json({ data: [{ id: 'other' }] }), /^warn .*does not list this model/],
    ['sends no JSON', () => new Response('<html>'), /^ok /],
  ];
  test.each(answers)('an endpoint that %s', async (_name, respond, expected) => {
    const findings = await look(checkModels, model(serve(respond)));
    expect(summary(findings)[0]).toMatch(expected);
    expect(JSON.stringify(findings)).not.toContain('sk-secret');
  });

  test('an endpoint that is not there or never answers fails', async () => {
    expect(summary(await look(checkModels, model(closedAddress())))[0]).toMatch(/^fail .*no connection/);
    const silent = serve(() => new Promise<Response>(() => {}));
    expect(summary(await look(checkModels, model(silent), { timeoutMs: 40 }))[0]).toMatch(
      /^fail .*no answer within 0\.04 s/,
    );
  });

  test('a local Ollama and LM Studio are named with the lines that use them', async () => {
    const ollama = serve((request) =>
      new URL(request.url).pathname === '/api/tags'
        ? Response.json({ models: [{ name: 'nomic-embed-text:latest' }, { name: 'qwen3:4b' }] })
        : new Response('', { status: 404 }),
    );
    const lmStudio = serve(() => Response.json({ data: [{ id: 'gemma' }] }));
    const findings = await look(checkModels, {}, { localServers: { ollama, lmStudio } });
    expect(summary(findings).slice(1)).toEqual([
      `ok Ollama runs at ${ollama} with qwen3:4b.`,
      `ok LM Studio runs at ${lmStudio} with gemma.`,
    ]);
    expect(findings[1]?.advice).toEqual([
      expect.stringMatching(/put these lines into .*\/\.env:$/),
      `OPENAI_BASE_URL=${ollama}/v1`,
      'OPENAI_MODEL=qwen3:4b',
      'OPENAI_API_KEY=ollama',
      `EMBEDDING_MODEL__base_url=${ollama}/v1`,
      'EMBEDDING_MODEL__model=nomic-embed-text:latest',
    ]);
    expect(findings[2]?.advice).toContain('OPENAI_MODEL=gemma');
  });

  test('the advised lines load and point to that server', async () => {
    const ollama = serve(() => Response.json({ models: [{ name: 'qwen3:4b' }] }));
    const findings = await look(checkModels, {}, { localServers: { ollama, lmStudio: closedAddress() } });
    const lines = findings[1]?.advice?.slice(1).join('\n') ?? '';
    const { config } = await loadConfig({ env: { AGENT_HOME: homeFolder({ '.env': lines }) } });
    expect(config.models.basic).toEqual({ base_url: `${ollama}/v1`, model: 'qwen3:4b', api_key: 'ollama' });
  });

  test('an Ollama without models says how to get one', async () => {
    const ollama = serve(() => Response.json({ models: [] }));
    const findings = await look(checkModels, {}, { localServers: { ollama, lmStudio: closedAddress() } });
    expect(findings[1]?.advice?.[0]).toContain('ollama pull');
  });

  test('another program on that port is not taken for a model server', async () => {
    const other = serve(() => new Response('hello'));
    expect(await look(checkModels, {}, { localServers: { ollama: other, lmStudio: other } })).toHaveLength(1);
  });
});

describe('search', () => {
  test('an engine that can be reached is fine, whatever it answers', async () => {
    const base = serve(() => new Response('', { status: 405 }));
    const env = { SEARCH_API: 'tavily', TAVILY_API_KEY: 'k', TAVILY_BASE_URL: base };
    expect(summary(await look(checkSearch, env))).toEqual(['ok tavily: tavily can be reached.']);
  });

  test('a chosen engine without its key says which variable to set', async () => {
    const findings = await look(checkSearch, { SEARCH_API: 'tavily' });
    expect(findings.map((finding) => finding.status)).toEqual(['warn', 'fail']);
    expect(findings[0]?.advice).toEqual(['Set TAVILY_API_KEY.']);
  });

  test('an engine that cannot be reached is a warning', async () => {
    const findings = await look(checkSearch, { SEARCH_API: 'duckduckgo', DUCKDUCKGO_BASE_URL: closedAddress() });
    expect(findings[0]?.status).toBe('warn');
  });

  test('with a key and no choice that engine is used first', async () => {
    const base = serve(() => new Response('ok'));
    const findings = await look(checkSearch, { BRAVE_SEARCH_API_KEY: 'k', BRAVE_SEARCH_BASE_URL: base });
    expect(summary(findings)).toEqual(['ok brave_search, duckduckgo, wikipedia: brave_search can be reached.']);
  });
});

describe('home, database, knowledge, webhooks', () => {
  test('a private home is fine', async () => {
    expect(summary(await look(checkHome, {}))[0]).toMatch(/^ok .* is private and writable/);
  });

  test('files other users can read are named with the command that closes them', async () => {
    const findings = await look(checkHome, {}, { files: { '.env': 'A=1' } });
    expect(findings[0]?.status).toBe('warn');
    expect(findings[0]?.advice?.[0]).toMatch(/^chmod 600 .*\.env$/);
  });

  test('a home that is a file fails', async () => {
    const file = join(homeFolder({ file: '' }), 'file');
    expect(summary(await look(checkHome, {}, { home: file }))[0]).toMatch(/^fail .* is not a folder/);
  });

  test('the database opens', async () => {
    expect(summary(await look(checkDatabase, {}))[0]).toMatch(/^ok sqlite:agent\.db \(sqlite\) opens and answers/);
  });

  test('a file that is no database fails', async () => {
    const findings = await look(checkDatabase, {}, { files: { 'agent.db': 'this is not a database'.repeat(100) } });
    expect(findings[0]?.status).toBe('fail');
  });

  test('a PostgreSQL that is not there fails without its password', async () => {
    const port = new URL(closedAddress()).port;
    const findings = await look(checkDatabase, { AGENT_DATABASE_URL: `postgres://u:hush@127.0.0.1:${port}/x` });
    expect(findings[0]?.status).toBe('fail');
    expect(JSON.stringify(findings)).not.toContain('hush');
  });

  test('knowledge names the index once there is one', async () => {
    expect((await look(checkKnowledge, {}))[0]?.message).toContain('No document has been added yet');
    expect((await look(checkKnowledge, {}, { files: { 'knowledge.db': 'x' } }))[0]?.message).toContain('knowledge.db');
  });

  const webhooks: [name: string, env: Record<string, string>, files: Record<string, string>, expected: RegExp][] = [
    ['not enabled', {}, {}, /^ok Not enabled/],
    [
      'subscriptions without the platform',
      {},
      { 'webhook_subscriptions.json': '{"a":{}}' },
      /^warn 1 webhook subscriptions exist/,
    ],
    [
      'enabled',
      { WEBHOOK_ENABLED: 'true', WEBHOOK_PORT: '9000' },
      { 'webhook_subscriptions.json': '\uFEFF{"a":{}}' },
      /^ok Enabled on port 9000, 1 subscriptions/,
    ],
    [
      'a broken file',
      { WEBHOOK_ENABLED: 'on' },
      { 'webhook_subscriptions.json': '{' },
      /^fail .* is not a JSON object/,
    ],
    [
      'no authentication on every address',
      { WEBHOOK_ENABLED: '1', WEBHOOK_SECRET: 'INSECURE_NO_AUTH' },
      {},
      /^fail .*loopback/,
    ],
  ];
  test.each(webhooks)('webhooks: %s', async (_name, env, files, expected) => {
    expect(summary(await look(checkWebhooks, env, { files }))[0]).toMatch(expected);
  });

  const known: [name: string, env: Record<string, string>, isTold: boolean][] = [
    ['on every address without a name', {}, true],
    ['with a public address', { WEBHOOK_PUBLIC_URL: 'https://hooks.example.com' }, false],
    ['with an allowed name', { AGENT_ALLOWED_HOSTS: 'hooks.example.com' }, false],
  ];
  test.each(known)('webhooks: senders that use a host name, %s', async (_name, env, isTold) => {
    const files = { 'webhook_subscriptions.json': '{"a":{}}' };
    const findings = summary(await look(checkWebhooks, { WEBHOOK_ENABLED: 'true', ...env }, { files }));
    expect(findings.some((finding) => /^warn .*host name get 421/.test(finding))).toBe(isTold);
  });
});

describe('server', () => {
  const rows: [name: string, env: Record<string, string>, expected: RegExp[]][] = [
    ['loopback', {}, [/^ok The API listens on http:\/\/127\.0\.0\.1:8000\.$/]],
    ['every address without a name', { AGENT_HOST: '0.0.0.0' }, [/^warn .*under a host name it answers 421/]],
    ['an IPv6 address without a name', { AGENT_HOST: '::' }, [/^warn /]],
    [
      'every address with a name',
      { AGENT_HOST: '0.0.0.0', AGENT_ALLOWED_HOSTS: 'a.example,b.example' },
      [/^ok .*known as a\.example, b\.example\.$/],
    ],
    ['the older setting', { AGENT_HOST: '0.0.0.0', MCP_ALLOWED_HOSTS: 'a.example' }, [/^ok .*known as a\.example\.$/]],
    ['bound by name', { AGENT_HOST: 'agent.lan' }, [/^ok /]],
    ['every page without a token', { ALLOWED_ORIGINS: '*' }, [/^ok /, /^warn Every web page/]],
    ['every page with a token', { ALLOWED_ORIGINS: '*', AGENT_API_TOKEN: 'a-long-enough-token' }, [/^ok /]],
  ];
  test.each(rows)('%s', async (_name, env, expected) => {
    // The first is about the token: see token.test.ts.
    const [, ...findings] = summary(await look(checkServer, env));
    expect(findings).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(findings[index]).toMatch(pattern);
  });
});

describe('speech', () => {
  test('nothing configured is fine and says how to get a voice', async () => {
    const [finding] = await look(checkSpeech, {});
    expect(finding?.status).toBe('ok');
    expect(finding?.advice?.[0]).toContain('SPEECH_PROVIDER=command');
  });

  const rows: [name: string, env: Record<string, string>, expected: RegExp][] = [
    ['half of Volcengine', { PROVIDER_TTS_APPID: 'a' }, /^warn Volcengine has only half/],
    ['Volcengine', { PROVIDER_TTS_APPID: 'a', PROVIDER_TTS_ACCESS_TOKEN: 'hush' }, /^ok Volcengine/],
    ['a program that is here', { SPEECH_PROVIDER: 'command', SPEECH_COMMAND: 'sh' }, /^ok sh speaks/],
    [
      'a missing program',
      { SPEECH_PROVIDER: 'command', SPEECH_COMMAND: 'no-such-voice' },
      /^fail .*no-such-voice is not/,
    ],
  ];
  test.each(rows)('%s', async (_name, env, expected) => {
    const findings = await look(checkSpeech, env);
    expect(summary(findings)[0]).toMatch(expected);
    expect(JSON.stringify(findings)).not.toContain('hush');
  });

  test('a speech server is asked with its key', async () => {
    const base = serve((request) => {
      const isKnown = request.headers.get('authorization') === 'Bearer right';
      return new Response('', { status: isKnown ? 404 : 401 });
    });
    const env = { SPEECH_PROVIDER: 'openai', SPEECH_BASE_URL: base };
    expect(summary(await look(checkSpeech, { ...env, SPEECH_API_KEY: 'right' }))[0]).toMatch(/^ok .*answers/);
    expect(summary(await look(checkSpeech, { ...env, SPEECH_API_KEY: 'wrong' }))[0]).toMatch(/^fail .*key is refused/);
    expect(summary(await look(checkSpeech, { ...env, SPEECH_BASE_URL: closedAddress() }))[0]).toMatch(
      /^fail .*no connection/,
    );
  });

  test('the key of the model goes only to the host of the model', async () => {
    const seen: (string | null)[] = [];
    const base = serve((request) => {
      seen.push(request.headers.get('authorization'));
      return new Response('');
    });
    const model = { SPEECH_PROVIDER: 'openai', OPENAI_MODEL: 'm', OPENAI_API_KEY: 'sk-model' };
    await look(checkSpeech, { ...model, OPENAI_BASE_URL: `${base}/v1` });
    await look(checkSpeech, { ...model, OPENAI_BASE_URL: closedAddress(), SPEECH_BASE_URL: base });
    expect(seen).toEqual(['Bearer sk-model', null]);
  });
});

describe('code', () => {
  test('without Python nothing is needed', async () => {
    expect(summary(await look(checkCode, {}))).toEqual([
      'ok Models may run JavaScript in the embedded sandbox, no Python.',
    ]);
  });

  test('a missing interpreter fails', async () => {
    const files = { 'config.yaml': 'python:\n  enabled: true\n  command: no-such-python\n' };
    expect(summary(await look(checkCode, {}, { files }))[0]).toMatch(/^fail .*no-such-python is not installed/);
  });
});

describe('mcp', () => {
  const on = { ENABLE_MCP_SERVER_CONFIGURATION: 'true' };

  test('switched off says how to switch it on', async () => {
    const [finding] = await look(checkMcp, {});
    expect(finding?.status).toBe('ok');
    expect(finding?.advice?.[0]).toContain('ENABLE_MCP_SERVER_CONFIGURATION=true');
  });

  test('names the programs on the PATH that start servers', async () => {
    const bin = homeFolder({ uvx: '#!/bin/sh\n' });
    chmodSync(join(bin, 'uvx'), 0o755);
    expect(summary(await look(checkMcp, { ...on, PATH: bin }))).toEqual([
      'ok Requests may name MCP servers once they are allowed (agent mcp list); found uvx.',
      'warn MCP servers run without a sandbox and can do what this server can: bubblewrap (bwrap) is not installed.',
    ]);
    expect(summary(await look(checkMcp, { ...on, PATH: homeFolder() }))[0]).toMatch(/^warn /);
  });
});

describe('decisions about mcp servers', () => {
  const PATH = Bun.env['PATH'] ?? '';

  test('a sandbox that works, is switched off or is missing is told where servers can be started', async () => {
    const files = { 'config.yaml': 'mcp: { servers: { mine: { command: cat } } }\n' };
    const off = await look(checkMcp, { PATH, MCP_SANDBOX: 'off' }, { files });
    expect(summary(off)).toContain('warn MCP servers run without a sandbox (mcp.sandbox: off).');
    const required = await look(checkMcp, { PATH: homeFolder(), MCP_SANDBOX: 'required' }, { files });
    expect(summary(required).join()).toContain('fail MCP servers cannot start: mcp.sandbox is required and');
    expect(summary(await look(checkMcp, { PATH })).join()).not.toContain('bubblewrap');
  });

  test('no approval and no token are told as what they are', async () => {
    const env = { ENABLE_MCP_SERVER_CONFIGURATION: 'true', PATH };
    const open = await look(checkMcp, { ...env, MCP_REQUIRE_APPROVAL: 'false' });
    expect(summary(open).join()).toMatch(/warn Requests may start MCP servers with .* that nobody has approved/);
    const network = await look(checkMcp, { ...env, AGENT_HOST: '0.0.0.0', AGENT_INSECURE: 'true' });
    expect(summary(network).join()).toContain('fail Refusing to listen on 0.0.0.0 without a token');
  });

  test('servers that wait and tools that changed come with the command to run', async () => {
    const loaded = await loadConfig({ env: { AGENT_HOME: homeFolder(), PATH } });
    const { config, home } = loaded;
    config.mcp.servers = { mine: { url: 'https://mcp.example.org/mcp' } };
    const approvals = new Approvals({ home, required: true, clock: systemClock });
    const target = { transport: 'sse' as const, url: 'https://other.example.org/', headers: {}, trusted: false };
    await approvals.admit({ name: 'other', target }).catch(() => undefined);
    const [mine] = configuredServers(config.mcp);
    const tool = { name: 'a', inputSchema: { type: 'object' } };
    await approvals.check(mine as McpServerSpec, [tool]);
    await approvals.check(mine as McpServerSpec, [{ ...tool, description: 'changed' }]);
    const context = {
      signal: new AbortController().signal,
      timeoutMs: 500,
      fetch,
      localServers: { ollama: '', lmStudio: '' },
    };
    const findings = await checkMcp({ ...loaded, ...context });
    const { id } = await approvals.find(target, null);
    expect(findings).toContainEqual(
      expect.objectContaining({
        status: 'warn',
        message: 'A tool of mine changed and is kept back.',
        advice: ['agent mcp allow mine'],
      }),
    );
    expect(findings).toContainEqual(
      expect.objectContaining({
        message: `A request asked for the server ${id}, which is not allowed.`,
        advice: [`agent mcp allow ${id}`],
      }),
    );
  });
});

describe('agent doctor', () => {
  test('a check that breaks is a finding and the others still run', async () => {
    const context = {} as DoctorContext;
    Object.assign(context, { signal: new AbortController().signal });
    const findings = await runChecks(
      [
        async function checkBroken() {
          throw new TypeError('secret');
        },
        async () => [{ area: 'x', status: 'ok' as const, message: 'fine' }],
      ],
      context,
    );
    expect(summary(findings)).toEqual(['fail checkBroken could not finish: TypeError', 'ok fine']);
  });

  test('a broken configuration is one failure for each problem, exit status 1', async () => {
    const env = { AGENT_HOME: homeFolder({ 'config.yaml': 'a: 1\nlog: {level: loud}\n' }) };
    const { status, stdout } = await runWords(rootCommand, ['doctor'], { env });
    expect(status).toBe(1);
    expect(stdout.match(/^FAIL {2}config/gm)).toHaveLength(2);
  });
});

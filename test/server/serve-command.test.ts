import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCliGroup } from '../../src/cli/command.ts';
import { createServeCommand } from '../../src/cli/serve.ts';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { Listener } from '../../src/http/listener.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import type { Models } from '../../src/models/model.ts';
import { createServer } from '../../src/server.ts';
import { runWords } from '../cli/run-cli.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'agent-serve-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const models = { names: () => ({ basic: ['extractive'] }) } as unknown as Models;
const search = { name: 'duckduckgo', search: async () => [] };

/** Runs `agent serve` until `ready` has done its work. */
async function serve(words: string[], ready: (url: string) => Promise<void> = async () => {}, extra: Listener[] = []) {
  const stop = new AbortController();
  const calls: string[] = [];
  const open = async ({ config }: LoadedConfig) => {
    const { listener } = createServer({ config, log: silentLogger, clock: systemClock, models });
    const api: Listener = {
      name: 'api',
      get url() {
        return listener.url;
      },
      start: async () => {
        calls.push('start api');
        await listener.start();
        setTimeout(() => void ready(listener.url).finally(() => stop.abort(new DOMException('stop', 'AbortError'))), 1);
      },
      stop: async (ms) => {
        calls.push('stop api');
        await listener.stop(ms);
      },
    };
    const deps = {
      log: silentLogger,
      models,
      search,
      [Symbol.asyncDispose]: async () => {
        calls.push('dispose');
      },
    };
    return { deps, listeners: [api, ...extra] as [Listener, ...Listener[]] };
  };
  const root = defineCliGroup('agent', {
    serve: { description: 'serve', load: async () => createServeCommand(open) },
  });
  const result = await runWords(root, ['serve', ...words], { env: { AGENT_HOME: home }, signal: stop.signal });
  return { ...result, calls };
}

test('it serves, says where and with what, and stops cleanly', async () => {
  let health: unknown;
  const result = await serve(['--port', '0'], async (url) => {
    health = await (await fetch(`${url}/health`)).json();
  });
  expect(health).toMatchObject({ status: 'ok' });
  expect(result.status).toBe(0);
  expect(result.stderr).toBe('');
  expect(result.stdout).toMatch(
    /^agent \S+ on http:\/\/127\.0\.0\.1:\d+ \(docs: http:\/\/127\.0\.0\.1:\d+\/docs; models: basic extractive; knowledge: local; search: duckduckgo\)\n$/,
  );
  expect(result.calls).toEqual(['start api', 'stop api', 'dispose']);
});

test('--json prints the same for programs', async () => {
  const result = await serve(['--port', '0', '--json']);
  expect(JSON.parse(result.stdout)).toMatchObject({
    url: expect.stringMatching(/^http:/),
    models: { basic: ['extractive'] },
    knowledge: 'local',
    search: 'duckduckgo',
  });
});

test.each(['0.0.0.0', '::', '192.168.1.5', 'example.org', ''])(
  'a network address (%s) without a token is refused, naming both ways out',
  async (host) => {
    const result = await serve(['--host', host, '--port', '0']);
    expect(result.status).toBe(1);
    expect(result.stderr).toContain('AGENT_API_TOKEN');
    expect(result.stderr).toContain('--insecure');
    expect(result.calls).toEqual([]);
  },
);

test('--insecure and a token each open a network address', async () => {
  expect((await serve(['--host', '0.0.0.0', '--port', '0', '--insecure'])).status).toBe(0);
  await Bun.write(join(home, '.env'), 'AGENT_API_TOKEN=secret-token-1\n');
  const result = await serve(['--host', '0.0.0.0', '--port', '0']);
  expect(result.status).toBe(0);
  expect(result.stdout + result.stderr).not.toContain('secret-token-1');
});

test('requests may not bring MCP servers on a network address without a token, --insecure or not', async () => {
  await Bun.write(join(home, '.env'), 'ENABLE_MCP_SERVER_CONFIGURATION=true\n');
  const result = await serve(['--host', '0.0.0.0', '--port', '0', '--insecure']);
  expect(result.status).toBe(1);
  expect(result.stderr).toContain('ENABLE_MCP_SERVER_CONFIGURATION');
  expect(result.stderr).toContain('AGENT_API_TOKEN');
  expect(result.stderr.trim().split('\n')).toHaveLength(1);
  expect(result.calls).toEqual([]);
  expect((await serve(['--port', '0'])).status).toBe(0);
  // Behind a proxy the loopback address is not this machine alone.
  await Bun.write(join(home, '.env'), 'ENABLE_MCP_SERVER_CONFIGURATION=true\nAGENT_ALLOWED_HOSTS=agent.example.org\n');
  expect((await serve(['--port', '0'])).stderr).toContain('Refusing to answer to agent.example.org without a token');
  await Bun.write(join(home, '.env'), 'ENABLE_MCP_SERVER_CONFIGURATION=true\nAGENT_API_TOKEN=secret-token-1\n');
  expect((await serve(['--host', '0.0.0.0', '--port', '0'])).status).toBe(0);
});

test('a port in use is one sentence and exit status 1, and everything is released', async () => {
  const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  const port = other.port;
  const result = await serve(['--port', String(port)]);
  await other.stop(true);
  expect(result.status).toBe(1);
  expect(result.stderr).toContain(`port ${port} on 127.0.0.1 is already in use`);
  expect(result.stderr.trim().split('\n')).toHaveLength(1);
  expect(result.calls).toEqual(['start api', 'dispose']);
});

test('a second listener that cannot start stops the first', async () => {
  const broken: Listener = {
    name: 'webhooks',
    url: 'http://127.0.0.1:1',
    start: () => Promise.reject(new Error('no')),
    stop: async () => {},
  };
  const result = await serve(['--port', '0'], async () => {}, [broken]);
  expect(result.status).toBe(1);
  expect(result.calls).toEqual(['start api', 'stop api', 'dispose']);
});

test.each([
  [['--prot', '1'], 'did you mean --port'],
  [['--port', '70000'], '--port must be'],
  [['--port', 'abc'], '--port must be'],
])('wrong use %j is exit status 2', async (words, message) => {
  const result = await serve(words);
  expect(result.status).toBe(2);
  expect(result.stderr).toContain(message);
});

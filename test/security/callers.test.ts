import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { signRequest } from '../../src/webhooks/sign.ts';
import { completeResponse, rawExchange } from '../helpers/raw-http.ts';
import { type BothListeners, startBothListeners } from './both-listeners.ts';

const TOKEN = 'a-long-enough-test-token';
const ALLOWED = { AGENT_ALLOWED_HOSTS: 'agent.example.org', MCP_ALLOWED_HOSTS: 'mcp.example.org' };
const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE'];

let open: BothListeners;
let guarded: BothListeners;
beforeAll(async () => {
  [open, guarded] = await Promise.all([
    startBothListeners(ALLOWED),
    startBothListeners({ ...ALLOWED, AGENT_API_TOKEN: TOKEN }),
  ]);
});
afterAll(() => Promise.all([open[Symbol.asyncDispose](), guarded[Symbol.asyncDispose]()]));

interface Target {
  listener: string;
  port: number;
  method: string;
  path: string;
  /** Header lines besides the ones under test. */
  more: string;
}

/** Every way in: each mounted route with its own and foreign methods, and what is not mounted, with and without a token. */
function targets(): Target[] {
  const found: Target[] = [];
  for (const [listener, { api, routes }, more] of [
    ['API', open, ''],
    ['API with a token', guarded, `Authorization: Bearer ${TOKEN}\r\n`],
    ['API without its token', guarded, ''],
  ] as const) {
    const paths = new Set(routes.map(({ path }) => path.replaceAll(/:\w+\??|\*/g, 'x')));
    expect(paths.size).toBeGreaterThan(25);
    for (const path of [...paths, '/nope', '/api/nope', '/v1/nope', '/docs/assets/../../api/runs'])
      for (const method of ['GET', 'HEAD', 'OPTIONS', ...UNSAFE])
        found.push({ listener, port: api.port, method, path, more });
  }
  const { port } = open.webhooks;
  for (const path of ['/', '/nope', '/health', '/webhooks/signed', '/webhooks/open', '/webhooks/nope', '/webhooks/a/b'])
    for (const method of ['GET', 'HEAD', 'OPTIONS', ...UNSAFE])
      found.push({ listener: 'webhooks', port, method, path, more: signedEmpty() });
  return found;
}

function signedEmpty(): string {
  const headers = signRequest('github', 'secret', { body: '{}', id: '', nowMs: Date.now() });
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

async function send({ port, method, path, more }: Target, headers: string, version = '1.1') {
  const body = UNSAFE.includes(method) ? '{}' : '';
  const text = await rawExchange(
    port,
    [
      `${method} ${path} HTTP/${version}\r\n${headers}${more}Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    ],
    { done: (answer) => (method === 'HEAD' ? answer.includes('\r\n\r\n') : completeResponse(answer)) },
  );
  return { status: Number(text.split(' ', 2)[1]), text };
}

/** Sends the same headers everywhere and returns the ways in that did not answer with the status. */
async function othersThan(
  status: number,
  headers: (target: Target) => string,
  options: { only?: string[]; version?: string } = {},
) {
  const others: string[] = [];
  const rest = targets().filter(({ method }) => options.only?.includes(method) ?? true);
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let target = rest.pop(); target; target = rest.pop()) {
        const answer = await send(target, headers(target), options.version);
        if (answer.status !== status)
          others.push(`${target.listener} ${target.method} ${target.path}: ${answer.text.slice(0, 200)}`);
      }
    }),
  );
  return others;
}

describe('no way in', () => {
  test.each<[string, (target: Target) => string]>([
    [
      'a page that rebinds its name',
      ({ port }) => `Host: evil.example:${port}\r\nOrigin: http://evil.example:${port}\r\n`,
    ],
    ['its navigation', ({ port }) => `Host: evil.example:${port}\r\nSec-Fetch-Site: none\r\n`],
    ['a name that begins with ours', () => 'Host: localhost.evil.example\r\n'],
    ['a name that ends with ours', () => 'Host: evil-agent.example.org\r\n'],
    ['a name that resolves to loopback', () => 'Host: 127.0.0.1.nip.io\r\n'],
    ['an allowed Origin under a foreign name', () => 'Host: evil.example\r\nOrigin: http://localhost:3000\r\n'],
  ])('for %s: 421', async (_name, headers) => {
    expect(await othersThan(421, headers)).toEqual([]);
  });

  test.each<[string, string, string]>([
    ['two hosts, ours first', 'Host: localhost\r\nHost: evil.example\r\n', '1.1'],
    ['two hosts, ours last', 'Host: evil.example\r\nHost: localhost\r\n', '1.1'],
    ['the same host twice', 'Host: localhost\r\nhost: localhost\r\n', '1.1'],
    ['an empty host', 'Host:\r\n', '1.1'],
    ['a host with a user', 'Host: localhost@evil.example\r\n', '1.1'],
    ['no host', '', '1.0'],
  ])('with %s: 400', async (_name, headers, version) => {
    expect(await othersThan(400, () => headers, { version })).toEqual([]);
  });

  test.each([
    ['another site', 'http://evil.example'],
    ['another port of this machine', 'http://localhost:9'],
    ['another name of this machine', 'http://127.0.0.1'],
    ['a sandboxed frame, a file or a web view', 'null'],
    ['a browser extension', 'chrome-extension://abcdefghijklmnopabcdefghijklmnop'],
  ])('for a page of %s: 403', async (_name, origin) => {
    expect(await othersThan(403, ({ port }) => `Host: localhost:${port}\r\nOrigin: ${origin}\r\n`)).toEqual([]);
  });

  test.each(['cross-site', 'same-site'])(
    'to change something from a %s page that hides its Origin: 403',
    async (site) => {
      const headers = ({ port }: Target) => `Host: localhost:${port}\r\nSec-Fetch-Site: ${site}\r\n`;
      expect(await othersThan(403, headers, { only: UNSAFE })).toEqual([]);
    },
  );
});

describe('legitimate clients', () => {
  /** The ways in that were closed by the rules about callers. */
  const closed = async (headers: (target: Target) => string, listeners: RegExp) => {
    const refused: string[] = [];
    const rest = targets().filter((target) => listeners.test(target.listener));
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let target = rest.pop(); target; target = rest.pop()) {
          const { status, text } = await send(target, headers(target));
          // The API's own document names these codes too.
          const isCallerRefused = /invalid_host|origin_not_allowed|not known as|Pages of this origin/.test(text);
          if (status === 421 || (status >= 400 && isCallerRefused))
            refused.push(`${target.listener} ${target.method} ${target.path}: ${text.slice(0, 200)}`);
          expect(status).toBeGreaterThan(199);
        }
      }),
    );
    return refused;
  };

  test.each(['localhost', '127.0.0.1', '[::1]', '192.168.1.5', 'agent.example.org'])(
    'come in under %s, also from its own page',
    async (host) => {
      const own = (target: Target) => `Host: ${host}:${target.port}\r\n`;
      expect(await closed(own, /./)).toEqual([]);
      const page = (target: Target) =>
        `${own(target)}Origin: http://${host}:${target.port}\r\nSec-Fetch-Site: same-origin\r\n`;
      expect(await closed(page, /./)).toEqual([]);
    },
  );

  test('come in through a TLS proxy that hands on its name', async () => {
    const proxied = () =>
      'Host: agent.example.org\r\nOrigin: https://agent.example.org\r\nSec-Fetch-Site: same-origin\r\n';
    expect(await closed(proxied, /./)).toEqual([]);
    expect(await closed(() => 'Host: mcp.example.org\r\n', /API/)).toEqual([]);
    expect(await closed(() => 'Host: hooks.example.org\r\n', /webhooks/)).toEqual([]);
  });

  test('come from the web client on another port that is listed', async () => {
    const client = ({ port }: Target) =>
      `Host: 127.0.0.1:${port}\r\nOrigin: http://localhost:3000\r\nSec-Fetch-Site: cross-site\r\n`;
    expect(await closed(client, /./)).toEqual([]);
  });
});

describe('what the refused are told', () => {
  const ask = (path: string, headers: Record<string, string>, at = open.api.url) => fetch(`${at}${path}`, { headers });

  test('a problem document that names the setting', async () => {
    const answer = await ask('/api/runs', { host: 'agent.lan:8000' });
    expect(answer.status).toBe(421);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toEqual({
      type: 'about:blank',
      title: 'Misdirected Request',
      status: 421,
      detail: expect.stringContaining(
        'agent.lan; if it should be, add the name to server.allowed_hosts (AGENT_ALLOWED_HOSTS)',
      ),
      code: 'host_not_allowed',
      request_id: expect.stringMatching(/^req_/),
    });
    const page = await ask('/api/runs', { origin: 'http://evil.example' });
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
    expect(await page.json()).toMatchObject({ status: 403, detail: expect.stringContaining('ALLOWED_ORIGINS') });
  });

  test("OpenAI's error object below /v1", async () => {
    const answer = await ask('/v1/models', { host: 'agent.lan:8000' });
    expect(answer.status).toBe(421);
    expect(await answer.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        code: 'host_not_allowed',
        message: expect.stringContaining('AGENT_ALLOWED_HOSTS'),
      },
    });
    const nameless = await rawExchange(open.api.port, ['GET /v1/models HTTP/1.1\r\nHost: a b\r\n\r\n'], {
      done: completeResponse,
    });
    expect(nameless).toContain('{"error":{"message":"A request needs exactly one Host header');
  });

  test('one sentence on the webhook port', async () => {
    const answer = await ask('/webhooks/signed', { host: 'tunnel.example.net' }, open.webhooks.url);
    expect([answer.status, await answer.json()]).toEqual([
      421,
      { error: expect.stringContaining('tunnel.example.net; if it should be, add the name to server.allowed_hosts') },
    ]);
  });
});

describe('bodies', () => {
  test.each(['text/plain', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', ''])(
    'of the type %j, which pages may send anywhere, are not JSON',
    async (type) => {
      const posts = open.routes.filter(({ method }) => method === 'POST');
      expect(posts.length).toBeGreaterThan(10);
      for (const { path } of posts) {
        const answer = await fetch(`${open.api.url}${path.replaceAll(/:\w+/g, 'x')}`, {
          method: 'POST',
          // Of an allowed page, so that nothing but the type is in the way.
          headers: { origin: 'http://localhost:3000', ...(type && { 'content-type': type }) },
          body: new Blob(['{"messages":[{"role":"user","content":"hi"}],"text":"x","content":"x","prompt":"x"}']),
        });
        expect([path, answer.status]).toEqual([path, 415]);
      }
    },
  );
});

describe('a route without a signature (INSECURE_NO_AUTH)', () => {
  const post = (name: string, headers: Record<string, string> = {}) =>
    fetch(`${open.webhooks.url}/webhooks/${name}`, { method: 'POST', body: '{"a":1}', headers });

  test('takes what is no browser', async () => {
    expect((await post('open')).status).toBe(200);
  });

  test('takes nothing of a page, not even of an allowed or its own one', async () => {
    for (const origin of ['http://localhost:3000', open.webhooks.url, 'http://evil.example', 'null'])
      expect([origin, (await post('open', { origin })).status]).toEqual([origin, 403]);
    for (const site of ['same-origin', 'none', 'cross-site'])
      expect([site, (await post('open', { 'sec-fetch-site': site })).status]).toEqual([site, 403]);
    const answer = await post('open', { origin: open.webhooks.url });
    expect(await answer.json()).toEqual({ error: 'This route takes no requests from web pages' });
  });
});

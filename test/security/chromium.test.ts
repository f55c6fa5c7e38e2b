import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { runBinary } from '../e2e/binary.ts';
import { type ServingBinary, startBinary } from '../e2e/serve.ts';
import { CHROMIUM, type Chromium, type Page, startChromium } from '../helpers/chromium.ts';

// Skipped where no Chromium is installed: nothing else can tell what a browser really sends. Only Linux has the whole of
// 127.0.0.0/8 without setting it up.
const MISSING = !CHROMIUM
  ? ' (skipped: needs chromium)'
  : process.platform !== 'linux'
    ? ' (skipped: needs Linux)'
    : '';
const HAS_IPV6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);
/** Loopback addresses that stand for machines of the attacker. */
const EVIL_ADDRESS = '127.0.0.2';
const REBOUND_ADDRESS = '127.0.0.3';
const CONFIG = JSON.stringify({
  platforms: {
    webhook: {
      enabled: true,
      host: '127.0.0.1',
      port: 0,
      routes: {
        open: { secret: 'INSECURE_NO_AUTH', prompt: 'hello' },
        signed: { secret: 'secret-of-the-route', prompt: 'hello' },
      },
    },
  },
});

/** A name of the attacker's that leads to their own page first and, after `rebind`, to the victim's port. */
interface Rebinding {
  rebind(): void;
  close(): void;
}

async function startRebinding(port: number, pagePort: number): Promise<Rebinding> {
  let isRebound = false;
  const open = new Set<Socket>();
  const relay: Server = createServer((client) => {
    const target = isRebound ? connect(port, '127.0.0.1') : connect(pagePort, EVIL_ADDRESS);
    for (const socket of [client, target]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => open.delete(socket));
    }
    client.pipe(target).pipe(client);
  });
  await new Promise<void>((resolve, reject) => {
    relay.once('error', reject);
    relay.listen(port, REBOUND_ADDRESS, resolve);
  });
  const drop = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    rebind() {
      isRebound = true;
      drop();
    },
    close() {
      relay.close();
      drop();
    },
  };
}

describe.skipIf(MISSING !== '')(`a real Chromium page${MISSING}`, () => {
  /** Serves pages under every name that leads to it. */
  let pages: Bun.Server<undefined>;
  let agent: ServingBinary;
  let chromium: Chromium;
  const api = () => new URL(agent.url).port;
  const hooks = () => new URL(agent.webhooksUrl as string).port;

  beforeAll(async () => {
    pages = Bun.serve({
      hostname: EVIL_ADDRESS,
      port: 0,
      fetch: () => new Response('<title>A page</title>', { headers: { 'content-type': 'text/html' } }),
    });
    [agent, chromium] = await Promise.all([
      startBinary({
        config: CONFIG,
        env: {
          AGENT_ALLOWED_HOSTS: 'agent.example.test',
          ALLOWED_ORIGINS: `http://client.example.test:${pages.port}`,
        },
      }),
      startChromium({
        'evil.example.test': EVIL_ADDRESS,
        'client.example.test': EVIL_ADDRESS,
        'rebinding.example.test': REBOUND_ADDRESS,
        'agent.example.test': '127.0.0.1',
      }),
    ]);
  }, 30_000);
  afterAll(async () => {
    await Promise.all([chromium?.[Symbol.asyncDispose](), agent?.[Symbol.asyncDispose]()]);
    await pages?.stop(true);
  });

  /** What a page gets from a `fetch` of its own: the status and the text, or that the browser refused. */
  const ask = (page: Page, url: string, init: Record<string, unknown> = {}) =>
    page.evaluate<string>(
      `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}).then(async (answer) => answer.status + ' ' + (await answer.text()).slice(0, 300), (error) => error.name)`,
    );
  const json = (body: unknown) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const CHAT = { messages: [{ role: 'user', content: 'hello' }], thread_id: 'made-by-a-page' };

  /** Everything a page could have left behind, as its owner sees it. */
  async function traces() {
    const run = (words: string[]) =>
      runBinary([...words, '--json'], { cwd: agent.home, env: { AGENT_HOME: agent.home } });
    const [runs, documents, events] = await Promise.all([
      agent.fetch('/api/runs').then((answer) => answer.text()),
      agent.fetch('/api/rag/resources').then((answer) => answer.text()),
      run(['webhook', 'events']),
    ]);
    return { runs, documents, events: events.stdout };
  }

  test('on another origin reads nothing', async () => {
    const page = await chromium.open(`http://evil.example.test:${pages.port}/`);
    for (const host of ['localhost', '127.0.0.1', '0.0.0.0', 'agent.example.test'])
      for (const path of [
        '/api/runs',
        '/api/rag/resources',
        '/api/config',
        '/v1/models',
        '/openapi.json',
        '/health',
        '/mcp',
      ])
        expect([path, await ask(page, `http://${host}:${api()}${path}`)]).toEqual([path, 'TypeError']);
    expect(await ask(page, `http://127.0.0.1:${hooks()}/health`)).toBe('TypeError');
  });

  test('on another origin writes nothing, in any way a page has', async () => {
    await agent.post('/api/chat/stream', { ...CHAT, thread_id: 'of-the-owner' }).then((answer) => answer.text());
    const before = await traces();
    expect(before.runs).toContain('of-the-owner');
    const page = await chromium.open(`http://evil.example.test:${pages.port}/`);
    await page.evaluate(`(async () => {
      const api = 'http://127.0.0.1:${api()}', hooks = 'http://127.0.0.1:${hooks()}';
      const chat = ${JSON.stringify(JSON.stringify(CHAT))};
      const quiet = (promise) => promise.catch(() => undefined);
      const frame = (attributes, html) => new Promise((resolve) => {
        const element = document.body.appendChild(document.createElement('iframe'));
        Object.assign(element, attributes);
        // The answer of another origin is a document that this page may not look into.
        element.onload = () => { if (element.contentDocument === null) resolve(); };
        setTimeout(resolve, 3000);
        element.srcdoc = html;
      });
      const form = (action, type, fields, input) => '<form method=post enctype="' + type + '" action="' + action + '">' + fields
        + '</form><script>' + (input ?? '') + 'document.forms[0].submit()<' + '/script>';
      const file = 'const d = new DataTransfer(); d.items.add(new File(["poison"], "poison.md")); document.querySelector("input").files = d.files;';
      const blob = (type) => new Blob([chat], { type });
      const posts = [];
      for (const url of [api + '/api/chat/stream', api.replace('127.0.0.1', 'localhost') + '/api/chat/stream', api.replace('127.0.0.1', '0.0.0.0') + '/api/chat/stream', hooks + '/webhooks/open', hooks + '/webhooks/signed'])
        for (const type of ['text/plain', 'application/json', '']) {
          for (const referrerPolicy of ['unsafe-url', 'no-referrer'])
            posts.push(quiet(fetch(url, { method: 'POST', mode: 'no-cors', body: blob(type), referrerPolicy })));
          posts.push(quiet(fetch(url, { method: 'POST', body: blob(type), credentials: 'include' })));
          navigator.sendBeacon(url, blob(type));
        }
      posts.push(quiet(fetch(api + '/api/threads/of-the-owner', { method: 'DELETE' })));
      const upload = new FormData();
      upload.append('file', new File(['poison'], 'poison.md'));
      posts.push(quiet(fetch(api + '/api/rag/upload', { method: 'POST', mode: 'no-cors', body: upload })));
      await Promise.all(posts);
      const sneaky = '<input name=\\'{"messages":[{"role":"user","content":"hello"}],"thread_id":"made-by-a-page","x":"\\' value=\\'"}\\'>';
      await Promise.all([
        frame({}, form(api + '/api/chat/stream', 'text/plain', sneaky)),
        frame({}, form(hooks + '/webhooks/open', 'text/plain', sneaky)),
        frame({}, form(hooks + '/webhooks/open', 'application/x-www-form-urlencoded', '<input name=a value=b>')),
        frame({}, form(api + '/api/rag/upload', 'multipart/form-data', '<input type=file name=file>', file)),
        frame({ sandbox: 'allow-scripts allow-forms' }, form(api + '/api/rag/upload', 'multipart/form-data', '<input type=file name=file>', file)),
      ]);
    })()`);
    // All three uploads reached the server, also that of the frame without an origin: their refusals are in the log.
    const refused = () => agent.log().match(/POST.*\/api\/rag\/upload.*403/g)?.length ?? 0;
    for (let tries = 0; refused() < 3 && tries < 200; tries++) await Bun.sleep(20);
    expect(refused()).toBe(3);
    expect(await traces()).toEqual(before);
  });

  test('that rebinds its name to this machine reaches nothing behind either port', async () => {
    const before = await traces();
    for (const [port, paths] of [
      [api(), ['/', '/health', '/docs', '/openapi.json', '/api/runs', '/api/config', '/v1/models', '/mcp', '/nope']],
      [hooks(), ['/health', '/webhooks/open', '/nope']],
    ] as const) {
      const name = await startRebinding(Number(port), pages.port as number);
      try {
        const page = await chromium.open(`http://rebinding.example.test:${port}/`);
        expect(await page.evaluate<string>('document.title')).toBe('A page');
        name.rebind();
        for (const path of paths) expect([path, await ask(page, path)]).toEqual([path, expect.stringMatching(/^421 /)]);
        for (const path of ['/api/chat/stream', '/v1/chat/completions', '/mcp', '/webhooks/open', '/webhooks/signed'])
          expect([path, await ask(page, path, json(CHAT))]).toEqual([path, expect.stringMatching(/^421 /)]);
        expect(await ask(page, '/api/threads/of-the-owner', { method: 'DELETE' })).toStartWith('421 ');
      } finally {
        name.close();
      }
    }
    expect(await traces()).toEqual(before);
  });

  test.each(['localhost', '127.0.0.1', 'agent.example.test'])(
    "of the server's own, at %s, reads and writes",
    async (host) => {
      const page = await chromium.open(`http://${host}:${api()}/docs`);
      expect(await ask(page, '/api/config')).toStartWith('200 ');
      expect(await ask(page, '/api/chat/stream', json({ ...CHAT, thread_id: `own-${host}` }))).toStartWith(
        '200 id: run_',
      );
      expect(await ask(page, `/api/threads/own-${host}`, { method: 'DELETE' })).toStartWith('204');
    },
  );

  test.skipIf(!HAS_IPV6)("of the server's own, at [::1], reads and writes", async () => {
    await using six = await startBinary({ env: { AGENT_HOST: '::1' } });
    const page = await chromium.open(`${six.url}/docs`);
    expect(await ask(page, '/api/config')).toStartWith('200 ');
    expect(await ask(page, '/api/chat/stream', json(CHAT))).toStartWith('200 id: run_');
  });

  test('of the listed web client on another port reads and writes', async () => {
    const page = await chromium.open(`http://client.example.test:${pages.port}/`);
    for (const host of ['localhost', '127.0.0.1', 'agent.example.test']) {
      const base = `http://${host}:${api()}`;
      expect(await ask(page, `${base}/api/config`)).toStartWith('200 ');
      const chat = json({ ...CHAT, thread_id: `client-${host}` });
      expect(await ask(page, `${base}/api/chat/stream`, { ...chat, credentials: 'include' })).toStartWith(
        '200 id: run_',
      );
      expect(await ask(page, `${base}/api/threads/client-${host}`, { method: 'DELETE' })).toStartWith('204');
    }
  });
});

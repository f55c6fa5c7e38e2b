import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { CommandContext } from '../../src/cli/context.ts';
import { addSources } from '../../src/cli/knowledge/add.ts';
import { createCrawler } from '../../src/crawl/crawler.ts';
import { createGuardedFetch } from '../../src/crawl/guarded-fetch.ts';
import { createGuardedStreamFetch } from '../../src/crawl/guarded-stream-fetch.ts';
import { createDeliverer } from '../../src/delivery/deliver.ts';
import type { DeliveryRequest, DeliveryResult } from '../../src/delivery/model.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { createConnectionNeeds } from '../../src/mcp/connection-needs.ts';
import { inspectServer } from '../../src/mcp/metadata.ts';
import { createMcpPolicy } from '../../src/mcp/policy.ts';
import { loadImages } from '../../src/slides/load-images.ts';
import { targetSettings } from '../contract/delivery.ts';
import { defaultConfig } from '../helpers/test-server.ts';

/** Whatever reaches this machine, by IPv4 or IPv6, at the page or through the reader. */
const arrived: string[] = [];
const closers: (() => unknown)[] = [];
let port = 0;
beforeAll(() => {
  const serve = (hostname: string, wanted: number) => {
    const server = Bun.serve({
      hostname,
      port: wanted,
      fetch: (request) => {
        arrived.push(request.url);
        return new Response('inside');
      },
    });
    closers.push(() => server.stop(true));
    return server.port!;
  };
  port = serve('127.0.0.1', 0);
  try {
    serve('::1', port);
  } catch {
    // A machine without IPv6 has nothing there to reach.
  }
});
afterAll(() => Promise.all(closers.map((close) => close())));

const signal = new AbortController().signal;
/** Names of the attacker's zone: they lead inside, each in its own way. */
const ZONE: Record<string, string[]> = {
  'inside.test': ['127.0.0.1'],
  'mixed.test': ['93.184.216.34', '127.0.0.1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'cloud.test': ['169.254.169.254'],
  'cloud6.test': ['fd00:ec2::254'],
  'nat64.test': ['64:ff9b::a9fe:a9fe'],
};
const lookup = async (host: string) => ZONE[host] ?? [];

interface Places {
  allowPrivateNetwork: boolean;
}

/** Every place that fetches an address somebody else chose; a promise that rejects or a failure is a refusal. */
function places({ allowPrivateNetwork }: Places): Record<string, (url: string) => Promise<unknown>> {
  const config = defaultConfig();
  const guardedFetch = createGuardedFetch({ allowPrivateNetwork, lookup, log: silentLogger });
  const streams = createGuardedStreamFetch({ allowPrivateNetwork, lookup });
  const crawl = (jina: Record<string, unknown>) =>
    createCrawler({
      config: { ...config.crawl, ...jina, allow_private_network: allowPrivateNetwork },
      guardedFetch,
      fetch,
      resolve: lookup,
      clock: systemClock,
      log: silentLogger,
    });
  const crawler = crawl({});
  const reader = crawl({ jina_api_key: 'key', jina_base_url: `http://127.0.0.1:${port}/reader` });
  closers.push(
    () => crawler.stop(),
    () => reader.stop(),
  );
  const deliverer = createDeliverer({
    config: targetSettings({ outgoing_webhook: { secret: 'secret' }, slack: {} }),
    fetch,
    guardedFetch: createGuardedStreamFetch({ allowPrivateNetwork: true, anyPort: true, lookup }),
    clock: systemClock,
    log: silentLogger,
  });
  const deliver = (request: Partial<DeliveryRequest>) =>
    deliverer
      .deliver({ target: 'webhook', content: 'x', extra: {}, deliveryId: 'd', signal, ...request })
      .then(orThrow);
  const mcp = (transport: 'sse' | 'streamable_http') => async (url: string) => {
    const asked: unknown[] = [];
    const guarded: typeof streams = (...call) =>
      streams(...call).catch((error) => Promise.reject(asked.push(error) && error));
    const needs = createConnectionNeeds({ config, home: '/nonexistent', guardedFetch: guarded, openFetch: guarded });
    const policy = createMcpPolicy({
      ...config,
      crawl: { ...config.crawl, allow_private_network: allowPrivateNetwork },
    });
    if (policy.refuseUrl(url)) throw { code: 'url_refused' };
    // The client of the protocol hides why; what the guard said is what counts.
    await inspectServer({ transport, url, headers: {}, trusted: false }, needs, 5000, signal).catch(
      (error: unknown) => {
        throw asked[0] ?? error;
      },
    );
  };
  return {
    crawl_tool: (url) => crawler.crawl(url, signal),
    'the Jina reader': (url) => reader.crawl(url, signal),
    'knowledge add': async (url) => {
      const knowledge = { name: 'local', ingest: async () => ({ uri: 'local://x', title: 'x' }) };
      const output = { write: async () => undefined, isTerminal: false, columns: 80 };
      const failed: { code: string }[] = [];
      const print = async (answer: { failed: { code: string }[] }) => void failed.push(...answer.failed);
      const context = { signal, json: true, print, stderr: output } as unknown as CommandContext;
      await addSources({ knowledge: knowledge as never, crawler, config }, context, [url]);
      if (failed[0]) throw failed[0];
    },
    'an image of a slide': async (source) => {
      const codes: unknown[] = [];
      const log = { ...silentLogger, warn: (_: string, { code }: { code?: unknown } = {}) => void codes.push(code) };
      await loadImages([{ source, alt: '' }], new Set([1]), { guardedFetch, log, maxBytes: 1000 }, signal);
      if (codes[0]) throw { code: codes[0] };
    },
    'an MCP server of a request': mcp('streamable_http'),
    'an MCP server of a request (sse)': mcp('sse'),
    'the webhook target, address from the event': (url) =>
      deliver({ extra: { url }, extraTemplate: { url: '{callback}' } }),
    'the webhook target, host from the event': (url) =>
      deliver({ extra: { url }, extraTemplate: { url: 'http://{host}/hook' } }),
    'the response address of Slack': (responseUrl) =>
      deliver({ target: 'origin', origin: { source: 'slack', responseUrl } }),
  };
}

function orThrow(result: DeliveryResult): void {
  if (!result.ok) throw result;
}

/** Ways to write this machine; the port is that of the server inside. */
const LOOPBACK = [
  ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '00000177.0.0.01'],
  ...['0', '0.0.0.0', 'localhost', 'LOCALHOST', 'localhost.', 'a.localhost', '%6cocalhost', 'ｌｏｃａｌｈｏｓｔ'],
  ...['127。0。0。1', '１２７.0.0.1', '①②⑦.⓪.⓪.①', '%31%32%37.0.0.1', '127.0.0.1.', '[::1]', '[0:0:0:0:0:0:0:1]'],
  ...['[::]', '[::127.0.0.1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...[
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001::80ff:fffe]',
    '[fe80::5efe:7f00:1]',
    'inside.test',
    'mixed.test',
  ],
  ...['mapped.test', 'public.example@127.0.0.1', 'user:pw@localhost'],
];
const written = () => [
  ...LOOPBACK.map((host) => `http://${host}:${port}/secret`),
  `http:\\\\127.0.0.1:${port}\\secret`,
  `http://public.example\\@127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}\t/secret`,
  `ht\ntp://127.0.0.1:${port}/secret`,
  `http:127.0.0.1:${port}/secret`,
  `//127.0.0.1:${port}/secret`,
  'file:///etc/hostname',
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_GET`,
  'unix:/var/run/docker.sock',
  `data:text/html,<meta http-equiv=refresh content="0;url=http://127.0.0.1:${port}">`,
];

/** The credentials of the machine: refused on a network of one's own as well. */
const METADATA = [
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.170.2', '168.63.129.16'],
  ...['100.100.100.200', '192.0.0.192', '[fd00:ec2::254]', '[fd00:ec2::23]', '[fd20:ce::254]', '[fd00:42::42]'],
  ...['[fe80::a9fe:a9fe]', '[::169.254.169.254]', '[::ffff:169.254.169.254]', '[::ffff:0:169.254.169.254]'],
  ...['[64:ff9b::169.254.169.254]', '[64:ff9b::6464:64c8]', '[64:ff9b:1::a9fe:a9fe]', '[64:ff9b:1:a9fe:a9:fe00::]'],
  ...['[64:ff9b:1:a9:fe:a9fe::]', '[64:ff9b:1::a9:fea9:fe00:0]', '[2002:a9fe:a9fe::]', '[2002:a83f:8110::1]'],
  ...[
    '[2001:0:a9fe:a9fe::]',
    '[2001:0:1:1:1:1:5601:5601]',
    '[fd12::5efe:169.254.169.254]',
    '[fd12::200:5efe:a9fe:a9fe]',
  ],
  ...['[fd12:64::a9fe:a9fe]', '[2600:1f::5efe:a9fe:a9fe]', 'cloud.test', 'cloud6.test', 'nat64.test'],
].map((host) => `http://${host}/latest/meta-data/`);

/** What a refusal is called, by place; anything else is an attempt that only happened to fail. */
const REFUSALS = ['url_refused', 'image_refused', 'target_bad_destination', 'target_refused', 'not_found'];

async function outcome(attempt: Promise<unknown>): Promise<string> {
  const failure = await attempt.then(
    () => ({ code: 'fetched' }),
    (error: { code: string }) => error,
  );
  return REFUSALS.includes(failure.code) ? 'refused' : `${failure.code}`;
}

describe('nothing inside is reached', () => {
  const closed = () => Object.entries(places({ allowPrivateNetwork: false }));

  test.each(Object.keys(places({ allowPrivateNetwork: false })))('by %s', async (name) => {
    const [, place] = closed().find(([other]) => other === name)!;
    for (const url of [...written(), ...METADATA])
      expect([url, await outcome(place(url)), arrived]).toEqual([url, 'refused', []]);
  });

  test('the server inside is there to be reached', async () => {
    const open = places({ allowPrivateNetwork: true });
    expect(await outcome(open['crawl_tool']!(`http://127.0.0.1:${port}/`))).toBe('fetched');
    expect(arrived.splice(0)).toHaveLength(1);
  });
});

describe('the credentials of the machine are out of reach on an open network', () => {
  const open = places({ allowPrivateNetwork: true });

  test.each(Object.keys(open))('for %s', async (name) => {
    for (const url of METADATA) expect([url, await outcome(open[name]!(url))]).toEqual([url, 'refused']);
    expect(arrived).toEqual([]);
  });

  test('also by a redirect', async () => {
    const targets = METADATA.values();
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(null, { status: 302, headers: { location: targets.next().value ?? '' } }),
    });
    closers.push(() => server.stop(true));
    for (const url of METADATA) {
      const failure = await open['crawl_tool']!(server.url.href).catch((error: { code: string }) => error.code);
      expect([url, failure]).toEqual([url, 'url_refused']);
    }
  });
});

describe('an address that the operator wrote', () => {
  const received: { path: string; authorization: string | null; signature: string | null }[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      const { headers } = request;
      received.push({
        path: pathname,
        authorization: headers.get('authorization'),
        signature: headers.get('webhook-signature'),
      });
      return pathname === '/away' ? Response.redirect('/elsewhere', 307) : new Response('ok');
    },
  });
  closers.push(() => server.stop(true));
  const send = (settings: Record<string, unknown>, request: Partial<DeliveryRequest> = {}) =>
    createDeliverer({
      config: targetSettings({ outgoing_webhook: { secret: 'secret', ...settings } }),
      fetch,
      guardedFetch: createGuardedStreamFetch({ allowPrivateNetwork: true, anyPort: true, lookup }),
      clock: systemClock,
      log: silentLogger,
    }).deliver({ target: 'webhook', content: 'x', extra: {}, deliveryId: 'd', signal, ...request });
  const base = `http://127.0.0.1:${server.port}`;

  test('may be private: in the configuration, in the route, by name, with a login and below a placeholder', async () => {
    received.length = 0;
    const url = `http://inside.test:${server.port}/route`;
    expect(await send({ url: `${base}/config` })).toEqual({ ok: true });
    expect(await send({}, { extra: { url }, extraTemplate: { url } })).toEqual({ ok: true });
    expect(await send({ url: `http://me:p%40ss@127.0.0.1:${server.port}/login` })).toEqual({ ok: true });
    const template = { url: `${base}/hooks/{id}` };
    expect(await send({}, { extra: { url: `${base}/hooks/7` }, extraTemplate: template })).toEqual({ ok: true });
    const listed = { allowed_hosts: [`127.0.0.1:${server.port}`] };
    const chosen = { extra: { url: `${base}/listed` }, extraTemplate: { url: '{callback}' } };
    expect(await send(listed, chosen)).toEqual({ ok: true });
    expect(received.map(({ path }) => path)).toEqual(['/config', '/route', '/login', '/hooks/7', '/listed']);
    expect(received[2]?.authorization).toBe(`Basic ${btoa('me:p@ss')}`);
    expect(received.every(({ signature }) => signature?.startsWith('v1,'))).toBe(true);
  });

  test('is not left by a redirect', async () => {
    received.length = 0;
    expect(await send({ url: `${base}/away` })).toMatchObject({
      ok: false,
      code: 'target_redirected',
      retryable: false,
    });
    expect(received.map(({ path }) => path)).toEqual(['/away']);
  });

  test('is refused when it leads to the credentials of the machine, and the refusal does not repeat it', async () => {
    for (const url of METADATA) {
      const result = await send({ url });
      expect([url, result]).toMatchObject([url, { ok: false, code: 'target_refused', retryable: false }]);
      expect(JSON.stringify(result)).not.toContain('meta-data');
    }
  });

  test('below a placeholder takes the event nowhere else', async () => {
    received.length = 0;
    for (const rendered of [`${base}/hooks/../admin`, `${base}/hooks/..\\admin`, `${base}@127.0.0.1:${port}/`]) {
      const extraTemplate = { url: `${base}/hooks/{id}` };
      const result = await send({}, { extra: { url: rendered }, extraTemplate });
      expect([rendered, result]).toMatchObject([rendered, { ok: false, code: 'target_bad_destination' }]);
    }
    expect(received).toEqual([]);
  });
});

import { afterAll, describe, expect, test } from 'bun:test';
import { createServer, type Server } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createGuardedFetch, type GuardedRequest } from '../../src/crawl/guarded-fetch.ts';
import { AppError } from '../../src/errors.ts';
import { silentLogger } from '../../src/lib/log.ts';

const fixture = (name: string) => Bun.file(new URL(`../fixtures/crawl/${name}`, import.meta.url)).text();
const MiB = 1024 * 1024;
const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

function serve(handler: (request: Request) => Response | Promise<Response>, hostname = '127.0.0.1', port = 0) {
  const server = Bun.serve({ port, hostname, fetch: handler });
  closers.push(() => server.stop(true));
  return server;
}

/** Sends exactly these bytes and leaves the connection open unless `end`. */
async function serveRaw(...chunks: string[]): Promise<{ url: string; server: Server }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      for (const chunk of chunks) socket.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}/`, server };
}

const open = createGuardedFetch({ allowPrivateNetwork: true, log: silentLogger });
const request = (more: Partial<GuardedRequest> = {}): GuardedRequest => ({
  timeoutMs: 5000,
  maxBytes: 5 * MiB,
  signal: new AbortController().signal,
  ...more,
});
const text = (response: { bytes: Uint8Array }) => new TextDecoder().decode(response.bytes);

async function failure(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

describe('the connection', () => {
  test('goes to the resolved address with the name in the Host header', async () => {
    const server = serve((received) => new Response(received.headers.get('host')));
    const fetchNamed = createGuardedFetch({
      allowPrivateNetwork: true,
      log: silentLogger,
      lookup: async () => ['127.0.0.1'],
    });
    const response = await fetchNamed(`http://name.test:${server.port}/a`, request());
    expect(text(response)).toBe(`name.test:${server.port}`);
    expect(response.url).toBe(`http://name.test:${server.port}/a`);
  });

  test('never resolves a name twice, so a second answer cannot redirect it', async () => {
    const first = serve(() => new Response('first'));
    let reached = false;
    serve(
      () => {
        reached = true;
        return new Response('second');
      },
      '127.0.0.2',
      first.port,
    );
    const answers = ['127.0.0.1', '127.0.0.2'];
    let lookups = 0;
    const fetchNamed = createGuardedFetch({
      allowPrivateNetwork: true,
      log: silentLogger,
      lookup: async () => [answers[lookups++] ?? '127.0.0.2'],
    });
    expect(text(await fetchNamed(`http://rebind.test:${first.port}/`, request()))).toBe('first');
    expect(lookups).toBe(1);
    expect(reached).toBe(false);
  });

  test('tries the next address when one refuses the connection', async () => {
    const server = serve(() => new Response('second'));
    const fetchNamed = createGuardedFetch({
      allowPrivateNetwork: true,
      log: silentLogger,
      lookup: async () => ['::1', '127.0.0.3', '127.0.0.1'],
    });
    expect(text(await fetchNamed(`http://many.test:${server.port}/`, request()))).toBe('second');
  });

  test('verifies the certificate against the name, not the address', async () => {
    const [ca, cert, key] = await Promise.all([fixture('ca.pem'), fixture('server.pem'), fixture('server.key')]);
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', tls: { cert, key }, fetch: () => new Response('tls') });
    closers.push(() => server.stop(true));
    const options = { allowPrivateNetwork: true, log: silentLogger, lookup: async () => ['127.0.0.1'] };
    const trusting = createGuardedFetch({ ...options, ca });
    expect(text(await trusting(`https://secure.test:${server.port}/`, request()))).toBe('tls');

    const wrongName = await failure(trusting(`https://other.test:${server.port}/`, request()));
    expect(wrongName).toMatchObject({ code: 'upstream_rejected', retryable: false });
    const byAddress = await failure(trusting(`https://127.0.0.1:${server.port}/`, request()));
    expect(byAddress.code).toBe('upstream_rejected');
    const unknown = await failure(createGuardedFetch(options)(`https://secure.test:${server.port}/`, request()));
    expect(unknown).toMatchObject({ code: 'upstream_rejected', retryable: false });
  });
});

describe('the guard', () => {
  const lookups: string[] = [];
  const guardedBy = (addresses: string[]) =>
    createGuardedFetch({
      allowPrivateNetwork: false,
      log: silentLogger,
      lookup: async (host) => {
        lookups.push(host);
        return addresses;
      },
    });

  test.each([
    [['127.0.0.1']],
    [['10.0.0.8']],
    [['169.254.169.254']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['fd00:ec2::254']],
    [['100.64.1.1']],
    [['93.184.216.34', '127.0.0.1']],
  ])('refuses a name that resolves to %p', async (addresses) => {
    let reached = false;
    const server = serve(() => {
      reached = true;
      return new Response('secret');
    });
    const error = await failure(guardedBy(addresses)(`http://public.test:${server.port}/`, request()));
    expect(error).toMatchObject({ code: 'url_refused', status: 400 });
    for (const address of addresses) expect(error.message).not.toContain(address);
    expect(reached).toBe(false);
  });

  test('refuses a private address without asking the resolver', async () => {
    lookups.length = 0;
    const error = await failure(guardedBy(['8.8.8.8'])('http://localhost:8000/', request()));
    expect(error.code).toBe('url_refused');
    expect(lookups).toEqual([]);
  });

  test('says when a name does not resolve', async () => {
    const error = await failure(guardedBy([])('http://nowhere.test/', request()));
    expect(error).toMatchObject({ code: 'upstream_unavailable', message: expect.stringContaining('nowhere.test') });
  });

  test.each(['not an address', 'other.test', '127.1', 'fe80::1%lo', ''])(
    'does not dial %p, which would be resolved once more',
    async (answer) => {
      for (const allowPrivateNetwork of [true, false]) {
        const fetchNamed = createGuardedFetch({
          allowPrivateNetwork,
          log: silentLogger,
          lookup: async () => [answer],
          fetch: () => Promise.reject(new Error('dialled')),
        });
        const error = await failure(fetchNamed('http://name.test/', request()));
        expect(error).toMatchObject({
          code: 'upstream_unavailable',
          message: 'The host name name.test could not be resolved.',
        });
      }
    },
  );

  test('gives up on a resolver that never answers', async () => {
    const stuck = createGuardedFetch({
      allowPrivateNetwork: false,
      log: silentLogger,
      lookup: () => new Promise(() => undefined),
    });
    const error = await failure(stuck('http://slow.test/', request({ timeoutMs: 20 })));
    expect(error).toMatchObject({ code: 'upstream_timeout', retryable: true });
  });
});

describe('redirects', () => {
  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost/',
    'http://[::ffff:169.254.169.254]/',
    'http://inside.test/',
    'http://0x7f.1/',
    'http://2852039166/',
    'http:\\\\127.0.0.1/',
    '//127.0.0.1/',
  ])('from a public page to %s are refused', async (location) => {
    const page = serve(() => new Response('a page', { status: 302, headers: { location } }));
    const dialled: string[] = [];
    const fetchPublic = createGuardedFetch({
      allowPrivateNetwork: false,
      log: silentLogger,
      lookup: async (host) => [host === 'public.test' ? '93.184.216.34' : '10.0.0.1'],
      fetch: (url, init) => {
        dialled.push(url.hostname);
        return fetch(page.url, init);
      },
    });
    const error = await failure(fetchPublic('http://public.test/', request()));
    expect(error.code).toBe('url_refused');
    expect(dialled).toEqual(['93.184.216.34']);
  });

  test('with unescaped characters are followed', async () => {
    const server = serve((received) =>
      new URL(received.url).pathname === '/a%20b'
        ? new Response('there')
        : new Response(null, { status: 302, headers: { location: '/a b' } }),
    );
    expect(text(await open(server.url.href, request()))).toBe('there');
  });

  test('resolve and check each name on the way', async () => {
    const checked: string[] = [];
    const fetchNamed = createGuardedFetch({
      allowPrivateNetwork: true,
      log: silentLogger,
      lookup: async (host) => {
        checked.push(host);
        return ['127.0.0.1'];
      },
    });
    const last = serve(() => new Response('last'));
    const hop = serve(() => Response.redirect(`http://second.test:${last.port}/`, 302));
    const response = await fetchNamed(`http://first.test:${hop.port}/`, request());
    expect(text(response)).toBe('last');
    expect(response.url).toBe(`http://second.test:${last.port}/`);
    expect(checked).toEqual(['first.test', 'second.test']);
  });

  test('to metadata addresses are refused on an open network too, by address and by name', async () => {
    const named = createGuardedFetch({
      allowPrivateNetwork: true,
      log: silentLogger,
      lookup: async (host) => [host === 'cloud.test' ? '169.254.169.254' : '127.0.0.1'],
    });
    for (const target of ['http://169.254.169.254/latest/meta-data/', 'http://cloud.test/latest']) {
      const server = serve(() => Response.redirect(target, 302));
      await expect(named(`http://first.test:${server.port}/`, request())).rejects.toMatchObject({
        code: 'url_refused',
      });
    }
  });

  test.each(['ftp://example.com/', 'file:///etc/passwd', 'http://user:pw@example.com/', 'http://example.com:22/'])(
    'to %s are refused',
    async (location) => {
      const server = serve(() => new Response(null, { status: 302, headers: { location } }));
      expect((await failure(open(server.url.href, request()))).code).toBe('url_refused');
    },
  );

  test('are followed five times and no further', async () => {
    let requests = 0;
    const server = serve((received) => {
      requests++;
      const left = Number(new URL(received.url).pathname.slice(1));
      return left === 0 ? new Response('end') : Response.redirect(`/${left - 1}`, 302);
    });
    expect(text(await open(new URL('/5', server.url).href, request()))).toBe('end');
    requests = 0;
    const error = await failure(open(new URL('/6', server.url).href, request()));
    expect(error).toMatchObject({ code: 'url_refused', message: 'The address redirects too many times.' });
    expect(requests).toBe(6);
  });

  test('carry credentials to the same origin only', async () => {
    const seen: (string | null)[][] = [];
    const note = (received: Request) =>
      seen.push(['authorization', 'cookie', 'x-api-key', 'accept'].map((name) => received.headers.get(name)));
    const other = serve((received) => {
      note(received);
      return new Response('ok');
    });
    const server = serve((received) => {
      note(received);
      return Response.redirect(received.url.endsWith('/a') ? '/b' : other.url.href, 307);
    });
    const headers = { authorization: 'Bearer s', cookie: 'a=b', 'x-api-key': 'k', accept: 'text/html' };
    await open(new URL('/a', server.url).href, request({ headers }));
    const all = ['Bearer s', 'a=b', 'k', 'text/html'];
    expect(seen).toEqual([all, all, [null, null, null, 'text/html']]);
  });

  test('turn a POST into a GET without its body, except 307 and 308', async () => {
    const target = serve(async (received) => new Response(`${received.method} ${await received.text()}`));
    const redirecting = (status: number) =>
      serve(() => new Response(null, { status, headers: { location: target.url.href } })).url.href;
    const post = request({ method: 'POST', body: 'payload' });
    expect(text(await open(redirecting(302), post))).toBe('GET ');
    expect(text(await open(redirecting(303), post))).toBe('GET ');
    expect(text(await open(redirecting(308), post))).toBe('POST payload');
  });
});

describe('bodies', () => {
  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('in %s are inflated', async (encoding, compress) => {
    const page = 'a page about rivers '.repeat(5000);
    const server = serve(() => new Response(compress(page), { headers: { 'content-encoding': encoding } }));
    expect(text(await open(server.url.href, request()))).toBe(page);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', (data: Buffer) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdCompressSync],
  ])('that are %s bombs are stopped while inflating', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(256 * MiB));
    expect(bomb.byteLength).toBeLessThan(MiB);
    Bun.gc(true);
    const before = process.memoryUsage().rss;
    const server = serve(() => new Response(bomb, { headers: { 'content-encoding': encoding } }));
    expect((await failure(open(server.url.href, request()))).code).toBe('too_large');
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MiB);
  });

  test('inside two layers of gzip are stopped too', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(64 * MiB)));
    const server = serve(() => new Response(bomb, { headers: { 'content-encoding': 'gzip, gzip' } }));
    expect((await failure(open(server.url.href, request()))).code).toBe('too_large');
  });

  test('in an unknown encoding are refused', async () => {
    const server = serve(() => new Response('x', { headers: { 'content-encoding': 'rot13' } }));
    expect((await failure(open(server.url.href, request()))).code).toBe('unsupported_type');
  });

  test('that are not what their encoding says are an upstream failure', async () => {
    const server = serve(() => new Response('plain', { headers: { 'content-encoding': 'gzip' } }));
    expect((await failure(open(server.url.href, request()))).code).toBe('upstream_unavailable');
  });

  test('of a declared 50 MB are refused before they are read', async () => {
    const { url } = await serveRaw('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 52428800\r\n\r\n');
    const started = performance.now();
    expect((await failure(open(url, request()))).code).toBe('too_large');
    expect(performance.now() - started).toBeLessThan(1000);
  });

  test('of an undeclared 50 MB are cut off', async () => {
    let sent = 0;
    const server = serve(
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              sent += MiB;
              controller.enqueue(new Uint8Array(MiB));
              if (sent >= 50 * MiB) controller.close();
            },
          }),
        ),
    );
    expect((await failure(open(server.url.href, request()))).code).toBe('too_large');
    expect(sent).toBeLessThan(50 * MiB);
  });

  test('that trickle are cut off by the time limit', async () => {
    const { url } = await serveRaw('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n', 'a');
    expect((await failure(open(url, request({ timeoutMs: 40 })))).code).toBe('upstream_timeout');
  });

  test('that never begin are cut off by the time limit', async () => {
    const { url } = await serveRaw('HTTP/1.1 200 OK\r\nx-slow');
    expect((await failure(open(url, request({ timeoutMs: 40 })))).code).toBe('upstream_timeout');
  });

  test('of another type are refused unread, and errors keep their status', async () => {
    const server = serve((received) => {
      const status = Number(new URL(received.url).pathname.slice(1));
      return new Response('PNG', { status, headers: { 'content-type': 'image/png' } });
    });
    const accept = ['text/', 'application/pdf'];
    const error = await failure(open(new URL('/200', server.url).href, request({ accept })));
    expect(error.code).toBe('unsupported_type');
    expect((await open(new URL('/404', server.url).href, request({ accept }))).status).toBe(404);
  });
});

test('an abort rejects with the caller’s own reason', async () => {
  const { url } = await serveRaw('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n', 'a');
  const controller = new AbortController();
  const pending = open(url, request({ signal: controller.signal }));
  const reason = new DOMException('stop', 'AbortError');
  setTimeout(() => controller.abort(reason), 10);
  expect(await pending.catch((error: unknown) => error)).toBe(reason);
  expect(await open(url, request({ signal: controller.signal })).catch((error: unknown) => error)).toBe(reason);
});

test('a closed port is an upstream failure that does not show the query', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  const error = await failure(open(`http://127.0.0.1:${port}/?token=hunter2`, request()));
  expect(error).toMatchObject({ code: 'upstream_unavailable', retryable: true });
  expect(error.message).not.toContain('hunter2');
});

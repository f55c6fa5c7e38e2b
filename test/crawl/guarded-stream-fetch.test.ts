import { afterAll, expect, test } from 'bun:test';
import { createGuardedStreamFetch } from '../../src/crawl/guarded-stream-fetch.ts';

const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

function serve(handler: (request: Request) => Response | Promise<Response>) {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: handler });
  closers.push(() => server.stop(true));
  return server;
}

const open = createGuardedStreamFetch({ allowPrivateNetwork: true });
const guarded = createGuardedStreamFetch({ allowPrivateNetwork: false, lookup: async () => ['10.0.0.1'] });

test('a request keeps its method, headers and body, and the answer streams', async () => {
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  const server = serve(async (request) => {
    const first = `${request.method} ${request.headers.get('authorization')} ${await request.text()}\n`;
    return new Response(
      new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode(first));
          await told;
          controller.enqueue(new TextEncoder().encode('second'));
          controller.close();
        },
      }),
    );
  });
  const response = await open(server.url, { method: 'POST', headers: { authorization: 'Bearer t' }, body: '{"id":1}' });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toBe('POST Bearer t {"id":1}\n');
  tell();
  expect((await reader.read()).value).toBe('second');
});

test.each(['http://127.0.0.1:9/', 'http://name.test/', 'file:///etc/passwd', 'http://169.254.169.254/'])(
  'a request to %s is refused',
  async (url) => {
    expect(await guarded(url).catch((error: { code: string }) => error.code)).toBe('url_refused');
  },
);

test('a redirect out of http is refused', async () => {
  const server = serve(() => new Response(null, { status: 307, headers: { location: 'file:///etc/passwd' } }));
  expect(await open(server.url).catch((error: { code: string }) => error.code)).toBe('url_refused');
});

test('an abort ends a stream with the caller’s reason', async () => {
  const server = serve(
    () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) })),
  );
  const controller = new AbortController();
  const response = await open(server.url, { signal: controller.signal });
  const reader = response.body!.getReader();
  await reader.read();
  controller.abort(new DOMException('stop', 'AbortError'));
  expect(await reader.read().catch((error: Error) => error.name)).toBe('AbortError');
  expect(await open(server.url, { signal: controller.signal }).catch((error: Error) => error.name)).toBe('AbortError');
});

test('a body that is not text is refused', async () => {
  expect(
    await open('http://127.0.0.1/', { method: 'POST', body: new FormData() }).catch((error: Error) => error.message),
  ).toBe('A guarded request takes a text body.');
});

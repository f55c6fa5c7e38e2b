import { afterAll, describe, expect, test } from 'bun:test';
import { CrawlSection } from '../../src/config/sections/sources.ts';
import { createCrawler } from '../../src/crawl/crawler.ts';
import { createGuardedFetch } from '../../src/crawl/guarded-fetch.ts';
import { AppError } from '../../src/errors.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { type Static, Value } from '../../src/schema.ts';

type CrawlConfig = Static<typeof CrawlSection>;
const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

function serve(handler: (request: Request) => Response | Promise<Response>) {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: handler });
  closers.push(() => server.stop(true));
  return server;
}

function crawlerWith(config: Partial<CrawlConfig> = {}) {
  const full = { ...(Value.Default(CrawlSection, {}) as CrawlConfig), allow_private_network: true, ...config };
  const crawler = createCrawler({
    config: full,
    guardedFetch: createGuardedFetch({ allowPrivateNetwork: full.allow_private_network, log: silentLogger }),
    fetch,
    clock: systemClock,
    log: silentLogger,
  });
  closers.push(() => crawler.stop());
  return crawler;
}

const never = new AbortController().signal;
const crawler = crawlerWith();

function crawlBody(body: string | Uint8Array<ArrayBuffer>, contentType: string, status = 200) {
  const server = serve(() => new Response(body, { status, headers: { 'content-type': contentType } }));
  return crawler.crawl(new URL('/dir/page.html', server.url).href, never);
}

async function failure(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

/** A one-page PDF with a title; offsets in the cross-reference table are right. */
function createPdf(text: string, title: string): Uint8Array<ArrayBuffer> {
  const stream = `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Title (${title}) >>`,
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  file += `trailer << /Size ${objects.length + 1} /Root 1 0 R /Info 6 0 R >>\nstartxref\n${start}\n%%EOF`;
  return new TextEncoder().encode(file);
}

const ARTICLE = `<!doctype html><html><head><title>Rivers of Europe</title><base href="/base/">
<style>p { color: red }</style><script>track('SCRIPT')</script></head><body>
<nav><a href="/home">NAVIGATION</a></nav>
<article><h1>Rivers</h1>
<p>The <b>Rhine</b> is a river_of_1230 km; see <a href="basel">Basel</a> and <a href="javascript:alert(1)">this</a>.</p>
<p hidden>HIDDEN ORDER</p><p style="display: none">INVISIBLE ORDER</p><!-- COMMENT ORDER -->
<table><tr><th>River</th><th>km</th></tr><tr><td>Rhine | Rhein</td><td>1230</td></tr><tr><td>Po</td><td>652</td></tr></table>
<pre><code class="language-js">let a = 1;\n\nlet b;</code></pre>
<ul><li>one</li><li>two</li></ul><img src="/rhine.png" alt="The Rhine">
${'<p>Its basin covers nine countries, from the Alps to the sea.</p>'.repeat(20)}</article>
<footer>FOOTER</footer></body></html>`;

describe('a page', () => {
  test('becomes Markdown with absolute links, tables and code, without its furniture', async () => {
    const page = await crawlBody(ARTICLE, 'text/html; charset=utf-8');
    const origin = new URL(page.url).origin;
    expect(page.title).toBe('Rivers of Europe');
    expect(page.crawled_content).toContain(
      `The **Rhine** is a river_of_1230 km; see [Basel](${origin}/base/basel) and this.`,
    );
    expect(page.crawled_content).toContain('| River | km |\n| --- | --- |\n| Rhine \\| Rhein | 1230 |\n| Po | 652 |');
    expect(page.crawled_content).toContain('```js\nlet a = 1;\n\nlet b;\n```');
    expect(page.crawled_content).toContain(`![The Rhine](${origin}/rhine.png)`);
    expect(page.crawled_content).not.toMatch(/SCRIPT|NAVIGATION|FOOTER|ORDER|color: red|javascript:|<\w/);
  });

  test('is read from XHTML, fragments and HTML sent as plain text', async () => {
    const xhtml =
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title></head><body><p>one</p></body></html>';
    expect(await crawlBody(xhtml, 'application/xhtml+xml')).toMatchObject({ title: 'X', crawled_content: 'one' });
    expect(await crawlBody('<p>only a paragraph', 'text/html')).toMatchObject({ crawled_content: 'only a paragraph' });
    expect(await crawlBody('<!DOCTYPE html><title>T</title><p>two', 'text/plain')).toMatchObject({
      title: 'T',
      crawled_content: 'two',
    });
  });

  test.each([
    ['gbk in the header', 'text/html; charset=gbk', [0xc4, 0xe3, 0xba, 0xc3], '', '你好'],
    ['gbk in a meta tag', 'text/html', [0xc4, 0xe3, 0xba, 0xc3], '<meta charset="gbk">', '你好'],
    [
      'shift_jis in an old meta tag',
      'text/html',
      [0x93, 0xfa, 0x96, 0x7b],
      '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">',
      '日本',
    ],
    ['undeclared latin', 'text/html', [0x63, 0x61, 0x66, 0xe9], '', 'café'],
    ['undeclared utf-8', 'text/html', [0x63, 0x61, 0x66, 0xc3, 0xa9], '', 'café'],
    ['an unknown name', 'text/html; charset=klingon', [0x63, 0x61, 0x66, 0xc3, 0xa9], '', 'café'],
    ['a false claim of utf-16', 'text/html', [0x63, 0x61, 0x66, 0xc3, 0xa9], '<meta charset="utf-16">', 'café'],
  ])('is decoded from %s', async (_name, contentType, bytes, head, expected) => {
    const body = Buffer.concat([
      Buffer.from(`<html><head>${head}</head><body><p>`),
      Buffer.from(bytes),
      Buffer.from('</p>'),
    ]);
    expect((await crawlBody(new Uint8Array(body), contentType)).crawled_content).toBe(expected);
  });

  test('of Markdown, text or JSON is passed on as it is', async () => {
    expect(await crawlBody('# Title #\n\n*x* <b>', 'text/markdown')).toMatchObject({
      title: 'Title',
      crawled_content: '# Title #\n\n*x* <b>',
    });
    expect(await crawlBody('plain', 'text/plain')).toMatchObject({ title: 'page.html', crawled_content: 'plain' });
    expect(await crawlBody('{"a": 1}', 'application/json')).toMatchObject({ crawled_content: '{"a": 1}' });
  });

  test('of PDF is read with its title', async () => {
    const page = await crawlBody(createPdf('Rivers flow to the sea.', 'River report'), 'application/pdf');
    expect(page).toMatchObject({ title: 'River report', crawled_content: 'Rivers flow to the sea.' });
  });

  test('has the address it was redirected to', async () => {
    const server = serve((request) =>
      request.url.endsWith('/new')
        ? new Response('moved here', { headers: { 'content-type': 'text/plain' } })
        : Response.redirect('/new', 301),
    );
    expect((await crawler.crawl(new URL('/old', server.url).href, never)).url).toBe(new URL('/new', server.url).href);
  });
});

describe('a page that cannot be read', () => {
  test.each([
    ['an empty body', '', 'text/html', 'unreadable_page'],
    ['only scripts', '<html><body><script>x()</script><nav>menu</nav></body></html>', 'text/html', 'unreadable_page'],
    ['a corrupt PDF', '%PDF-1.7 broken', 'application/pdf', 'unreadable_page'],
    ['binary data called text', 'a\u0000b', 'text/plain', 'unreadable_page'],
    ['an image', 'PNG', 'image/png', 'unsupported_type'],
    ['an archive', 'PK', 'application/zip', 'unsupported_type'],
    ['no type', 'x', '', 'unsupported_type'],
  ])('fails for %s', async (_name, body, contentType, code) => {
    expect<string>((await failure(crawlBody(body, contentType))).code).toBe(code);
  });

  test.each([
    [404, 'upstream_rejected', false],
    [403, 'upstream_rejected', false],
    [429, 'upstream_rate_limited', true],
    [503, 'upstream_unavailable', true],
  ])('fails for status %i', async (status, code, retryable) => {
    const error = await failure(crawlBody('SECRET BODY', 'text/html', status));
    expect(error).toMatchObject({ code, retryable });
    expect(error.message).not.toContain('SECRET');
  });

  test('is refused at a private address when the network is closed', async () => {
    const server = serve(() => new Response('secret'));
    const guarded = crawlerWith({ allow_private_network: false });
    expect((await failure(guarded.crawl(server.url.href, never))).code).toBe('url_refused');
    expect((await failure(guarded.crawl('not an address', never))).code).toBe('url_refused');
  });

  test('that would keep the parser busy for ever is given up, and the next one is read', async () => {
    const slow = crawlerWith({ timeout_seconds: 0.5 });
    const tangle = serve(() => new Response('<div>'.repeat(400_000), { headers: { 'content-type': 'text/html' } }));
    const busy = failure(slow.crawl(tangle.url.href, never));
    const plain = serve(() => new Response('fine', { headers: { 'content-type': 'text/plain' } }));
    expect((await slow.crawl(plain.url.href, never)).crawled_content).toBe('fine');
    expect((await busy).code).toBe('upstream_timeout');
  });

  test('is given up on abort with the caller’s reason', async () => {
    const server = serve(() => new Promise<Response>(() => undefined));
    const controller = new AbortController();
    const reason = new DOMException('stop', 'AbortError');
    setTimeout(() => controller.abort(reason), 10);
    expect(await crawler.crawl(server.url.href, controller.signal).catch((error: unknown) => error)).toBe(reason);
  });
});

test('no more pages are fetched at once than configured', async () => {
  let active = 0;
  let most = 0;
  const server = serve(async () => {
    most = Math.max(most, ++active);
    await Bun.sleep(5);
    active--;
    return new Response('page', { headers: { 'content-type': 'text/plain' } });
  });
  const limited = crawlerWith({ max_concurrency: 3 });
  await Promise.all(Array.from({ length: 12 }, () => limited.crawl(server.url.href, never)));
  expect(most).toBe(3);
});

describe('the Jina reader', () => {
  test('reads the page when its key is set', async () => {
    const seen: { path: string; authorization: string | null; accept: string | null }[] = [];
    const jina = serve((request) => {
      seen.push({
        path: request.url.slice(jina.url.href.length),
        authorization: request.headers.get('authorization'),
        accept: request.headers.get('accept'),
      });
      return Response.json({
        code: 200,
        status: 20000,
        data: { title: 'Rivers', url: 'https://example.com/final', content: '# Rivers\n\ntext' },
      });
    });
    const reader = crawlerWith({
      jina_api_key: 'jina-key',
      jina_base_url: jina.url.href,
      allow_private_network: false,
    });
    expect(await reader.crawl('https://example.com/a?b=c', never)).toEqual({
      url: 'https://example.com/final',
      title: 'Rivers',
      crawled_content: '# Rivers\n\ntext',
    });
    expect(seen).toEqual([
      { path: 'https://example.com/a?b=c', authorization: 'Bearer jina-key', accept: 'application/json' },
    ]);
    expect((await failure(reader.crawl('http://192.168.0.1/admin', never))).code).toBe('url_refused');
    expect(seen.length).toBe(1);
  });

  test.each([
    [() => new Response('no', { status: 401 }), 'upstream_rejected'],
    [() => new Response('slow down', { status: 429, headers: { 'retry-after': '7' } }), 'upstream_rate_limited'],
    [() => new Response('oops', { status: 500 }), 'upstream_unavailable'],
    [() => new Response('not json'), 'upstream_unavailable'],
    [() => Response.json({ data: null }), 'upstream_unavailable'],
    [() => Response.json({ data: { title: '', url: '', content: ' ' } }), 'unreadable_page'],
  ])('failure %# is told without its key', async (answer, code) => {
    const jina = serve(answer);
    const reader = crawlerWith({ jina_api_key: 'jina-key', jina_base_url: jina.url.href });
    const error = await failure(reader.crawl('https://example.com/', never));
    expect<string>(error.code).toBe(code);
    expect(`${error.message} ${error.cause}`).not.toContain('jina-key');
  });
});

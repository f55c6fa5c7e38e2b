import { afterAll, describe, expect, test } from 'bun:test';
import { createParsePool } from '../../src/crawl/parse-pool.ts';

const pools = new Set<{ stop(): void }>();
afterAll(() => {
  for (const pool of pools) pool.stop();
});

function createPool(options?: Parameters<typeof createParsePool>[0]) {
  const pool = createParsePool(options);
  pools.add(pool);
  return pool;
}

const page = (html: string) => ({
  url: 'https://example.com/dir/page',
  contentType: 'text/html',
  bytes: new TextEncoder().encode(html),
});
const TANGLE = '<div>'.repeat(300_000);
const options = { timeoutMs: 10_000, signal: new AbortController().signal };

describe('the parse pool', () => {
  test('reads many pages with few workers, each answer to its own question', async () => {
    const pool = createPool({ size: 2 });
    const pages = Array.from({ length: 12 }, (_, index) =>
      pool.parse(page(`<title>T${index}</title><p>text ${index}`), options),
    );
    expect(await Promise.all(pages)).toEqual(
      Array.from({ length: 12 }, (_, index) => ({ title: `T${index}`, markdown: `text ${index}` })),
    );
  });

  test('kills a busy worker on abort and goes on with a new one', async () => {
    const pool = createPool({ size: 1 });
    const controller = new AbortController();
    const reason = new DOMException('stop', 'AbortError');
    const busy = pool
      .parse(page(TANGLE), { timeoutMs: 60_000, signal: controller.signal })
      .catch((error: unknown) => error);
    const waiting = pool.parse(page('<p>next'), options);
    setTimeout(() => controller.abort(reason), 20);
    expect(await busy).toBe(reason);
    expect((await waiting).markdown).toBe('next');
  });

  test('kills a worker that takes too long', async () => {
    const pool = createPool({ size: 1 });
    const slow = await pool.parse(page(TANGLE), { ...options, timeoutMs: 20 }).catch((error: unknown) => error);
    expect(slow).toMatchObject({ code: 'upstream_timeout', retryable: false });
    expect((await pool.parse(page('<p>next'), options)).markdown).toBe('next');
  });

  test('leaves a waiting caller alone after its abort', async () => {
    const pool = createPool({ size: 1 });
    const controller = new AbortController();
    controller.abort(new DOMException('stop', 'AbortError'));
    const error = await pool
      .parse(page('<p>x'), { ...options, signal: controller.signal })
      .catch((reason: unknown) => reason);
    expect(error).toBe(controller.signal.reason);
    expect((await pool.parse(page('<p>y'), options)).markdown).toBe('y');
  });

  test('works again after its idle workers were ended', async () => {
    const pool = createPool({ size: 1, idleMs: 1 });
    expect((await pool.parse(page('<p>first'), options)).markdown).toBe('first');
    await Bun.sleep(20);
    expect((await pool.parse(page('<p>second'), options)).markdown).toBe('second');
    pool.stop();
    pool.stop();
    expect((await pool.parse(page('<p>third'), options)).markdown).toBe('third');
  });

  test('does not take a larger buffer away from its owner', async () => {
    const whole = new TextEncoder().encode('<p>part<p>rest');
    await createPool().parse({ ...page(''), bytes: whole.subarray(0, 7) }, options);
    expect(whole.byteLength).toBe(14);
  });
});

import { afterEach, describe, expect, test } from 'bun:test';
import type { EndpointConfig } from '../../src/config/sections/models.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createEmbedder } from '../../src/models/embedder.ts';
import { faults, type ModelServer, startModelServer } from '../helpers/model-server.ts';
import { embedText } from '../helpers/model-server-extras.ts';
import { failure, instantClock } from './helpers.ts';

let server: ModelServer;
afterEach(() => server?.stop());
const never = new AbortController().signal;

const start = (extra: EndpointConfig = {}, options: Parameters<typeof startModelServer>[0] = {}) => {
  server = startModelServer(options);
  const config = { model: 'e-1', base_url: server.baseUrl, api_key: 'sk-embed', ...extra };
  return createEmbedder(config, { fetch, clock: extra.timeout ? systemClock : instantClock() })!;
};

describe('embedder', () => {
  test('is absent when nothing is configured', () => {
    expect(createEmbedder(undefined, { fetch, clock: systemClock })).toBeUndefined();
    expect(createEmbedder({}, { fetch, clock: systemClock })).toBeUndefined();
  });

  test('gives one vector for each text, in order, over several batches', async () => {
    const texts = Array.from({ length: 150 }, (_, index) => `text number ${index}`);
    const vectors = await start().embed(texts, never);
    expect(vectors).toHaveLength(150);
    for (const [index, vector] of vectors.entries())
      expect(Array.from(vector)).toEqual(Array.from(embedText(texts[index]!)));
    const sizes = server.requests.map((request) => (request.body['input'] as string[]).length);
    expect(sizes.sort((a, b) => a - b)).toEqual([22, 64, 64]);
    expect(server.requests[0]!.headers.get('authorization')).toBe('Bearer sk-embed');
  });

  test('long texts make small batches, no texts make none', async () => {
    const embedder = start();
    expect(await embedder.embed([], never)).toEqual([]);
    await embedder.embed(['x'.repeat(150_000), 'y'.repeat(150_000), ''], never);
    expect(server.requests).toHaveLength(2);
  });

  test('tries again after 429 and 500, not after 401', async () => {
    const embedder = start({}, { queue: { embeddings: [faults.rateLimited('1'), ...faults.failing(1)] } });
    expect(await embedder.embed(['a'], never)).toHaveLength(1);
    expect(server.requests).toHaveLength(3);
    server.enqueue('embeddings', faults.unauthorized());
    const error = await failure(embedder.embed(['a'], never));
    expect(error).toMatchObject({ code: 'upstream_rejected' });
    expect(error.message).not.toContain('sk-');
    expect(server.requests).toHaveLength(4);
  });

  test('silence ends after the timeout, an abort at once', async () => {
    const embedder = start({ timeout: 0.03, max_retries: 0 }, { queue: { embeddings: [faults.never()] } });
    expect(await failure(embedder.embed(['a'], never))).toMatchObject({ code: 'upstream_timeout' });
    server.enqueue('embeddings', faults.never());
    const abort = new AbortController();
    const pending = embedder.embed(['a'], abort.signal);
    while (server.requests.length < 2) await Bun.sleep(1);
    abort.abort(new DOMException('left', 'AbortError'));
    expect(await pending.catch((error: Error) => error.name)).toBe('AbortError');
  });

  test.each([
    ['too few vectors', { data: [] }],
    ['a vector of other length', { data: [{ embedding: [1] }, { embedding: [1, 2] }] }],
    ['something that is not a number', { data: [{ embedding: ['x'] }, { embedding: [1] }] }],
    ['no list', { data: 'x' }],
  ])('%s are refused', async (_name, answer) => {
    const fake = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(answer) });
    try {
      const config = { model: 'e', base_url: `http://127.0.0.1:${fake.port}` };
      const embedder = createEmbedder(config, { fetch, clock: instantClock() })!;
      expect(await failure(embedder.embed(['a', 'b'], never))).toMatchObject({ code: 'upstream_rejected' });
    } finally {
      await fake.stop(true);
    }
  });
});

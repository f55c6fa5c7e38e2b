import { afterEach, describe, expect, test } from 'bun:test';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../helpers/model-server.ts';
import { collect, setUp } from './helpers.ts';

let servers: ModelServer[] = [];
const start = (options?: ModelServerOptions) => {
  const server = startModelServer(options);
  servers.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  servers = [];
});

describe('models by role', () => {
  test('without configuration every text role is the extractive engine', () => {
    const { models, extractive } = setUp({});
    expect(models.get('basic')).toBe(extractive);
    expect(models.get('reasoning')).toBe(extractive);
    expect(models.get('code')).toBe(extractive);
    expect(models.get('vision')).toBeUndefined();
    expect(models.names()).toEqual({ basic: ['extractive'] });
    expect(models.has('basic')).toBe(false);
  });

  test('an empty role counts as not configured', () => {
    expect(setUp({ basic: {}, code: { max_retries: 1 } }).models.names()).toEqual({ basic: ['extractive'] });
  });

  test('reasoning and code fall back to basic, reasoning with one notice in the log', () => {
    const { models, lines } = setUp({ basic: { model: 'b', base_url: 'http://127.0.0.1:1/v1' } });
    expect(models.get('code').name).toBe('b');
    expect(lines).toEqual([]);
    expect(models.get('reasoning').name).toBe('b');
    models.get('reasoning');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('basic model takes its place');
    expect(models.has('reasoning')).toBe(false);
  });

  test('names lists configured roles only, each with its chain', () => {
    const { models } = setUp({
      basic: { model: 'a', fallback: [{ model: 'b' }, { model: 'a', base_url: 'http://127.0.0.1:2/v1' }] },
      vision: { model: 'v' },
    });
    expect(models.names()).toEqual({ basic: ['a', 'b'], vision: ['v'] });
    expect(models.get('vision')?.name).toBe('v');
  });

  test('a key alone means OpenAI with a small model; a server needs to be told its model', () => {
    expect(setUp({ basic: { api_key: 'k' } }).models.names()).toEqual({ basic: ['gpt-4o-mini'] });
    expect(() => setUp({ basic: { base_url: 'http://localhost:8080/v1' } })).toThrow('models.basic.model is missing');
    expect(() => setUp({ basic: { model: 'm', base_url: 'localhost' } })).toThrow('base_url');
  });

  test('a role and a fallback take the address of basic, and its key only for the same host', async () => {
    const own = start();
    const other = start();
    const { models } = setUp({
      basic: {
        model: 'b',
        base_url: own.baseUrl,
        api_key: 'sk-basic',
        max_retries: 0,
        fallback: [{ model: 'f', base_url: other.baseUrl }],
      },
      code: { model: 'c' },
      reasoning: { model: 'r', base_url: other.baseUrl },
    });
    await collect(models.get('code'));
    await collect(models.get('reasoning'));
    own.enqueue('reporter', { status: 500 });
    expect((await collect(models.get('basic'))).finish).toMatchObject({ model: 'f' });
    expect(own.requests.map((request) => [request.body.model, request.headers.get('authorization')])).toEqual([
      ['c', 'Bearer sk-basic'],
      ['b', 'Bearer sk-basic'],
    ]);
    expect(other.requests.map((request) => [request.body.model, request.headers.get('authorization')])).toEqual([
      ['r', null],
      ['f', null],
    ]);
  });

  test('roles at one endpoint learn its refusals once', async () => {
    const server = start({ rejects: ['stream_options'] });
    const same = { model: 'm', base_url: server.baseUrl };
    const { models } = setUp({ basic: same, code: { ...same, temperature: 0 } });
    await collect(models.get('basic'));
    await collect(models.get('code'));
    expect(server.requests).toHaveLength(3);
  });

  test('the SDK is not loaded before the first call', () => {
    const probe = `
      const { createModels } = await import('${import.meta.dir}/../../src/models/models.ts');
      const { createEmbedder } = await import('${import.meta.dir}/../../src/models/embedder.ts');
      createModels({ config: { basic: { model: 'm', api_key: 'k' } }, fetch, clock: {}, log: {}, extractive: {} }).get('basic');
      createEmbedder({ model: 'm' }, { fetch, clock: {} });
      const loaded = Object.keys(require.cache).filter((path) => path.includes('node_modules/openai'));
      process.stdout.write(String(loaded.length));`;
    expect(Bun.spawnSync([process.execPath, '-e', probe]).stdout.toString()).toBe('0');
  });
});

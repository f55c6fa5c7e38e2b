import { describe, expect, test } from 'bun:test';
import { loadConfig } from '../../../src/config/load.ts';
import { formatRagUri, parseRagUri } from '../../../src/knowledge/providers/rag-uri.ts';
import { signVolcengine } from '../../../src/knowledge/providers/volcengine-signature.ts';
import { homeFolder } from '../../config/home-folder.ts';
import { type StoredDocument, type startQdrant, wordEmbedder } from '../../helpers/provider-servers.ts';
import { openProvider } from './open-provider.ts';

const signal = new AbortController().signal;
const bytes = (text: string) => new TextEncoder().encode(text);
const DOCUMENTS: StoredDocument[] = [
  { id: 'a', title: 'Backup policy', text: 'Backups are kept for ninety days.', description: 'About copies' },
  { id: 'b', title: 'Travel guide', text: 'Trains before flights.', description: null },
  { id: 'other-c', title: 'Lamp', text: 'The lamp is trimmed at dusk. Backups of oil.' },
];

describe('rag addresses', () => {
  test.each<[string, ReturnType<typeof parseRagUri>]>([
    ['rag://dataset/abc', { dataset: 'abc' }],
    ['rag://dataset/abc#doc', { dataset: 'abc', document: 'doc' }],
    ['rag://dataset/a%20b#c%2Fd', { dataset: 'a b', document: 'c/d' }],
    ['rag://dataset/abc#', { dataset: 'abc' }],
    ['rag://dataset/', undefined],
    ['rag://other/abc', undefined],
    ['local://abc', undefined],
    ['rag://dataset/a/b', undefined],
    ['rag://dataset/%zz', { dataset: '%zz' }],
    ['', undefined],
  ])('%s', (uri, expected) => {
    expect(parseRagUri(uri)).toEqual(expected);
    if (expected && !uri.includes('%zz')) expect(parseRagUri(formatRagUri(expected))).toEqual(expected);
  });
});

test('a Volcengine signature is that of the public algorithm', () => {
  const headers = signVolcengine({
    method: 'POST',
    url: new URL('https://api.example.com:8443/api/knowledge/collection/list?b=*&a=1%20x'),
    body: '{"a":1}',
    accessKey: 'AKLTexample',
    secretKey: 'c2VjcmV0',
    region: 'cn-north-1',
    service: 'air',
    now: Date.UTC(2024, 4, 1, 12),
  });
  expect(headers['x-date']).toBe('20240501T120000Z');
  expect(headers['authorization']).toBe(
    'HMAC-SHA256 Credential=AKLTexample/20240501/cn-north-1/air/request, SignedHeaders=content-type;host;x-content-sha256;x-date, Signature=99726d8001bdf81456d09d4d7b748103f6058a192b26a4e839501d4887e59883',
  );
});

describe('RAGFlow', () => {
  test('searches datasets of different models apart, and empty ones not at all', async () => {
    await using held = await openProvider('ragflow', {
      documents: [...DOCUMENTS, { id: 'empty', title: 'Empty', text: '' }],
    });
    const passages = await held.provider.retrieve('backups', { limit: 5, signal });
    expect(passages.map((passage) => passage.uri)).toEqual([
      'rag://dataset/a#doc-a',
      'rag://dataset/other-c#doc-other-c',
    ]);
    expect(passages[0]).toMatchObject({ title: 'Backup policy', page: 3, resourceUri: 'rag://dataset/a' });
    const asked = held.server.calls.filter(({ method }) => method === 'POST').map(({ body }) => body['dataset_ids']);
    expect(asked.map(String).sort()).toEqual(['a,b', 'other-c']);
  });

  test('narrows to a document of a dataset', async () => {
    await using held = await openProvider('ragflow', { documents: DOCUMENTS });
    const only = (resources: string[]) => held.provider.retrieve('backups', { limit: 5, resources, signal });
    expect(await only(['rag://dataset/a#doc-a'])).toHaveLength(1);
    expect(await only(['rag://dataset/a#doc-x'])).toEqual([]);
    expect(await only(['rag://dataset/a', 'rag://dataset/b#doc-b'])).toHaveLength(1);
    expect(await only(['local://elsewhere'])).toEqual([]);
  });

  test('says that a dataset is refused', async () => {
    await using held = await openProvider('ragflow', { documents: DOCUMENTS });
    const search = held.provider.retrieve('backups', { limit: 5, resources: ['rag://dataset/gone'], signal });
    expect(await search.catch((error: Error) => error.message)).toBe('RAGFlow refused the request (code 102).');
  });
});

describe('a listing', () => {
  test('is searched by words of titles and descriptions, best first', async () => {
    await using held = await openProvider('dify', { documents: DOCUMENTS });
    const list = async (query: string) =>
      (await held.provider.listResources({ query, limit: 10, signal })).map((resource) => resource.title);
    expect(await list('the travel')).toEqual(['Travel guide']);
    expect(await list('back')).toEqual(['Backup policy']);
    expect(await list('copies lamp')).toEqual(['Lamp', 'Backup policy']);
    expect(await list('nothing')).toEqual([]);
  });

  test('reads every page', async () => {
    const documents = Array.from({ length: 250 }, (_, index) => ({
      id: `d${index}`,
      title: `Doc ${index}`,
      text: 'x',
    }));
    for (const name of ['dify', 'ragflow', 'moi'] as const) {
      await using held = await openProvider(name, { documents });
      expect(await held.provider.listResources({ query: 'doc', limit: 300, signal })).toHaveLength(250);
      expect(await held.provider.listResources({ limit: 100, signal })).toHaveLength(100);
    }
  });

  test('keeps null descriptions null', async () => {
    for (const name of ['dify', 'ragflow', 'vikingdb_knowledge_base'] as const) {
      await using held = await openProvider(name, { documents: DOCUMENTS });
      const resources = await held.provider.listResources({ limit: 10, signal });
      expect(resources.map((resource) => resource.description)).toEqual(['About copies', null, null]);
    }
  });
});

describe('Dify', () => {
  test('falls back to the knowledge base’s own settings where hybrid search is refused', async () => {
    await using held = await openProvider('dify', {
      documents: [{ id: 'economy-1', title: 'Cheap', text: 'Backups of paper.' }],
    });
    expect(await held.provider.retrieve('backups', { limit: 5, signal })).toHaveLength(1);
  });

  test('cuts a question to the length Dify takes', async () => {
    await using held = await openProvider('dify', { documents: DOCUMENTS });
    await held.provider.retrieve('💥backups '.repeat(200), { limit: 5, resources: ['rag://dataset/a'], signal });
    expect([...held.server.calls.at(-1)!.body['query']].length).toBe(250);
  });

  test('says that a knowledge base is unknown', async () => {
    await using held = await openProvider('dify', { documents: DOCUMENTS });
    const search = held.provider.retrieve('backups', { limit: 5, resources: ['rag://dataset/gone'], signal });
    expect(await search.catch((error: Error) => error.message)).toBe(
      'Dify does not know the selected knowledge base (HTTP 404).',
    );
  });
});

test('VikingDB says that a collection is unknown', async () => {
  await using held = await openProvider('vikingdb_knowledge_base', { documents: DOCUMENTS });
  const search = held.provider.retrieve('backups', { limit: 5, resources: ['rag://dataset/gone'], signal });
  expect(await search.catch((error: Error) => error.message)).toBe(
    'VikingDB does not know the selected knowledge base (code 1000005).',
  );
});

describe.each(['qdrant', 'milvus'] as const)('%s', (name) => {
  const label = name === 'qdrant' ? 'Qdrant' : 'Milvus';

  test('takes, finds, replaces and removes documents', async () => {
    await using held = await openProvider(name);
    const { provider } = held;
    const long = `# Tides\n\n${'High water follows the moon. '.repeat(200)}\n\n## Ebb\n\n${'The ebb leaves pools. '.repeat(200)}`;
    const added = await provider.ingest!({ name: 'my tides.md', bytes: bytes(long) }, signal);
    expect(added).toMatchObject({ uri: `${name}://docs/my%20tides.md`, title: 'Tides' });
    await provider.ingest!({ name: 'lamp.md', bytes: bytes('# Lamp\n\nTrimmed at dusk.') }, signal);
    expect((await provider.listResources({ limit: 10, signal })).map((resource) => resource.uri).sort()).toEqual([
      `${name}://docs/lamp.md`,
      `${name}://docs/my%20tides.md`,
    ]);
    const [pool] = await provider.retrieve('ebb pools', { limit: 3, signal });
    expect(pool).toMatchObject({ resourceUri: added.uri, title: 'Tides', headingPath: ['Tides', 'Ebb'] });

    await provider.ingest!({ name: 'my tides.md', bytes: bytes('# Tides\n\nOnly one line now.') }, signal);
    const after = await provider.retrieve('ebb pools water line', { limit: 50, resources: [added.uri], signal });
    expect(after.map((passage) => passage.content)).toEqual(['# Tides\n\nOnly one line now.']);

    expect(await provider.remove!(added.uri)).toBe(true);
    expect(await provider.remove!(added.uri)).toBe(false);
    expect(await provider.listResources({ limit: 10, signal })).toHaveLength(1);
  });

  test.each([
    ['a.exe', 'x', 'unsupported_type'],
    ['a.md', '', 'empty_file'],
    ['a.pdf', 'no pdf', 'unreadable_content'],
  ])('refuses %s', async (file, text, code) => {
    await using held = await openProvider(name);
    const error = await held.provider.ingest!({ name: file, bytes: bytes(text) }, signal).catch((caught) => caught);
    expect([error.code, error.status]).toEqual([code, 400]);
  });

  test('without an embedding model it lists, and says what searching needs', async () => {
    await using held = await openProvider(name, { embedder: undefined });
    for (const work of [
      held.provider.retrieve('x', { limit: 1, signal }),
      held.provider.ingest!({ name: 'a.md', bytes: bytes('x') }, signal),
    ])
      expect(await work.catch((error: Error & { code: string }) => `${error.code}: ${error.message}`)).toBe(
        `embedding_not_configured: ${label} needs an embedding model; set models.embedding to the one its collection was made with.`,
      );
  });

  test('says that the collection is not there', async () => {
    await using held = await openProvider(name, { collection: 'nowhere' });
    const message = await held.provider.listResources({ limit: 1, signal }).catch((error: Error) => error.message);
    expect(message).toStartWith(`${label} has no collection "nowhere"`);
  });

  test('says that the vectors are of another model', async () => {
    await using held = await openProvider(name, { documents: [{ id: 'a', title: 'A', text: '# A\n\nText.' }] });
    await using other = await openProvider(name, { embedder: wordEmbedder(32) });
    other.server.fault = undefined;
    await other.provider.ingest!({ name: 'b.md', bytes: bytes('# B\n\nText.') }, signal);
    const found = held.provider.retrieve('text', { limit: 1, signal });
    expect(await found).toHaveLength(1);
    held.server.fault =
      name === 'qdrant' ? { status: 400 } : { status: 200, body: { code: 1100, message: 'dimension' } };
    const message = await held.provider.retrieve('text', { limit: 1, signal }).catch((error: Error) => error.message);
    expect(message).toContain('models.embedding must be the model that the collection "docs" was made with');
  });
});

test('Qdrant finds what DeerFlow and LangChain have stored', async () => {
  await using held = await openProvider('qdrant');
  const server = held.server as ReturnType<typeof startQdrant>;
  await held.provider.ingest!({ name: 'seed.md', bytes: bytes('# Seed\n\nSeed.') }, signal);
  const vector = [...(await wordEmbedder().embed(['harbour master'], signal))[0]!];
  const deerflow = {
    doc_id: 'example_x_chunk_0',
    url: 'qdrant://docs/har bour.md',
    title: 'Harbour',
    content: 'The harbour master.',
  };
  server.points.set('1', { id: '1', vector, payload: deerflow });
  server.points.set('2', {
    id: '2',
    vector,
    payload: { page_content: 'A harbour.', metadata: { source: 'notes/port.md' } },
  });
  server.points.set('3', { id: '3', vector, payload: {} });
  const uris = (await held.provider.listResources({ limit: 10, signal })).map((resource) => resource.uri);
  expect(uris).toContain('qdrant://docs/har%20bour.md');
  expect(uris).toContain('qdrant://docs/notes%2Fport.md');
  const found = await held.provider.retrieve('harbour master', {
    limit: 3,
    resources: ['qdrant://docs/har%20bour.md'],
    signal,
  });
  expect(found.map((passage) => passage.content)).toEqual(['The harbour master.']);
});

describe('the configuration', () => {
  const load = (env: Record<string, string>) =>
    loadConfig({ env: { AGENT_HOME: homeFolder(), ...env } }).then(
      ({ config }) => config,
      (error: Error) => error.message,
    );

  test('an unknown provider stops the start with the known ones', async () => {
    const message = await load({ RAG_PROVIDER: 'pinecone' });
    expect(message).toContain('knowledge.provider');
    expect(message).toContain('one of local, ragflow, dify, qdrant, milvus, vikingdb_knowledge_base, moi');
  });

  test.each([
    ['ragflow', ['RAGFLOW_API_URL', 'RAGFLOW_API_KEY']],
    ['dify', ['DIFY_API_URL', 'DIFY_API_KEY']],
    ['qdrant', ['QDRANT_LOCATION']],
    ['moi', ['MOI_API_URL', 'MOI_API_KEY']],
    [
      'vikingdb_knowledge_base',
      ['VIKINGDB_KNOWLEDGE_BASE_API_URL', 'VIKINGDB_KNOWLEDGE_BASE_API_AK', 'VIKINGDB_KNOWLEDGE_BASE_API_SK'],
    ],
  ])('%s names each missing setting', async (provider, variables) => {
    const message = await load({ RAG_PROVIDER: provider });
    for (const variable of variables) expect(message).toContain(`Set ${variable} or knowledge.${provider}.`);
    const set = Object.fromEntries(variables.map((variable) => [variable, 'http://127.0.0.1:1']));
    expect(await load({ RAG_PROVIDER: provider, ...set })).toHaveProperty('knowledge.provider', provider);
  });

  test('Milvus has an address of its own, and files of Milvus Lite are refused', async () => {
    expect(await load({ RAG_PROVIDER: 'milvus' })).toHaveProperty('knowledge.milvus.uri', 'http://localhost:19530');
    expect(await load({ RAG_PROVIDER: 'milvus', MILVUS_URI: './milvus_demo.db' })).toContain('knowledge.milvus.uri');
  });
});

import { describe, expect, test } from 'bun:test';
import type { KnowledgeProvider } from '../../src/knowledge/model.ts';
import { createRagRoutes } from '../../src/knowledge/routes.ts';
import { startTestServer } from '../helpers/test-server.ts';
import { makePdf } from './make-documents.ts';
import { openKnowledge } from './open-knowledge.ts';

const MAX = 200_000;

async function serve(knowledge: KnowledgeProvider, maxFileBytes = MAX) {
  return startTestServer({ mount: (base) => base.use(createRagRoutes({ knowledge, maxFileBytes })) });
}

const form = (...files: [name: string, content: BlobPart][]) => {
  const data = new FormData();
  for (const [name, content] of files) data.append('file', new File([content], name));
  return { method: 'POST', body: data };
};

describe('the knowledge endpoints', () => {
  test('name the provider', async () => {
    await using held = openKnowledge();
    await using server = await serve(held.knowledge);
    const { status, data } = await server.api.api.rag.config.get();
    expect([status, data]).toEqual([200, { provider: 'local' }]);
  });

  test('take a document and find it', async () => {
    await using held = openKnowledge();
    await using server = await serve(held.knowledge);
    const response = await server.fetch(
      '/api/rag/upload',
      form(['../../etc/tides.md', '# Tide tables\n\nHigh water at noon.']),
    );
    const resource = await response.json();
    expect(response.status).toBe(200);
    expect(resource).toEqual({ uri: resource.uri, title: 'Tide tables', description: 'High water at noon.' });
    expect(resource.uri).toMatch(/^local:\/\/tides-[0-9a-f]{8}$/);
    await server.fetch('/api/rag/upload', form(['other.pdf', makePdf([['Something about bread.']]) as BlobPart]));
    const list = async (query?: string) => {
      const { data } = await server.api.api.rag.resources.get({ query: query === undefined ? {} : { query } });
      return data?.resources;
    };
    expect((await list())?.map((each) => each.title)).toEqual(['other', 'Tide tables']);
    expect(await list('high waters')).toEqual([resource]);
    expect(await list('')).toHaveLength(2);
    expect(await list('" OR *\0')).toEqual([]);
    expect(await list('x'.repeat(5_000))).toEqual([]);
  });

  test('list at most a hundred', async () => {
    await using held = openKnowledge();
    await using server = await serve(held.knowledge);
    await Promise.all(
      Array.from({ length: 105 }, (_, index) =>
        server.fetch('/api/rag/upload', form([`d${index}.md`, `# D${index}\n\nshared`])),
      ),
    );
    for (const query of ['', '?query=shared'])
      expect((await (await server.fetch(`/api/rag/resources${query}`)).json()).resources).toHaveLength(100);
  });

  test.each<[string, () => RequestInit, number, string]>([
    ['no body', () => ({ method: 'POST' }), 422, 'invalid_request'],
    [
      'another part',
      () => ({
        method: 'POST',
        body: (() => {
          const data = new FormData();
          data.append('document', new File(['x'], 'x.md'));
          return data;
        })(),
      }),
      422,
      'invalid_request',
    ],
    ['two files', () => form(['a.md', 'a'], ['b.md', 'b']), 422, 'invalid_request'],
    [
      'JSON',
      () => ({ method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } }),
      422,
      'invalid_request',
    ],
    ['an empty name', () => rawForm('; filename=""', 'text'), 400, 'empty_name'],
    ['a part without a file name', () => rawForm('', 'text'), 400, 'empty_name'],
    ['a name of dots', () => form(['..', 'text']), 400, 'empty_name'],
    ['a wrong type', () => form(['x.exe', 'MZ']), 400, 'unsupported_type'],
    ['an empty file', () => form(['x.md', '']), 400, 'empty_file'],
    ['an unreadable file', () => form(['x.pdf', '%PDF-1.4 broken']), 400, 'unreadable_content'],
    ['a file over the limit', () => form(['x.md', 'x'.repeat(MAX + 1)]), 413, 'file_too_large'],
    [
      'a broken form',
      () => ({ method: 'POST', body: 'no form', headers: { 'content-type': 'multipart/form-data; boundary=x' } }),
      400,
      'malformed_form',
    ],
  ])('refuse %s', async (_name, request, status, code) => {
    await using held = openKnowledge();
    await using server = await serve(held.knowledge);
    const response = await server.fetch('/api/rag/upload', request());
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    const problem = await response.json();
    expect([response.status, problem.code]).toEqual([status, code]);
    expect(problem.detail).toMatch(/^[A-Z].*\.$/);
  });

  test('take a file of exactly the limit', async () => {
    await using held = openKnowledge();
    await using server = await serve(held.knowledge);
    expect((await server.fetch('/api/rag/upload', form(['x.txt', 'word '.repeat(MAX / 5)]))).status).toBe(200);
  });

  test('refuse a large body before it is sent', async () => {
    await using held = openKnowledge();
    await using server = await serve(held.knowledge);
    const announced = await server.fetch('/api/rag/upload', form(['x.md', 'x'.repeat(11 << 20)]));
    expect(announced.status).toBe(413);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1 << 20;
        if (sent > 200 << 20) controller.close();
        else controller.enqueue(new Uint8Array(1 << 20));
      },
    });
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const chunked = await server
      .fetch('/api/rag/upload', { method: 'POST', body: endless, headers })
      .catch(() => undefined);
    expect(chunked?.status ?? 413).toBe(413);
    expect(sent).toBeLessThan(100 << 20);
  });

  test('say 501 when the provider takes no documents', async () => {
    await using held = openKnowledge();
    const { ingest: _ingest, ...readOnly } = held.knowledge;
    await using server = await serve({ ...readOnly, name: 'ragflow' });
    const response = await server.fetch('/api/rag/upload', form(['x.md', '# X']));
    const problem = await response.json();
    expect([response.status, problem.code]).toEqual([501, 'ingest_unsupported']);
    expect(problem.detail).toContain('ragflow');
  });
});

function rawForm(disposition: string, content: string): RequestInit {
  const body = `--x\r\nContent-Disposition: form-data; name="file"${disposition}\r\n\r\n${content}\r\n--x--\r\n`;
  return { method: 'POST', body, headers: { 'content-type': 'multipart/form-data; boundary=x' } };
}

import { describe, expect, test } from 'bun:test';
import { createRagRoutes } from '../../../src/knowledge/routes.ts';
import { startTestServer } from '../../helpers/test-server.ts';
import { LABELS, openProvider, PROVIDERS } from './open-provider.ts';

const signal = new AbortController().signal;
const DOCUMENTS = [{ id: 'backups', title: 'Backup policy', text: 'Backups are kept for ninety days.' }];

/** What a call failed with: code, HTTP status, sentence. */
async function failure(work: Promise<unknown>): Promise<[string, number, string]> {
  const error = (await work.then(
    () => new Error('it did not fail'),
    (caught: unknown) => caught,
  )) as Error & { code: string; status: number };
  return [error.code, error.status, error.message];
}

describe.each(PROVIDERS)('%s', (name) => {
  const label = LABELS[name];
  const ask = (options: Parameters<typeof openProvider>[1] = {}) =>
    openProvider(name, { documents: DOCUMENTS, ...options });

  test('a wrong key is told with the provider’s name and never with the key', async () => {
    await using held = await ask({ documents: [], key: 'wrong-secret-key' });
    for (const work of [
      held.provider.listResources({ limit: 10, signal }),
      held.provider.retrieve('backups', { limit: 3, resources: ['rag://dataset/backups'], signal }),
    ]) {
      const [code, status, message] = await failure(work);
      expect([code, status]).toEqual(['upstream_rejected', 500]);
      expect(message).toStartWith(`${label} refused the credentials`);
      expect(message).not.toContain('wrong-secret-key');
    }
  });

  test.each([
    [500, 'upstream_unavailable'],
    [503, 'upstream_unavailable'],
    [429, 'upstream_rate_limited'],
    [403, 'upstream_rejected'],
    [302, 'upstream_rejected'],
  ])('status %d is %s and shows nothing of the answer', async (status, expected) => {
    await using held = await ask();
    held.server.fault = { status, headers: { location: 'http://127.0.0.1:1/', 'retry-after': '0' } };
    for (const work of [
      held.provider.listResources({ limit: 10, signal }),
      held.provider.retrieve('backups', { limit: 3, resources: ['rag://dataset/backups'], signal }),
    ]) {
      const [code, , message] = await failure(work);
      expect(code).toBe(expected);
      expect(message).toContain(label);
      expect(message).not.toContain('upstream-body');
    }
  });

  test('a failure that passes is tried once more', async () => {
    await using held = await ask();
    held.server.fault = { status: 503, headers: { 'retry-after': '0' }, times: 1 };
    expect(await held.provider.listResources({ limit: 10, signal })).toHaveLength(1);
  });

  test('a provider that never answers is a timeout', async () => {
    await using held = await ask({ timeoutSeconds: 1 });
    held.server.fault = 'hang';
    const [code, , message] = await failure(held.provider.listResources({ limit: 10, signal }));
    expect([code, message]).toEqual(['upstream_timeout', `${label} did not answer in time.`]);
  });

  test('a provider that is not there is unavailable', async () => {
    const held = await ask();
    await held.server[Symbol.asyncDispose]();
    const [code, , message] = await failure(held.provider.listResources({ limit: 10, signal }));
    expect([code, message]).toEqual(['upstream_unavailable', `${label} could not be reached.`]);
    // Whoever searches it hears why; nobody may take it for empty.
    expect(await held.provider.hasContent()).toBe(true);
    await held.provider.stop();
  });

  test.each(['<html>proxy</html>', '"text"', '[]', ''])('the answer %j is refused', async (body) => {
    await using held = await ask();
    held.server.fault = { status: 200, body };
    const [code, , message] = await failure(held.provider.listResources({ limit: 10, signal }));
    expect([code, message]).toEqual(['upstream_rejected', `${label} sent an answer that is not JSON.`]);
  });

  test.each([
    [{}],
    [{ code: 0, data: null, result: null }],
    [{ code: 0, data: [null, 5, {}], result: { points: [null, {}] } }],
    [{ code: 0, data: { chunks: null, collection_list: [null], result_list: [{}] }, records: [{ segment: null }] }],
  ])('empty and odd lists are no failure: %j', async (body) => {
    await using held = await ask();
    held.server.fault = { status: 200, body };
    for (const resource of await held.provider.listResources({ limit: 10, signal }))
      expect(resource.title).not.toBe('');
    expect(await held.provider.retrieve('x', { limit: 3, resources: ['rag://dataset/a'], signal })).toEqual([]);
  });

  test('an abort while the provider thinks ends the call with its reason', async () => {
    await using held = await ask();
    held.server.fault = 'hang';
    const leave = new AbortController();
    const listing = held.provider.listResources({ limit: 10, signal: leave.signal }).catch((error: unknown) => error);
    const reason = new Error('left');
    setTimeout(() => leave.abort(reason), 5);
    expect(await listing).toBe(reason);
  });

  test('its failures are the 500 of the knowledge endpoints', async () => {
    await using held = await ask();
    await using api = await startTestServer({
      mount: (base) => base.use(createRagRoutes({ knowledge: held.provider, maxFileBytes: 1_000_000 })),
    });
    expect(await (await api.fetch('/api/rag/config')).json()).toEqual({ provider: name });
    const list = (await (await api.fetch('/api/rag/resources')).json()) as { resources: { title: string }[] };
    expect(list.resources).toHaveLength(1);
    held.server.fault = { status: 400 };
    const answer = await api.fetch('/api/rag/resources');
    const problem = (await answer.json()) as { code: string; detail: string };
    expect([answer.status, problem.code]).toEqual([500, 'upstream_rejected']);
    expect(problem.detail).toContain(label);
    expect(JSON.stringify(problem)).not.toContain('upstream-body');
  });

  test('takes documents only where it can', async () => {
    await using held = await ask();
    await using api = await startTestServer({
      mount: (base) => base.use(createRagRoutes({ knowledge: held.provider, maxFileBytes: 1_000_000 })),
    });
    const form = new FormData();
    form.set('file', new File(['# Tides\n\nHigh water at noon.'], 'tides.md'));
    const answer = await api.fetch('/api/rag/upload', { method: 'POST', body: form });
    expect(answer.status).toBe(name === 'qdrant' || name === 'milvus' ? 200 : 501);
  });
});

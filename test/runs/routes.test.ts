import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startResearchApp } from '../helpers/research-app.ts';
import { scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';

let server: Awaited<ReturnType<typeof startResearchApp>>;
const hello = { agent: 'coordinator' as const, text: ['Hello.'] };
beforeAll(async () => {
  server = await startResearchApp({ models: scriptedModels({ basic: scriptedModel([hello, hello, hello]) }) });
});
afterAll(() => server[Symbol.asyncDispose]());

test.each(['0', '-1', '201', 'abc', '1.5'])('limit=%j is refused with the name of the parameter', async (limit) => {
  const answer = await server.fetch(`/api/runs?limit=${limit}`);
  expect(answer.status).toBe(422);
  const body = (await answer.json()) as { detail: string; errors: { path: string }[] };
  expect(body.detail).toContain('"limit" must be an integer');
  expect(body.errors.map((error) => error.path)).toEqual(['/limit']);
});

test('limit takes the newest runs', async () => {
  await server.chat({ messages: [{ role: 'user', content: 'hi' }], thread_id: 'first' });
  await server.chat({ messages: [{ role: 'user', content: 'hi' }], thread_id: 'second' });
  const { data } = await server.api.api.runs.get({ query: { limit: 1 } });
  expect(data?.runs.map((run) => run.thread_id)).toEqual(['second']);
  const all = (await (await server.fetch('/api/runs?limit=&thread_id=')).json()) as { runs: unknown[] };
  expect(all.runs).toHaveLength(2);
});

test('a thread id outside ASCII is percent-encoded in its header and whole everywhere else', async () => {
  const id = 'größe ✓/../a?b#c';
  const { response, frames } = await server.chat({ messages: [{ role: 'user', content: 'hi' }], thread_id: id });
  expect(response.status).toBe(200);
  expect(decodeURI(response.headers.get('x-thread-id') ?? '')).toBe(id);
  expect(frames.every((frame) => frame.data['thread_id'] === id)).toBe(true);
  const thread = await server.api.api.threads({ id: encodeURIComponent(id) }).get();
  expect(thread.data).toMatchObject({ id, messages: [{ role: 'user' }, { role: 'assistant' }] });
});

test.each(['a\nb', '\ud800', 'x'.repeat(201)])('the thread id %j is refused', async (id) => {
  const answer = await server.post({ messages: [{ role: 'user', content: 'hi' }], thread_id: id });
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({ code: 'invalid_request', errors: [{ path: '/thread_id' }] });
});

import { afterAll, beforeAll, expect, expectTypeOf, test } from 'bun:test';
import { treaty } from '@elysiajs/eden';
import type { Api } from '../../src/api.ts';
import { VERSION } from '../../src/version.ts';
import { type ModelServer, startModelServer } from '../helpers/model-server.ts';
import { EVERYTHING, PATH_WITH_NODE } from '../mcp/servers.ts';
import { type BothListeners, startBothListeners } from '../security/both-listeners.ts';

/** The typed client of the whole product, as a program or a page would use it. */
let api: ReturnType<typeof treaty<Api>>;
let server: BothListeners;
let model: ModelServer;
/** Method and path of every call. */
const calls: string[] = [];
beforeAll(async () => {
  model = startModelServer({ queue: { enhancer: [{ text: 'How do tides work?' }] } });
  server = await startBothListeners({
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'k',
    OPENAI_MODEL: 'm',
    ENABLE_MCP_SERVER_CONFIGURATION: 'true',
    MCP_REQUIRE_APPROVAL: 'false',
    MCP_SANDBOX: 'off',
    MCP_SCRIPT_DIRS: EVERYTHING.slice(0, EVERYTHING.lastIndexOf('/')),
    PATH: PATH_WITH_NODE,
  });
  api = treaty<Api>(server.api.url, {
    // Times stay the strings that the type promises.
    parseDate: false,
    onRequest: (path, { method }) => {
      calls.push(`${method} ${path.split('?')[0]}`);
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await model.stop();
});

test('the server tells its health and its configuration', async () => {
  const health = await api.health.get();
  expect(health.data).toEqual({ status: 'ok', version: VERSION, uptime_seconds: expect.any(Number) });
  const config = await api.api.config.get();
  expect(config.data).toEqual({ rag: { provider: 'local' }, models: { basic: ['m'] } });
  expectTypeOf(config.data!.models.reasoning).toEqualTypeOf<string[] | undefined>();
});

test('a document is added, listed and found', async () => {
  expect((await api.api.rag.config.get()).data).toEqual({ provider: 'local' });
  const file = new File(['# Tides\n\nHigh water at noon.'], 'tides.md');
  const added = await api.api.rag.upload.post({ file });
  expect(added.data).toEqual({ uri: added.data!.uri, title: 'Tides', description: 'High water at noon.' });
  const found = await api.api.rag.resources.get({ query: { query: 'high water' } });
  expectTypeOf(found.data!.resources[0]!.uri).toEqualTypeOf<string>();
  expect(found.data!.resources[0]).toEqual(added.data!);
});

test('a completion leaves a run and a thread behind', async () => {
  const models = await api.v1.models.get();
  const model = models.data!.data.map(({ id }) => id).find((id) => id.endsWith('quick'))!;
  expect((await api.v1.models({ id: model }).get()).data).toMatchObject({ id: model, object: 'model' });
  const messages = [{ role: 'user' as const, content: 'When is high water?' }];
  const completion = await api.v1.chat.completions.post({ model, messages });
  expect(completion.data).toMatchObject({ object: 'chat.completion' });

  const { data } = await api.api.runs.get({ query: { limit: 1 } });
  const [run] = data!.runs;
  expect(run).toMatchObject({ kind: 'quick', status: 'completed' });
  expect((await api.api.runs({ id: run!.id }).get()).data).toEqual(run!);
  const ended = [await api.api.runs({ id: run!.id }).cancel.post(), await api.api.runs({ id: run!.id }).finish.post()];
  for (const { error } of ended) expect(error).toMatchObject({ status: 409, value: { code: 'run_ended' } });

  const thread = await api.api.threads({ id: run!.thread_id }).get();
  expect(thread.data!.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect((await api.api.threads({ id: run!.thread_id }).delete()).status).toBe(204);
  expect((await api.api.threads({ id: run!.thread_id }).get()).error).toMatchObject({ status: 404 });
});

test('a prompt is improved and a report is measured', async () => {
  const enhanced = await api.api.prompt.enhance.post({ prompt: 'Write about tides.', report_style: 'news' });
  expect(enhanced.data).toEqual({ result: 'How do tides work?' });
  const evaluated = await api.api.report.evaluate.post({ content: '# Tides\n\nTwo a day.', query: 'How many?' });
  expect(evaluated.data).toMatchObject({ metrics: { has_title: true }, llm_evaluation: null });
  expectTypeOf(evaluated.data!.metrics.sections_missing).toEqualTypeOf<string[]>();
});

test('the tools of an MCP server are listed', async () => {
  const { data } = await api.api.mcp.server.metadata.post({
    transport: 'stdio',
    command: 'node',
    args: [EVERYTHING, 'stdio'],
  });
  expect(data!.tools.map(({ name }) => name)).toContain('echo');
});

test('what does not fit a schema is refused by the compiler and by the server', async () => {
  // @ts-expect-error The prompt is a text.
  const wrong = await api.api.prompt.enhance.post({ prompt: 1 });
  expect(wrong.error).toMatchObject({ status: 422, value: { code: 'invalid_request', errors: [{ path: '/prompt' }] } });
  // @ts-expect-error There is no such address.
  expect((await api.api.nothing.get()).error).toMatchObject({ status: 404 });
});

test('every endpoint of the document that answers JSON was called', async () => {
  const document = (await (await fetch(`${server.api.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, unknown> }> }>>;
  };
  const missing = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) => {
      const isJson = Object.entries(responses).some(
        ([status, { content }]) => status < '300' && content?.['application/json'],
      );
      const pattern = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`, 'i');
      return isJson && !calls.some((call) => pattern.test(call)) ? [`${method} ${path}`] : [];
    }),
  );
  expect(missing).toEqual([]);
});

import { afterEach, describe, expect, test } from 'bun:test';
import { faults, type ModelServer, type ModelServerOptions, startModelServer } from './model-server.ts';
import { gate, scriptedModel } from './scripted-model.ts';

let server: ModelServer;
const start = (options?: ModelServerOptions) => {
  server = startModelServer(options);
};
afterEach(() => server?.stop());

const post = (agent: string, body: object, signal?: AbortSignal) =>
  fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-role': agent, 'x-run-id': 'run_1' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'What is a heat pump?' }], ...body }),
    signal,
  });
const tool = (name: string) => ({
  type: 'function',
  function: {
    name,
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
});

describe('model server', () => {
  test('streams text and usage, and records the request', async () => {
    start({ queue: { reporter: [{ text: 'one two' }] } });
    const text = await (await post('reporter', { stream: true, stream_options: { include_usage: true } })).text();
    expect(text).toContain('"content":"one "');
    expect(text).toContain('"content":"two"');
    expect(text).toContain('"usage":{');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(server.of('reporter')[0]).toMatchObject({ runId: 'run_1', finished: true, aborted: false });
  });

  test('drops the connection mid-stream', async () => {
    start({ queue: { '*': [faults.dropped('a b c', 2)] } });
    const response = await post('reporter', { stream: true });
    expect(response.status).toBe(200);
    expect(response.text()).rejects.toThrow();
  });

  test('notices that the client went away', async () => {
    start({ queue: { '*': [{ text: 'a b c', hangAfter: 1 }] } });
    const abort = new AbortController();
    const response = await post('reporter', { stream: true }, abort.signal);
    abort.abort();
    expect(response.text()).rejects.toThrow();
    while (!server.requests[0]?.aborted) await Bun.sleep(1);
  });

  test('plays a research run by itself', async () => {
    start();
    const handoff = await (await post('coordinator', { tools: [tool('handoff_to_planner')] })).json();
    expect(handoff.choices[0].message.tool_calls[0].function.name).toBe('handoff_to_planner');
    const plan = await (await post('planner', {})).json();
    expect(JSON.parse(plan.choices[0].message.content).steps).toHaveLength(1);
    const step = await (await post('researcher', { tools: [tool('crawl_tool'), tool('web_search')] })).json();
    expect(step.choices[0].message.tool_calls[0].function).toEqual({
      name: 'web_search',
      arguments: '{"query":"What is a heat pump?"}',
    });
    const report = await (
      await post('reporter', { messages: [{ role: 'user', content: 'see https://example.org/a' }] })
    ).json();
    expect(report.choices[0].message.content).toContain('](https://example.org/a)');
  });

  test('refuses what its provider does not know, a wrong key and a long prompt', async () => {
    start({ rejects: ['tools'], apiKey: 'secret' });
    expect((await post('coder', { tools: [tool('x')] })).status).toBe(401);
    await server.stop();
    start({ rejects: ['tools'], contextLimit: 10 });
    expect((await (await post('coder', { tools: [tool('x')] })).json()).error.message).toContain('support tools');
    expect((await (await post('coder', {})).json()).error.code).toBe('context_length_exceeded');
  });
});

describe('scripted model', () => {
  const ask = (agent: 'planner' | 'reporter') => ({ agent, messages: [{ role: 'user' as const, content: 'q' }] });
  const never = new AbortController().signal;

  test('answers by agent and reports what was not used or not expected', async () => {
    const model = scriptedModel([{ agent: 'planner', text: ['a', 'b'] }, { agent: 'reporter' }]);
    const events = await Array.fromAsync(model.stream(ask('planner'), never));
    expect(events.map((event) => event.type)).toEqual(['text', 'text', 'finish']);
    expect(() => model.assertDone()).toThrow('unused steps: reporter');
    expect(Array.fromAsync(model.stream(ask('planner'), never))).rejects.toThrow('no step');
    await Array.fromAsync(model.stream(ask('reporter'), never));
    expect(() => model.assertDone()).toThrow('no step for a request of planner');
  });

  test('a step that waits follows the abort signal', async () => {
    const hold = gate();
    const model = scriptedModel([{ agent: 'planner', before: hold.wait }]);
    const abort = new AbortController();
    const pending = Array.fromAsync(model.stream(ask('planner'), abort.signal));
    abort.abort();
    expect(pending).rejects.toThrow('abort');
    await pending.catch(() => undefined);
    expect(model.aborted).toBe(1);
  });
});

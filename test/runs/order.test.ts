import { expect, test } from 'bun:test';
import { readUntil, startResearchApp } from '../helpers/research-app.ts';
import { gate, type ScriptedStep, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { finding, HANDOFF, plan, question, report } from '../research/script.ts';

async function app(steps: ScriptedStep[]) {
  const model = scriptedModel(steps);
  return { model, app: await startResearchApp({ models: scriptedModels({ basic: model }) }) };
}

test('an event reaches no follower before it is in the database', async () => {
  const { app: server } = await app([{ agent: 'coordinator', text: ['One', 'Two'] }]);
  await using _ = server;
  const { runs } = server.store;
  const append = runs.append.bind(runs);
  const hold = gate();
  const held = gate();
  runs.append = async (runId, input) => {
    if (input.events.some((event) => event.data.includes('Two'))) {
      held.open();
      await hold.wait();
    }
    return append(runId, input);
  };
  const response = await server.post(question());
  const follower = await server.fetch(`/api/runs/${response.headers.get('x-run-id')}/events`);
  const runId = response.headers.get('x-run-id') as string;
  await held.wait();
  const live = server.runs.live(runId);
  expect(live?.lastSeq).toBe((await runs.events(runId, 0, 10)).length);
  expect(live?.after(0)?.some((event) => event.text.includes('Two'))).toBe(false);
  const early = await readUntil(follower, (frame) => frame.data['content'] === 'One');
  expect(early.frames.some((frame) => frame.data['content'] === 'Two')).toBe(false);
  hold.open();
  expect(await response.text()).toContain('Two');
  await early.cancel();
});

test('an event that could not be written is seen by nobody', async () => {
  const { app: server } = await app([{ agent: 'coordinator', text: ['One', 'Two'] }]);
  await using _ = server;
  const { runs } = server.store;
  const append = runs.append.bind(runs);
  runs.append = async (runId, input) => {
    if (input.events.some((event) => event.data.includes('Two'))) throw new Error('no room');
    return append(runId, input);
  };
  const { raw, frames } = await server.chat(question());
  expect(raw).toContain('One');
  expect(raw).not.toContain('Two');
  expect(frames.at(-1)).toMatchObject({ event: 'error' });
});

test('a new question drops the plan that waits: feedback on it then finds none', async () => {
  const { model, app: server } = await app([HANDOFF, plan(1), { agent: 'coordinator', text: 'Hello.' }]);
  await using _ = server;
  const { frames } = await server.chat({ ...question(), thread_id: 'changed' });
  expect(frames.at(-1)?.event).toBe('interrupt');
  await server.chat({ messages: [{ role: 'user', content: 'hi' }], thread_id: 'changed' });
  expect((await server.store.threads.get('changed'))?.pending).toBeNull();
  const late = await server.chat({ thread_id: 'changed', interrupt_feedback: 'accepted' });
  expect(late.frames.map((frame) => frame.data['code'])).toEqual(['no_pending_plan']);
  model.assertDone();
});

test('a plan is dropped as soon as the new question begins, also when its run fails', async () => {
  const { app: server } = await app([HANDOFF, plan(1), { agent: 'coordinator', error: new Error('broken') }]);
  await using _ = server;
  await server.chat({ ...question(), thread_id: 'changed' });
  const failed = await server.chat({ messages: [{ role: 'user', content: 'hi' }], thread_id: 'changed' });
  expect(failed.frames.at(-1)?.event).toBe('error');
  expect((await server.store.threads.get('changed'))?.pending).toBeNull();
});

test('of two callers who cancel one pending review, one does', async () => {
  const { app: server } = await app([HANDOFF, plan(1)]);
  await using _ = server;
  const { response } = await server.chat(question());
  const runId = response.headers.get('x-run-id') as string;
  // Both have seen the plan waiting when the first of them takes it.
  const { threads } = server.store;
  const take = threads.takePending.bind(threads);
  const both = gate();
  let asked = 0;
  threads.takePending = async (id) => {
    if (++asked === 2) both.open();
    await both.wait();
    return take(id);
  };
  const answers = await Promise.all([server.runs.cancel(runId), server.runs.cancel(runId)]);
  expect(answers.toSorted()).toEqual([false, true]);
  expect(await server.store.runs.get(runId)).toMatchObject({ status: 'cancelled', errorCode: 'cancelled' });
});

test('of the calls of one answer at most sixteen run, and the model is told of those alone', async () => {
  const calls = Array.from({ length: 20 }, (_, index) => ({ name: 'web_search', args: { query: `tides ${index}` } }));
  const { model, app: server } = await app([
    HANDOFF,
    plan(1),
    { agent: 'researcher', toolCalls: calls },
    finding(),
    report(),
  ]);
  await using _ = server;
  const { frames } = await server.chat({ ...question(), auto_accepted_plan: true });
  expect(frames.filter((frame) => frame.event === 'tool_call_result')).toHaveLength(16);
  const told = model.requests.filter(({ agent }) => agent === 'researcher').at(-1)?.messages ?? [];
  expect(told.filter(({ role }) => role === 'tool')).toHaveLength(16);
  expect(told.flatMap((message) => ('toolCalls' in message ? (message.toolCalls ?? []) : []))).toHaveLength(16);
  model.assertDone();
});

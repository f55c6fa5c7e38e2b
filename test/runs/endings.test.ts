import { expect, test } from 'bun:test';
import { readUntil, startResearchApp, textOf } from '../helpers/research-app.ts';
import { gate, type ScriptedStep, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { finding, HANDOFF, plan, question, report } from '../research/script.ts';

async function app(steps: ScriptedStep[]) {
  const model = scriptedModel(steps);
  return { model, app: await startResearchApp({ models: scriptedModels({ basic: model }) }) };
}

const never = { before: () => new Promise<void>(() => undefined) };
const about = (text: string) => (request: { messages: unknown }) => JSON.stringify(request.messages).includes(text);

test.each([
  ['interrupt', 'interrupted', false],
  ['citations', 'completed', true],
])('a run has its final status in the transaction of its last event: %s', async (last, status, accepted) => {
  const { app: server } = await app([HANDOFF, plan(1), finding('Known.'), report()]);
  await using _ = server;
  const { runs } = server.store;
  const append = runs.append.bind(runs);
  const late: unknown[] = [];
  let ended = false;
  runs.append = (runId, input) => {
    if (ended) late.push(input);
    ended ||= input.events.some((event) => event.type === last);
    return append(runId, input);
  };
  runs.update = async (_runId, patch) => void late.push(patch);
  const { response, frames } = await server.chat({ ...question(), auto_accepted_plan: accepted });
  const runId = response.headers.get('x-run-id') as string;
  await server.runs.settled(runId);
  expect(frames.at(-1)?.event).toBe(last);
  expect(await runs.get(runId)).toMatchObject({ status, owner: null, leaseUntil: null });
  expect(late).toEqual([]);
});

test('cancelling a run that waits for its plan takes the plan away and leaves its events as they were', async () => {
  const { app: server } = await app([HANDOFF, plan(1)]);
  await using _ = server;
  const { response, raw, frames } = await server.chat(question());
  const runId = response.headers.get('x-run-id');
  const cancel = () => server.fetch(`/api/runs/${runId}/cancel`, { method: 'POST' });
  expect((await cancel()).status).toBe(202);
  expect(await (await server.fetch(`/api/runs/${runId}`)).json()).toMatchObject({
    status: 'cancelled',
    error: { code: 'cancelled' },
  });
  expect(await (await server.fetch(`/api/runs/${runId}/events`)).text()).toBe(raw);
  expect((await cancel()).status).toBe(409);
  const late = await server.chat({ thread_id: frames[0]?.data['thread_id'], interrupt_feedback: 'accepted' });
  expect(late.frames.map((frame) => frame.data['code'])).toEqual(['no_pending_plan']);
});

test('an interrupted run whose plan was answered is not cancelled any more', async () => {
  const { app: server } = await app([HANDOFF, plan(1), finding('Known.'), report()]);
  await using _ = server;
  const { response, frames } = await server.chat(question());
  await server.chat({ thread_id: frames[0]?.data['thread_id'], interrupt_feedback: 'accepted' });
  const cancel = await server.fetch(`/api/runs/${response.headers.get('x-run-id')}/cancel`, { method: 'POST' });
  expect(cancel.status).toBe(409);
});

test('a client that goes away after accepting can accept again; finished steps are not repeated', async () => {
  const { model, app: server } = await app([
    HANDOFF,
    plan(2),
    { ...finding('First part.'), when: about('part 1') },
    { ...finding(), ...never, when: about('part 2') },
    { ...finding('Second part.'), when: about('part 2') },
    report(),
  ]);
  await using _ = server;
  const { frames } = await server.chat(question());
  const resume = { thread_id: frames[0]?.data['thread_id'], interrupt_feedback: 'accepted' };
  const response = await server.post(resume);
  const { cancel } = await readUntil(response, (frame) => frame.data['finish_reason'] === 'stop');
  await cancel();
  await server.runs.settled(response.headers.get('x-run-id') as string);
  const again = await server.chat({ ...resume, interrupt_feedback: '[ACCEPTED]' });
  expect(again.frames.at(-1)?.event).not.toBe('error');
  expect(textOf(again.frames, 'researcher')).toBe('Second part.');
  expect(textOf(again.frames, 'reporter')).toContain('# Tides');
  model.assertDone();
});

test('a plan that waits again can be edited instead, and nothing of the dropped plan is used', async () => {
  const { model, app: server } = await app([
    HANDOFF,
    plan(2),
    { ...finding('Dropped.'), when: about('part 1') },
    { ...finding(), ...never, when: about('part 2') },
    plan(1, { title: 'Only one' }),
    { ...finding('Fresh.'), when: about('part 1') },
    report(),
  ]);
  await using _ = server;
  const { frames } = await server.chat(question());
  const thread = { thread_id: frames[0]?.data['thread_id'] };
  const response = await server.post({ ...thread, interrupt_feedback: 'accepted' });
  const { cancel } = await readUntil(response, (frame) => frame.data['finish_reason'] === 'stop');
  await cancel();
  await server.runs.settled(response.headers.get('x-run-id') as string);
  const edited = await server.chat({ ...thread, interrupt_feedback: 'Only one step' });
  expect(edited.frames.at(-1)?.event).toBe('interrupt');
  const done = await server.chat({ ...thread, interrupt_feedback: 'accepted' });
  expect(textOf(done.frames, 'researcher')).toBe('Fresh.');
  expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain('Dropped.');
  model.assertDone();
});

test('finish while the plan is made skips the review and the steps and writes the report', async () => {
  const hold = gate();
  const { model, app: server } = await app([HANDOFF, { ...plan(2), before: hold.wait }, report()]);
  await using _ = server;
  const response = await server.post(question());
  while (!model.requests.some((request) => request.agent === 'planner')) await Bun.sleep(5);
  const finish = `/api/runs/${response.headers.get('x-run-id')}/finish`;
  expect((await server.fetch(finish, { method: 'POST' })).status).toBe(202);
  hold.open();
  const text = await response.text();
  expect(text).not.toContain('event: interrupt');
  expect(text).not.toContain('failed');
  expect(text).toContain('"agent":"reporter"');
  model.assertDone();
});

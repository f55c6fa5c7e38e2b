import { expect, test } from 'bun:test';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFrames, readUntil, startResearchApp, textOf } from '../helpers/research-app.ts';
import { gate, type ScriptedStep, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { finding, HANDOFF, plan, question, report, search } from '../research/script.ts';

async function app(steps: ScriptedStep[], options: Partial<Parameters<typeof startResearchApp>[0]> = {}) {
  const model = scriptedModel(steps);
  return { model, app: await startResearchApp({ models: scriptedModels({ basic: model }), ...options }) };
}

const newHome = () => mkdtemp(join(tmpdir(), 'agent-runs-'));
const never = { before: () => new Promise<void>(() => undefined) };

test('the replay of a finished run is byte-identical to its live stream, whole and after any event', async () => {
  const { app: server } = await app([HANDOFF, plan(2), search(), search(), finding(), finding(), report()]);
  await using _ = server;
  const { response, raw, frames } = await server.chat({ ...question(), auto_accepted_plan: true });
  const runId = response.headers.get('x-run-id');
  const replay = async (lastEventId?: string) => {
    const headers: Record<string, string> = lastEventId ? { 'last-event-id': lastEventId } : {};
    return (await server.fetch(`/api/runs/${runId}/events`, { headers })).text();
  };
  expect(await replay()).toBe(raw);
  for (const [index, frame] of frames.entries()) {
    expect(await replay(frame.id)).toBe(
      frames
        .slice(index + 1)
        .map((entry) => entry.raw)
        .join(''),
    );
  }
});

test('a follower that joins in the middle sees the past, then the rest live, without gap or duplicate', async () => {
  const hold = gate();
  const { app: server } = await app([HANDOFF, plan(1), finding(), { ...report(), before: hold.wait }]);
  await using _ = server;
  const response = await server.post({ ...question(), auto_accepted_plan: true });
  const runId = response.headers.get('x-run-id');
  const live = response.text();
  const follower = await server.fetch(`/api/runs/${runId}/events`);
  hold.open();
  expect(await follower.text()).toBe(await live);
});

test('a client that goes away cancels the run and aborts the model call', async () => {
  const { model, app: server } = await app([HANDOFF, { ...plan(1), ...never }]);
  await using _ = server;
  const response = await server.post(question());
  const runId = response.headers.get('x-run-id') as string;
  const { cancel } = await readUntil(response, (frame) => frame.data['agent'] === 'coordinator');
  while (!model.requests.some((request) => request.agent === 'planner')) await Bun.sleep(5);
  await cancel();
  await server.runs.settled(runId);
  expect(model.aborted).toBe(1);
  const run = await (await server.fetch(`/api/runs/${runId}`)).json();
  expect(run).toMatchObject({ id: runId, status: 'cancelled', error: { code: 'cancelled' } });
});

test('a client that goes away leaves the run alone when it asked for that', async () => {
  const hold = gate();
  const { app: server } = await app([HANDOFF, plan(1), { ...finding(), before: hold.wait }, report()]);
  await using _ = server;
  const response = await server.post({ ...question(), auto_accepted_plan: true, on_disconnect: 'continue' });
  const runId = response.headers.get('x-run-id') as string;
  const { cancel } = await readUntil(response, (frame) => frame.data['agent'] === 'planner');
  await cancel();
  hold.open();
  const replay = parseFrames(await (await server.fetch(`/api/runs/${runId}/events`)).text());
  expect(replay.at(-1)?.event).toBe('citations');
  expect(await (await server.fetch(`/api/runs/${runId}`)).json()).toMatchObject({ status: 'completed' });
});

test('cancel answers 202, ends the stream with a cancelled error, and 409 afterwards', async () => {
  const { app: server } = await app([HANDOFF, { ...plan(1), ...never }]);
  await using _ = server;
  const response = await server.post(question());
  const runId = response.headers.get('x-run-id');
  expect((await server.fetch(`/api/runs/${runId}/cancel`, { method: 'POST' })).status).toBe(202);
  const frames = parseFrames(await response.text());
  expect(frames.at(-1)?.event).toBe('error');
  expect(frames.at(-1)?.data).toMatchObject({ code: 'cancelled', reason: 'cancelled' });
  expect((await server.fetch(`/api/runs/${runId}/cancel`, { method: 'POST' })).status).toBe(409);
});

test('finish stops researching and writes the report from what is known', async () => {
  const slow: ScriptedStep = {
    ...finding(),
    ...never,
    when: (request) => JSON.stringify(request.messages).includes('part 2'),
  };
  const { model, app: server } = await app([HANDOFF, plan(2), slow, finding('Known.'), report()]);
  await using _ = server;
  const response = await server.post({ ...question(), auto_accepted_plan: true });
  const runId = response.headers.get('x-run-id');
  while (model.requests.filter((request) => request.agent === 'researcher').length < 2) await Bun.sleep(5);
  expect((await server.fetch(`/api/runs/${runId}/finish`, { method: 'POST' })).status).toBe(202);
  const frames = parseFrames(await response.text());
  expect(textOf(frames, 'reporter')).toContain('# Tides');
  expect(textOf(frames, 'researcher')).toContain('The step "Step 2" failed');
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Known.');
});

test('usage is added up by model and by agent', async () => {
  const { app: server } = await app([HANDOFF, plan(1), finding(), report()]);
  await using _ = server;
  const { response } = await server.chat({ ...question(), auto_accepted_plan: true });
  const run = (await (await server.fetch(`/api/runs/${response.headers.get('x-run-id')}`)).json()) as {
    usage: unknown;
  };
  expect(run.usage).toEqual({
    input_tokens: 40,
    output_tokens: 20,
    by_model: { scripted: { input_tokens: 40, output_tokens: 20 } },
    by_agent: Object.fromEntries(
      ['coordinator', 'planner', 'researcher', 'reporter'].map((agent) => [
        agent,
        { input_tokens: 10, output_tokens: 5 },
      ]),
    ),
  });
});

test('runs are listed newest first, by thread when asked, and a thread shows its whole story', async () => {
  const { app: server } = await app([
    { agent: 'coordinator', text: 'Hi.', times: 3 },
    HANDOFF,
    plan(1),
    search(),
    finding(),
    report(),
  ]);
  await using _ = server;
  const ids: string[] = [];
  for (const thread of ['a', 'b', 'a']) {
    const { response } = await server.chat({ messages: [{ role: 'user', content: 'hi' }], thread_id: thread });
    ids.push(response.headers.get('x-run-id') as string);
  }
  const list = async (query: string) =>
    ((await (await server.fetch(`/api/runs${query}`)).json()) as { runs: { id: string }[] }).runs.map((run) => run.id);
  expect(await list('')).toEqual([...ids].reverse());
  expect(await list('?limit=1')).toEqual([ids[2] as string]);
  expect(await list('?thread_id=a')).toEqual([ids[2] as string, ids[0] as string]);
  expect((await server.fetch('/api/runs?limit=0')).status).toBe(422);
  await server.chat({ ...question(), thread_id: 'a', auto_accepted_plan: true });
  const thread = (await (await server.fetch('/api/threads/a')).json()) as Record<string, any>;
  expect(thread['messages'].map((message: any) => message.role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
  expect(thread['report']).toContain('# Tides');
  expect(thread['plan'].title).toBe('Tides');
  expect(thread['citations'][0].url).toBe('https://example.org/tides');
  expect(thread['pending']).toBeNull();
  expect((await server.fetch('/api/threads/a', { method: 'DELETE' })).status).toBe(204);
  expect((await server.fetch('/api/threads/a')).status).toBe(404);
  expect((await server.fetch('/api/threads/a', { method: 'DELETE' })).status).toBe(404);
  expect(await list('')).toEqual([ids[1] as string]);
});

test('unknown runs are 404 and a foreign Last-Event-ID is 400', async () => {
  const { app: server } = await app([{ agent: 'coordinator', text: 'Hi.' }]);
  await using _ = server;
  for (const path of ['/api/runs/x', '/api/runs/x/events', '/api/threads/x'])
    expect((await server.fetch(path)).status).toBe(404);
  for (const verb of ['cancel', 'finish']) {
    expect((await server.fetch(`/api/runs/x/${verb}`, { method: 'POST' })).status).toBe(404);
  }
  const { response } = await server.chat(question());
  const path = `/api/runs/${response.headers.get('x-run-id')}/events`;
  for (const id of ['run_other:3', 'abc', '-1']) {
    expect((await server.fetch(path, { headers: { 'last-event-id': id } })).status).toBe(400);
  }
});

test('a shutdown tells the stream, parks the run, and the next process goes on without repeating', async () => {
  const home = await newHome();
  const first = await app([HANDOFF, plan(2), finding('One.'), { ...finding(), ...never }], { home, keep: true });
  const response = await first.app.post({ ...question(), auto_accepted_plan: true, on_disconnect: 'continue' });
  const runId = response.headers.get('x-run-id') as string;
  const body = response.text();
  while (!(await first.app.store.runs.journal(runId)).has('i0:step0')) await Bun.sleep(5);
  await first.app.stop();
  const frames = parseFrames(await body);
  expect(frames.at(-1)).toMatchObject({ id: undefined, event: 'error' });
  expect(frames.at(-1)?.data).toMatchObject({ code: 'shutting_down' });

  const second = await app([finding('Two.'), report()], { home });
  await using _ = second.app;
  const rest = await (
    await second.app.fetch(`/api/runs/${runId}/events`, { headers: { 'last-event-id': frames.at(-2)?.id ?? '' } })
  ).text();
  expect(parseFrames(rest).at(-1)?.event).toBe('citations');
  const whole = parseFrames(await (await second.app.fetch(`/api/runs/${runId}/events`)).text());
  expect(whole.map((frame) => frame.id)).toEqual(whole.map((_frame, index) => `${runId}:${index + 1}`));
  expect(whole.some((frame) => frame.data['code'] === 'shutting_down')).toBe(false);
  expect(JSON.stringify(second.model.requests.at(-1)?.messages)).toContain('One.');
  second.model.assertDone();
});

test('a shutdown ends a run whose client did not ask to continue', async () => {
  const home = await newHome();
  const first = await app([HANDOFF, { ...plan(1), ...never }], { home, keep: true });
  const response = await first.app.post(question());
  const runId = response.headers.get('x-run-id') as string;
  await first.app.stop();
  const second = await app([], { home });
  await using _ = second.app;
  expect(await (await second.app.fetch(`/api/runs/${runId}`)).json()).toMatchObject({
    status: 'cancelled',
    error: { code: 'shutting_down' },
  });
});

test('an interrupt survives a restart', async () => {
  const home = await newHome();
  const first = await app([HANDOFF, plan(1)], { home, keep: true });
  await first.app.chat({ ...question(), thread_id: 'later' });
  await first.app.stop();
  const second = await app([finding(), report()], { home });
  await using _ = second.app;
  const { frames } = await second.app.chat({ thread_id: 'later', interrupt_feedback: 'accepted' });
  expect(frames.at(-1)?.event).toBe('citations');
});

test('a database that cannot be written ends the stream with an error, and the next request works', async () => {
  const { app: server } = await app([
    { agent: 'coordinator', text: ['a', 'b'], before: () => lock() },
    { agent: 'coordinator', text: 'Fine.' },
  ]);
  await using _ = server;
  const { Database } = await import('bun:sqlite');
  const other = new Database(join(server.home, 'agent.db'));
  const lock = () => {
    other.exec('DROP TABLE run_journal');
  };
  const { response, frames } = await server.chat({ messages: [{ role: 'user', content: 'hi' }] });
  expect(response.status).toBe(200);
  expect(frames.at(-1)?.event).toBe('error');
  expect(frames.at(-1)?.data['error']).toBe('Internal server error');
  other.exec(
    'CREATE TABLE run_journal (run_id TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run_id, key))',
  );
  other.close();
  const next = await server.chat({ messages: [{ role: 'user', content: 'hi' }] });
  expect(textOf(next.frames, 'coordinator')).toBe('Fine.');
});

test('a database that cannot begin a run is a 500 before any stream', async () => {
  const { app: server } = await app([{ agent: 'coordinator', text: 'Fine.' }]);
  await using _ = server;
  const { Database } = await import('bun:sqlite');
  const other = new Database(join(server.home, 'agent.db'));
  other.exec('ALTER TABLE runs RENAME TO hidden');
  const response = await server.post(question());
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ detail: 'Internal server error' });
  other.exec('ALTER TABLE hidden RENAME TO runs');
  other.close();
  expect((await server.chat(question())).response.status).toBe(200);
});

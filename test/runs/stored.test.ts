import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFrames, startResearchApp, textOf } from '../helpers/research-app.ts';
import { scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { finding, report } from '../research/script.ts';

const FIXTURES = join(import.meta.dir, '../fixtures/stored');
const BAD: { what: string; sql: string; code: string }[] = await Bun.file(join(FIXTURES, 'bad.json')).json();

/** An app on a database as the release of `version` left it, after `change`. */
async function appOn(version: number, change?: string) {
  const home = await mkdtemp(join(tmpdir(), 'agent-stored-'));
  const db = new Database(join(home, 'agent.db'), { create: true });
  const dump = await Bun.file(join(FIXTURES, `${version}.sql`)).text();
  db.exec(`PRAGMA synchronous = OFF; BEGIN; ${dump} COMMIT`);
  if (change) db.exec(change);
  const runs = db.query<{ id: string; thread_id: string }, []>('SELECT id, thread_id FROM runs').all();
  const events = db.query<{ run_id: string; seq: number; type: string; data: string }, []>(
    'SELECT run_id, seq, type, data FROM run_events ORDER BY run_id, seq',
  );
  const stored = events.all();
  db.close();
  const model = scriptedModel([finding('Known.'), report()]);
  const app = await startResearchApp({ models: scriptedModels({ basic: model }), home });
  const runOf = (threadId: string) => runs.find((run) => run.thread_id === threadId)?.id as string;
  return { app, model, runOf, stored };
}

test.each([0, 1])('format %d: a finished run is replayed byte for byte', async (version) => {
  const { app, runOf, stored } = await appOn(version);
  await using _ = app;
  const id = runOf('finished');
  const frames = stored
    .filter((event) => event.run_id === id)
    .map(({ seq, type, data }) => `id: ${id}:${seq}\nevent: ${type}\ndata: ${data}\n\n`);
  expect(frames.length).toBeGreaterThan(5);
  expect(await (await app.fetch(`/api/runs/${id}/events`)).text()).toBe(frames.join(''));
  const thread = await (await app.fetch('/api/threads/finished')).json();
  expect(thread).toMatchObject({ pending: null, report: expect.stringContaining('run') });
});

test.each([0, 1])(
  'format %d: a plan that waits is accepted, and what was finished is not repeated',
  async (version) => {
    const { app, model } = await appOn(version);
    await using _ = app;
    const { frames } = await app.chat({ thread_id: 'waiting', interrupt_feedback: 'accepted' });
    expect(frames.map((frame) => frame.event)).not.toContain('error');
    expect(textOf(frames, 'reporter')).toContain('# Tides');
    expect(model.requests.map((request) => request.agent)).toEqual(['researcher', 'reporter']);
    model.assertDone();
  },
);

test.each(BAD)('$what is refused as $code, wherever it is read', async ({ sql, code }) => {
  const { app, runOf, model } = await appOn(1, sql);
  await using _ = app;
  const replay = parseFrames(await (await app.fetch(`/api/runs/${runOf('finished')}/events`)).text());
  const isEvent = sql.startsWith('UPDATE run_events');
  if (isEvent) expect(replay.map((frame) => frame.data['code']).filter(Boolean)).toEqual([code]);
  else expect(replay.at(-1)?.event).toBe('citations');
  if (isEvent) return;
  const response = await app.post({ thread_id: 'waiting', interrupt_feedback: 'accepted' });
  const told = response.ok ? parseFrames(await response.text()).at(-1)?.data : await response.json();
  expect(told).toMatchObject({ code });
  expect(model.requests).toEqual([]);
  // The answer can be given again once the row is mended, or the right version is back.
  expect((await app.store.threads.get('waiting'))?.pending).toMatchObject({ kind: 'plan' });
});

test('a waiting run of a newer release is left to it, and the others go on', async () => {
  const waits = `UPDATE runs SET status = 'queued', on_disconnect = 'continue', version = 2 WHERE thread_id = 'waiting';
    UPDATE runs SET status = 'queued', on_disconnect = 'continue' WHERE thread_id = 'finished';`;
  const { app, runOf } = await appOn(1, waits);
  await using _ = app;
  await app.runs.settled(runOf('finished'));
  expect((await app.store.runs.get(runOf('finished')))?.status).toBe('completed');
  expect(await app.store.runs.get(runOf('waiting'))).toMatchObject({ status: 'queued', owner: null, attempts: 0 });
});

test('a waiting run whose journal cannot be read ends with its code, and holds up no other', async () => {
  const broken = `UPDATE runs SET status = 'queued', on_disconnect = 'continue';
    UPDATE run_journal SET version = 2 WHERE run_id IN (SELECT id FROM runs WHERE thread_id = 'waiting');`;
  const { app, runOf } = await appOn(1, broken);
  await using _ = app;
  await Promise.all(['finished', 'waiting'].map((thread) => app.runs.settled(runOf(thread))));
  expect(await app.store.runs.get(runOf('waiting'))).toMatchObject({ status: 'failed', errorCode: 'stored_newer' });
  expect((await app.store.runs.get(runOf('finished')))?.status).toBe('completed');
});

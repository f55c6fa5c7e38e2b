import { afterAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { systemClock } from '../../src/lib/clock.ts';
import { createStore } from '../../src/store/create-store.ts';
import { storeContract } from '../contract/store.ts';
import { startPostgres } from '../helpers/postgres.ts';
import { startResearchApp } from '../helpers/research-app.ts';
import { scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { finding, HANDOFF, plan, question, report } from '../research/script.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.stop());

if (postgres) {
  const open = async () => {
    const store = createStore({ url: postgres.url, home: '/tmp', clock: systemClock });
    await store.start();
    return store;
  };
  storeContract('PostgreSQL', async () => {
    const store = await open();
    return { store, second: open, close: () => store.stop() };
  });

  test('a schema of a newer release is refused by name', async () => {
    await (await open()).stop();
    const sql = new SQL(postgres.url);
    await sql`UPDATE agent_schema SET version = version + 97`;
    await expect(open()).rejects.toMatchObject({ code: 'database_newer' });
    await sql`UPDATE agent_schema SET version = version - 97`;
    await sql.close();
  });

  test('a plan made on one replica is accepted on another', async () => {
    const first = scriptedModel([HANDOFF, plan(1)]);
    await using one = await startResearchApp({ models: scriptedModels({ basic: first }), databaseUrl: postgres.url });
    const second = scriptedModel([finding(), report()]);
    await using two = await startResearchApp({ models: scriptedModels({ basic: second }), databaseUrl: postgres.url });
    const planned = await one.chat({ ...question(), thread_id: 'replicas' });
    expect(planned.frames.at(-1)?.event).toBe('interrupt');
    const { frames, raw, response } = await two.chat({ thread_id: 'replicas', interrupt_feedback: 'accepted' });
    expect(frames.at(-1)?.event).toBe('citations');
    const replay = await one.fetch(`/api/runs/${response.headers.get('x-run-id')}/events`);
    expect(await replay.text()).toBe(raw);
  });

  test('replicas that start together create the schema once', async () => {
    const stores = await Promise.all([open(), open(), open()]);
    await Promise.all(stores.map((store) => store.stop()));
  });
} else {
  test.skip('PostgreSQL is not installed (apt-get install postgresql)', () => undefined);
}

test('a server that is not there is named without its password', async () => {
  const store = createStore({ url: 'postgres://me:hunter2@127.0.0.1:1/none', home: '/tmp', clock: systemClock });
  const failure = await store.start().then(
    () => undefined,
    (error: Error) => error,
  );
  expect(failure?.message).toBe('The PostgreSQL database cannot be opened.');
  expect(String(failure)).not.toContain('hunter2');
});

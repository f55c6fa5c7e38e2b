import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { NewRun, Store } from '../../src/store/store.ts';

const newRun = (id: string, over: Partial<NewRun> = {}): NewRun => ({
  id,
  threadId: `thread-${id}`,
  kind: 'test',
  status: 'running',
  input: '{"a":1}',
  onDisconnect: 'cancel',
  owner: 'me',
  leaseUntil: 1000,
  ...over,
});
const event = (seq: number, data = '{}') => ({ seq, type: 'message_chunk', data });

/** What every engine behind the store must do; `open` gives a started store on an empty database. */
export function storeContract(
  name: string,
  open: () => Promise<{ store: Store; second: () => Promise<Store>; close(): Promise<void> }>,
): void {
  describe(`store on ${name}`, () => {
    let env: Awaited<ReturnType<typeof open>>;
    let store: Store;
    beforeAll(async () => {
      env = await open();
      store = env.store;
    }, 60_000);
    afterAll(async () => env.close());

    test('a run comes back as it was created', async () => {
      await store.runs.create(newRun('r1'));
      expect(await store.runs.get('r1')).toMatchObject({
        ...newRun('r1'),
        usage: { input_tokens: 0, output_tokens: 0, by_model: {}, by_agent: {} },
        errorCode: null,
        cancelRequested: false,
        finishRequested: false,
        attempts: 0,
      });
      expect(await store.runs.get('none')).toBeUndefined();
    });

    test('a second run with the same id is refused and changes nothing', async () => {
      await store.runs.create(newRun('twice'));
      await expect(store.runs.create(newRun('twice', { input: '{}' }))).rejects.toThrow();
      expect((await store.runs.get('twice'))?.input).toBe('{"a":1}');
    });

    test('events, journal, patch and thread change of one append are written together or not at all', async () => {
      await store.runs.create(newRun('r2'));
      await store.runs.append('r2', {
        events: [event(1, '{"text":"a\\u0000b 界 😀"}')],
        journal: [{ key: 'k', value: { deep: ['\u0000', '界'] } }],
        patch: { status: 'completed', owner: null, leaseUntil: null, cancelRequested: true },
        thread: {
          report: 'R',
          citations: [{ url: 'u' }],
          appendMessages: [{ role: 'user', content: 'q', createdAt: 5 }],
        },
      });
      expect(await store.runs.events('r2', 0, 10)).toEqual([event(1, '{"text":"a\\u0000b 界 😀"}')]);
      expect(await store.runs.journal('r2')).toEqual(new Map([['k', { deep: ['\u0000', '界'] }]]));
      expect(await store.runs.get('r2')).toMatchObject({
        status: 'completed',
        owner: null,
        leaseUntil: null,
        cancelRequested: true,
      });
      expect(await store.threads.get('thread-r2')).toMatchObject({ report: 'R', citations: [{ url: 'u' }] });

      const clash = store.runs.append('r2', { events: [event(2), event(1)], journal: [{ key: 'k2', value: 1 }] });
      await expect(clash).rejects.toThrow();
      expect(await store.runs.lastSeq('r2')).toBe(1);
      expect((await store.runs.journal('r2')).has('k2')).toBe(false);
    });

    test('one failing write does not fail its neighbours', async () => {
      await store.runs.create(newRun('n1'));
      await store.runs.create(newRun('n2'));
      await store.runs.append('n1', { events: [event(1)] });
      const results = await Promise.allSettled([
        store.runs.append('n1', { events: [event(1)] }),
        store.runs.append('n2', { events: [event(1)] }),
      ]);
      expect(results.map((result) => result.status)).toEqual(['rejected', 'fulfilled']);
      expect(await store.runs.lastSeq('n2')).toBe(1);
    });

    test('events are read in order, after a number, up to a limit', async () => {
      await store.runs.create(newRun('r3'));
      for (let seq = 1; seq <= 12; seq++) await store.runs.append('r3', { events: [event(seq)] });
      const seqs = async (after: number, limit: number) =>
        (await store.runs.events('r3', after, limit)).map(({ seq }) => seq);
      expect(await seqs(0, 3)).toEqual([1, 2, 3]);
      expect(await seqs(9, 100)).toEqual([10, 11, 12]);
      expect(await seqs(12, 100)).toEqual([]);
      expect(await store.runs.lastSeq('r3')).toBe(12);
      expect(await store.runs.lastSeq('none')).toBe(0);
    });

    test('a resumed run inherits the journal of the interrupted one, and its answer', async () => {
      await store.runs.create(newRun('old'), { journal: [{ key: 'a', value: 1 }] });
      await store.runs.create(newRun('new'), {
        inheritJournalFrom: 'old',
        journal: [
          { key: 'review', value: 'yes' },
          { key: 'a', value: 2 },
        ],
      });
      expect(await store.runs.journal('new')).toEqual(
        new Map<string, unknown>([
          ['a', 2],
          ['review', 'yes'],
        ]),
      );
      expect(await store.runs.journal('old')).toEqual(new Map<string, unknown>([['a', 1]]));
    });

    test('runs are listed newest first and by thread', async () => {
      for (const id of ['z1', 'z2', 'z3'])
        await store.runs.create(newRun(id, { threadId: id === 'z2' ? 'other' : 'listed' }));
      expect((await store.runs.list({ limit: 10, threadId: 'listed' })).map((run) => run.id)).toEqual(['z3', 'z1']);
      expect((await store.runs.list({ limit: 2 })).map((run) => run.id)).toEqual(['z3', 'z2']);
    });

    test('a heartbeat extends the lease of its owner only and brings the requests of others', async () => {
      await store.runs.create(newRun('beat'));
      expect(await store.runs.heartbeat('beat', 'me', 5000)).toEqual({
        cancelRequested: false,
        finishRequested: false,
      });
      await store.runs.update('beat', { finishRequested: true });
      expect(await store.runs.heartbeat('beat', 'me', 6000)).toEqual({ cancelRequested: false, finishRequested: true });
      expect(await store.runs.heartbeat('beat', 'thief', 9000)).toBeUndefined();
      expect((await store.runs.get('beat'))?.leaseUntil).toBe(6000);
    });

    test('queued, expired and dead runs can be claimed, by one of two', async () => {
      await store.runs.create(newRun('c-queued', { status: 'queued', owner: null, leaseUntil: null }));
      await store.runs.create(newRun('c-alive', { owner: 'alive', leaseUntil: 9e15 }));
      await store.runs.create(newRun('c-dead', { owner: 'dead', leaseUntil: 9e15 }));
      await store.runs.create(newRun('c-expired', { owner: 'alive', leaseUntil: 10 }));
      await store.runs.create(newRun('c-done', { status: 'completed', owner: null, leaseUntil: null }));
      expect(await store.runs.owners()).toEqual(expect.arrayContaining(['alive', 'dead']));
      const waiting = await store.runs.claimable({ now: 500, deadOwners: ['dead'], limit: 100 });
      expect(waiting.map((run) => run.id).filter((id) => id.startsWith('c-'))).toEqual([
        'c-queued',
        'c-dead',
        'c-expired',
      ]);
      const queued = waiting.find((run) => run.id === 'c-queued');
      if (!queued) throw new Error('c-queued is missing');
      const second = await env.second();
      const claims = await Promise.all([store.runs.claim(queued, 'one', 99), second.runs.claim(queued, 'two', 99)]);
      await second.stop();
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await store.runs.get('c-queued')).toMatchObject({
        status: 'running',
        attempts: 1,
        owner: claims[0] ? 'one' : 'two',
      });
    });

    test('messages keep their order, are appended or replaced, and carry any JSON', async () => {
      const say = (content: unknown) => ({ role: 'user' as const, content, createdAt: 1 });
      await store.threads.update('t1', {
        appendMessages: [say('a'), { ...say({ text: 'b', images: ['i'] }), agent: 'x', role: 'assistant' }],
      });
      await store.threads.update('t1', { appendMessages: [say('c')] });
      expect((await store.threads.get('t1'))?.messages).toEqual([
        say('a'),
        { role: 'assistant', agent: 'x', content: { text: 'b', images: ['i'] }, createdAt: 1 },
        say('c'),
      ]);
      await store.threads.update('t1', { replaceMessages: [say('z')] });
      expect((await store.threads.get('t1'))?.messages).toEqual([say('z')]);
    });

    test('what waits again does not replace something newer', async () => {
      const older = { runId: 'old', kind: 'plan' as const, key: 'k' };
      const newer = { runId: 'new', kind: 'tool' as const, key: 'k' };
      await store.threads.update('t3', { pendingAgain: older });
      expect((await store.threads.get('t3'))?.pending).toEqual(older);
      await store.threads.update('t3', { pending: newer });
      await store.threads.update('t3', { pendingAgain: older });
      expect((await store.threads.get('t3'))?.pending).toEqual(newer);
    });

    test('of two takers of a pending interrupt one gets it', async () => {
      const pending = { runId: 'r', kind: 'plan' as const, key: 'k' };
      await store.threads.update('t2', { pending });
      expect((await store.threads.get('t2'))?.pending).toEqual(pending);
      const second = await env.second();
      const taken = await Promise.all([store.threads.takePending('t2'), second.threads.takePending('t2')]);
      await second.stop();
      expect(taken.filter(Boolean)).toEqual([pending]);
      expect((await store.threads.get('t2'))?.pending).toBeNull();
    });

    test('deleting a thread removes its runs, events and journal', async () => {
      await store.runs.create(newRun('gone', { threadId: 't3' }), { journal: [{ key: 'a', value: 1 }] });
      await store.runs.append('gone', { events: [event(1)] });
      expect(await store.threads.delete('t3')).toBe(true);
      expect(await store.threads.delete('t3')).toBe(false);
      expect(await store.runs.get('gone')).toBeUndefined();
      expect(await store.runs.events('gone', 0, 10)).toEqual([]);
      expect((await store.runs.journal('gone')).size).toBe(0);
    });

    test('hostile text is data', async () => {
      const text = `'); DROP TABLE runs; -- $1 ? :x`;
      await store.runs.create(newRun('evil', { threadId: text, input: JSON.stringify(text) }));
      expect((await store.runs.get('evil'))?.threadId).toBe(text);
    });

    test('many writers at once lose nothing', async () => {
      await store.runs.create(newRun('many'));
      await Promise.all(
        Array.from({ length: 200 }, (_, index) => store.runs.append('many', { events: [event(index + 1)] })),
      );
      expect((await store.runs.events('many', 0, 500)).length).toBe(200);
    });

    test('the check passes on a living database', async () => {
      await store.check();
    });
  });
}

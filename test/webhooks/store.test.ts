import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteWebhookStore } from '../../src/store/webhook-store.ts';
import type { NewEvent, RouteSnapshot } from '../../src/webhooks/event-record.ts';
import { TestClock } from './gateway.ts';

let folder = '';
const open: SqliteWebhookStore[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhook-store-'));
});
afterEach(async () => {
  for (const store of open.splice(0)) await store.stop();
  await rm(folder, { recursive: true, force: true });
});

const snapshot: RouteSnapshot = {
  skills: [],
  deliver: 'log',
  deliverExtra: {},
  deliverOnly: false,
  rawLimit: 4000,
  scriptTimeoutMs: 1000,
  mode: 'quick',
};
const clock = new TestClock();

function start(owner = 'host:1:a', isDeadOwner = (_owner: string) => false): SqliteWebhookStore {
  const store = new SqliteWebhookStore({ path: join(folder, 'webhooks.db'), clock, owner, isDeadOwner });
  store.start();
  open.push(store);
  return store;
}

function event(key: string, options: Partial<NewEvent> = {}): NewEvent {
  const id = `evt_${crypto.randomUUID()}`;
  return {
    id,
    route: 'gh',
    event: 'push',
    deliveryId: key,
    dedupe: { key, ttlMs: 3_600_000 },
    status: 'queued',
    stage: 'run',
    body: new TextEncoder().encode('{"a":1}'),
    snapshot,
    runId: id.replace('evt', 'run'),
    ...options,
  };
}

describe('the memory of deliveries', () => {
  const outcomes = async (store: SqliteWebhookStore, from: number, to: number) => {
    const results = await Promise.all(
      Array.from({ length: to - from }, (_, index) => store.accept(event(`key-${from + index}`))),
    );
    return new Set(results.map((result) => result.outcome));
  };

  test('holds over many thousand events, restarts, and what other processes write', async () => {
    const first = start();
    expect(await outcomes(first, 0, 9000)).toEqual(new Set(['accepted']));
    expect(await outcomes(first, 0, 9000)).toEqual(new Set(['duplicate']));
    const second = start('host:2:b');
    expect(await outcomes(second, 0, 9000)).toEqual(new Set(['duplicate']));
    expect(await outcomes(second, 9000, 9100)).toEqual(new Set(['accepted']));
    expect(await outcomes(first, 9000, 9100)).toEqual(new Set(['duplicate']));
    await first.stop();
    await second.stop();
    const third = start('host:3:c');
    expect(third.list({ limit: 10_000 }).length).toBe(9100);
    expect(await outcomes(third, 0, 9100)).toEqual(new Set(['duplicate']));
  }, 30_000);

  test('of two processes with one event at once, one accepts it', async () => {
    const stores = [start('host:1:a'), start('host:2:b')];
    for (let round = 0; round < 50; round++) {
      const results = await Promise.all(stores.map((store) => store.accept(event(`round-${round}`))));
      expect(results.map((result) => result.outcome).sort()).toEqual(['accepted', 'duplicate']);
    }
  });

  test('a write that fails takes no key with it', async () => {
    const store = start();
    const taken = event('one');
    await store.accept(taken);
    const [good, bad] = await Promise.allSettled([
      store.accept(event('two')),
      store.accept({ ...event('three'), id: taken.id }),
    ]);
    expect(good).toMatchObject({ status: 'fulfilled', value: { outcome: 'accepted' } });
    expect(bad).toMatchObject({ status: 'rejected' });
    expect((await store.accept(event('three'))).outcome).toBe('accepted');
    expect((await store.accept(event('two'))).outcome).toBe('duplicate');
  });

  test('ends with its time, and a failed event is free before', async () => {
    const store = start();
    const first = event('k');
    await store.accept(first);
    expect(store.isSeen('k')).toBe(true);
    await store.update(first.id, { status: 'failed' });
    expect(store.isSeen('k')).toBe(false);
    expect(await store.accept(event('k'))).toMatchObject({ outcome: 'retried', id: first.id });
    clock.offset += 3_600_001;
    const later = event('k');
    expect(await store.accept(later)).toMatchObject({ outcome: 'accepted', id: later.id });
    expect((await store.accept(event('k'))).outcome).toBe('duplicate');
  });

  test('what was signed beside a time is one event under any key, until it failed', async () => {
    const store = start();
    const signed = { time: Math.floor(clock.now() / 1000), digest: 'd' };
    const first = event('first', { dedupe: { key: 'first', ttlMs: 1, signed } });
    expect((await store.accept(first)).outcome).toBe('accepted');
    clock.offset += 1000;
    const again = (key: string, other = signed) =>
      store.accept(event(key, { dedupe: { key, ttlMs: 3_600_000, signed: other } }));
    expect(await again('second')).toEqual({ outcome: 'duplicate', id: first.id });
    expect((await again('later', { ...signed, time: signed.time + 1 })).outcome).toBe('accepted');
    await store.update(first.id, { status: 'failed' });
    expect(await again('third')).toMatchObject({ outcome: 'retried', id: first.id });
    expect(await start('host:2:b').accept(event('fourth', { dedupe: { key: 'fourth', ttlMs: 1, signed } }))).toEqual({
      outcome: 'duplicate',
      id: first.id,
    });
  });

  test('signed times that nobody believes any more leave the memory, a part at a time', async () => {
    const store = start();
    const count = () => {
      using db = new Database(join(folder, 'webhooks.db'), { readonly: true });
      return db.query<{ n: number }, []>('SELECT count(*) AS n FROM webhook_signed').get()?.n;
    };
    const at = (time: number, digest: string) =>
      store.accept(event(digest, { dedupe: { key: digest, ttlMs: 1, signed: { time, digest } } }));
    const now = Math.floor(clock.now() / 1000);
    for (let index = 0; index < 5; index++) await at(now - 3600, `old-${index}`);
    await at(now - 300, 'believed');
    expect(await store.prune(0, 3)).toBe(3);
    expect(await store.prune(0, 3)).toBe(2);
    expect(count()).toBe(1);
  });

  test('entries that no longer count leave the index', async () => {
    const store = start();
    await outcomes(store, 0, 4500);
    const count = () => {
      const db = new Database(join(folder, 'webhooks.db'), { readonly: true });
      const row = db.query<{ n: number }, []>('SELECT count(*) AS n FROM webhook_keys').get();
      db.close();
      return row?.n ?? -1;
    };
    expect(count()).toBeGreaterThan(3999);
    await store.prune(0, 100);
    expect(count()).toBeGreaterThan(3999);
    clock.offset += 3_600_001;
    for (let part = 0; part < 6; part++) await store.prune(0, 100);
    expect(count()).toBe(0);
  });
});

describe('claims', () => {
  test('one event is claimed once, oldest first, skipped routes later', async () => {
    const [a, b] = [start('host:1:a'), start('host:2:b')] as const;
    await a.accept(event('1', { route: 'x' }));
    await a.accept(event('2', { route: 'y' }));
    expect((await a.claim({ skipRoutes: ['x'] }))?.deliveryId).toBe('2');
    const [one, two] = await Promise.all([a.claim({ skipRoutes: [] }), b.claim({ skipRoutes: [] })]);
    expect([one?.deliveryId, two?.deliveryId].filter(Boolean)).toEqual(['1']);
  });

  test('a living owner keeps its events until the lease ends, a dead one loses them at once', async () => {
    const dead = new Set<string>();
    const a = start('host:1:a');
    const b = start('host:2:b', (owner) => dead.has(owner));
    await a.accept(event('1'));
    await a.claim({ skipRoutes: [] });
    expect(await b.recover()).toBe(0);
    dead.add('host:1:a');
    expect(await b.recover()).toBe(1);
    expect((await b.claim({ skipRoutes: [] }))?.attempts).toBe(1);
    dead.clear();
    const c = start('host:3:c');
    clock.offset += 61_000;
    expect(await c.recover()).toBe(1);
  });
});

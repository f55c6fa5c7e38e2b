import { expect, test } from 'bun:test';
import { Gate } from '../../src/lib/gate.ts';

const open = () => new Gate({ limit: 1, maxWaiting: 2, what: 'tests' });

test('callers wait in order, and those beyond the queue are refused with 503', async () => {
  const gate = open();
  const first = await gate.enter();
  const order: number[] = [];
  const waiting = [1, 2].map((number) => gate.run(async () => void order.push(number)));
  const refused = await gate.enter().catch((error) => error);
  expect(refused).toMatchObject({ status: 503, code: 'overloaded' });
  expect(refused.message).toContain('tests');
  first();
  await Promise.all(waiting);
  expect(order).toEqual([1, 2]);
});

test('a caller that gives up leaves its place in the queue to the next', async () => {
  const gate = open();
  const first = await gate.enter();
  const gone = new AbortController();
  const waiting = gate.enter(gone.signal);
  const last = gate.run(async () => 'last');
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  first();
  expect(await last).toBe('last');
});

test('work that fails gives its place back, and giving it back twice counts once', async () => {
  const gate = open();
  await expect(gate.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  const leave = await gate.enter();
  leave();
  leave();
  const held = await gate.enter();
  let isIn = false;
  const next = gate.run(async () => {
    isIn = true;
  });
  await Promise.resolve();
  expect(isIn).toBe(false);
  held();
  await next;
});

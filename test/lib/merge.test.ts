import { expect, test } from 'bun:test';
import { mergeGenerators } from '../../src/lib/merge.ts';
import { gate } from '../helpers/scripted-model.ts';

async function* counted(name: string, count: number, wait?: () => Promise<void>): AsyncGenerator<string, string> {
  for (let index = 0; index < count; index++) {
    await wait?.();
    yield `${name}${index}`;
  }
  return name;
}

async function drain<T, R>(generator: AsyncGenerator<T, R>): Promise<{ items: T[]; result: R }> {
  const items: T[] = [];
  for (;;) {
    const next = await generator.next();
    if (next.done) return { items, result: next.value };
    items.push(next.value);
  }
}

test('results come in the order given, items as they come', async () => {
  const hold = gate();
  const merged = mergeGenerators([counted('slow', 1, hold.wait), counted('fast', 2)], 2);
  expect((await merged.next()).value).toBe('fast0');
  hold.open();
  const { items, result } = await drain(merged);
  expect(items.toSorted()).toEqual(['fast1', 'slow0']);
  expect(result).toEqual(['slow', 'fast']);
});

test('at most `limit` generators are open at once', async () => {
  let open = 0;
  let most = 0;
  async function* one(): AsyncGenerator<number, void> {
    most = Math.max(most, ++open);
    yield open;
    open--;
  }
  await drain(mergeGenerators(Array.from({ length: 6 }, one), 2));
  expect(most).toBe(2);
});

test('an error closes the others', async () => {
  let closed = false;
  async function* long(): AsyncGenerator<number, void> {
    try {
      for (let index = 0; ; index++) yield index;
    } finally {
      closed = true;
    }
  }
  // biome-ignore lint/correctness/useYield: the point is that it fails first
  async function* bad(): AsyncGenerator<number, void> {
    throw new Error('bad');
  }
  await expect(drain(mergeGenerators([long(), bad()], 2))).rejects.toThrow('bad');
  await Bun.sleep(1);
  expect(closed).toBe(true);
});

test('nothing to merge is nothing', async () => {
  expect(await drain(mergeGenerators([], 3))).toEqual({ items: [], result: [] });
});

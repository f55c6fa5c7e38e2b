import { expect, test } from 'bun:test';
import { coalesce } from '../../src/lib/coalesce.ts';
import { gate } from '../helpers/scripted-model.ts';

const join = (first: string, second: string) => first + second;

async function collect(source: AsyncIterable<string>): Promise<string[]> {
  const items: string[] = [];
  for await (const item of source) items.push(item);
  return items;
}

async function* quickly(items: string[]): AsyncGenerator<string> {
  yield* items;
}

test('the first item leaves at once, what follows in the interval is joined', async () => {
  expect(await collect(coalesce(quickly(['a', 'b', 'c', 'd']), 1000, join))).toEqual(['a', 'bcd']);
});

test('an interval of 0 passes everything on', async () => {
  expect(await collect(coalesce(quickly(['a', 'b', 'c']), 0, join))).toEqual(['a', 'b', 'c']);
});

test('a held item does not wait for the next one', async () => {
  const hold = gate();
  async function* stalls(): AsyncGenerator<string> {
    yield 'a';
    yield 'b';
    await hold.wait();
    yield 'c';
  }
  const items = coalesce(stalls(), 10, join);
  expect((await items.next()).value).toBe('a');
  expect((await items.next()).value).toBe('b');
  hold.open();
  expect((await items.next()).value).toBe('c');
});

test('items that must stay apart are not joined', async () => {
  const apart = (first: string, second: string) => (second === '|' ? undefined : first + second);
  expect(await collect(coalesce(quickly(['a', 'b', '|', 'c']), 1000, apart))).toEqual(['a', 'b', '|c']);
});

test('a failure of the source arrives after what it sent', async () => {
  async function* fails(): AsyncGenerator<string> {
    yield 'a';
    yield 'b';
    throw new Error('gone');
  }
  const items = coalesce(fails(), 1000, join);
  expect((await items.next()).value).toBe('a');
  expect((await items.next()).value).toBe('b');
  await expect(items.next()).rejects.toThrow('gone');
});

test('closing closes the source', async () => {
  let closed = false;
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield 'x';
    } finally {
      closed = true;
    }
  }
  const items = coalesce(endless(), 10, join);
  await items.next();
  await items.return(undefined);
  await Bun.sleep(1);
  expect(closed).toBe(true);
});

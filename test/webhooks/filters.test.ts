import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFilterFiles } from '../../src/webhooks/filter-file.ts';
import { compileFilters } from '../../src/webhooks/filters.ts';
import { createRegexEngine } from '../../src/webhooks/regex.ts';

let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'filters-'));
  await writeFile(join(home, 'list.json'), '["opened", 7, {"a": 1}]');
  await writeFile(join(home, 'keys.json'), '{"opened": 1, "42": true}');
  await writeFile(join(home, 'lines.txt'), '\uFEFFopened\r\n\n  closed  \n42\n');
});
afterAll(() => rm(home, { recursive: true, force: true }));

const payload = {
  action: 'opened',
  number: 42,
  nothing: null,
  labels: ['bug', 'ui', { name: 'x' }],
  sender: { login: 'octo', tags: { admin: true } },
  event: { id: 'e1' },
};
const warnings: string[] = [];

async function compile(spec: unknown) {
  const filter = compileFilters(spec, {
    files: createFilterFiles(home),
    regex: createRegexEngine(),
    warn: (message) => void warnings.push(message),
  });
  await filter.prepare();
  return filter;
}
async function matches(spec: unknown, custom: Record<string, unknown> = payload) {
  const filter = await compile(spec);
  return filter.matches({ payload: custom, eventType: 'issues', headers: new Headers({ 'X-Trace': 'abc' }) });
}

describe('operators', () => {
  const rows: [unknown, boolean][] = [
    [{ field: 'action', equals: 'opened' }, true],
    [{ field: 'payload.action', equals: 'opened' }, true],
    [{ field: 'action', equals: 'closed' }, false],
    [{ field: 'number', equals: '42' }, false],
    [{ field: 'missing', equals: null }, false],
    [{ field: 'nothing', equals: null }, true],
    [{ field: 'sender', equals: { tags: { admin: true }, login: 'octo' } }, true],
    [{ field: 'missing', not_equals: 'x' }, true],
    [{ field: 'action', not_equals: 'opened' }, false],
    [{ field: 'labels', contains: 'bug' }, true],
    [{ field: 'labels', contains: { name: 'x' } }, true],
    [{ field: 'sender.tags', contains: 'admin' }, true],
    [{ field: 'sender.tags', contains: 'toString' }, false],
    [{ field: 'action', contains: 'pen' }, true],
    [{ field: 'number', contains: 4 }, true],
    [{ field: 'missing', contains: '' }, false],
    [{ field: 'nothing', exists: true }, true],
    [{ field: 'missing', exists: true }, false],
    [{ field: 'missing', exists: false }, true],
    [{ field: 'missing', missing: true }, true],
    [{ field: 'action', missing: false }, true],
    [{ field: 'action', in: ['opened', 'closed'] }, true],
    [{ field: 'action', in: [] }, false],
    [{ field: 'missing', in: [null] }, false],
    [{ field: 'action', in_file: 'list.json' }, true],
    [{ field: 'number', in_file: 'list.json' }, false],
    [{ field: 'action', in_file: 'keys.json' }, true],
    [{ field: 'number', in_file: 'keys.json' }, true],
    [{ field: 'action', in_file: 'lines.txt' }, true],
    [{ field: 'number', in_file: 'lines.txt' }, true],
    [{ field: 'missing', in_file: 'lines.txt' }, false],
    [{ field: 'action', regex: '^open' }, true],
    [{ field: 'action', regex: 'ened$' }, true],
    [{ field: 'action', regex: '^x' }, false],
    [{ field: 'number', regex: '^4\\d$' }, true],
    [{ field: 'missing', regex: '.*' }, false],
    [{ field: 'labels.0', equals: 'bug' }, true],
    [{ field: 'labels[2].name', equals: 'x' }, true],
    [{ field: 'event', equals: 'issues' }, true],
    [{ field: 'event.id', equals: 'e1' }, true],
    [{ field: 'headers.x-trace', equals: 'abc' }, true],
    [{ field: 'headers.X-TRACE', exists: true }, true],
    [{ field: 'headers.Nope', missing: true }, true],
    [{ field: 'constructor', exists: true }, false],
    [{ field: 'sender.__proto__', exists: true }, false],
    [{ field: 'action', contains: 'open', not_equals: 'reopened' }, true],
  ];
  test.each(rows)('%p: %p', async (spec, expected) => {
    expect(await matches(spec)).toBe(expected);
  });
});

describe('groups', () => {
  const yes = { field: 'action', equals: 'opened' };
  const no = { field: 'action', equals: 'x' };
  test.each([
    [[yes, yes], true],
    [[yes, no], false],
    [{ all: [yes, yes] }, true],
    [{ all: [] }, true],
    [{ any: [no, yes] }, true],
    [{ any: [] }, false],
    [{ not: no }, true],
    [{ not: { any: [no, { all: [yes, no] }] } }, true],
  ])('%p: %p', async (spec, expected) => {
    expect(await matches(spec)).toBe(expected as boolean);
  });
});

describe('invalid filters never match and are reported', () => {
  test.each([
    ['text'],
    [null],
    [{ field: 'action' }],
    [{ equals: 'opened' }],
    [{ field: 'action', equal: 'opened' }],
    [{ field: 'action', in: 'opened' }],
    [{ field: 'action', exists: 'yes' }],
    [{ field: 'action', regex: '(' }],
    [{ field: 'action', regex: '(?=look)' }],
    [{ field: 'action', regex: 5 }],
    [{ all: { field: 'action', equals: 'opened' } }],
    [{ not: { field: 'action', typo: 1 } }],
    [{ not: { any: [{ field: 'action', typo: 1 }] } }],
    [{ not: { field: 'action', regex: '(' } }],
    [JSON.parse(`${'{"not":'.repeat(50)}{"field":"action","equals":"x"}${'}'.repeat(50)}`)],
  ])('%p', async (spec) => {
    const filter = await compile(spec);
    expect(filter.problems.length).toBeGreaterThan(0);
    expect(filter.matches({ payload, eventType: 'issues', headers: new Headers() })).toBe(false);
  });

  test('a valid member of any still counts beside an invalid one', async () => {
    expect(await matches({ any: [{ typo: 1 }, { field: 'action', equals: 'opened' }] })).toBe(true);
  });

  test('an unreadable file never matches, not even negated', async () => {
    expect(await matches({ field: 'action', in_file: 'absent.txt' })).toBe(false);
    expect(await matches({ not: { field: 'action', in_file: 'absent.txt' } })).toBe(false);
    expect(warnings.at(-1)).toContain('in_file');
  });
});

test('a pattern that backtracks elsewhere is done at once on 50 kB', async () => {
  const filter = await compile({ field: 'text', regex: '(a+)+$' });
  const start = performance.now();
  const custom = { text: `${'a'.repeat(50_000)}b` };
  expect(filter.matches({ payload: custom, eventType: 'x', headers: new Headers() })).toBe(false);
  expect(performance.now() - start).toBeLessThan(500);
});

test('a big pattern on a big text is given up instead of stalling', async () => {
  const filter = await compile({ not: { field: 'text', regex: '([a-z]{1,200}){1,5}$' } });
  const start = performance.now();
  expect(filter.matches({ payload: { text: 'a'.repeat(1_000_000) }, eventType: 'x', headers: new Headers() })).toBe(
    false,
  );
  expect(performance.now() - start).toBeLessThan(500);
});

test('a changed file is read again', async () => {
  const path = join(home, 'changing.txt');
  await writeFile(path, 'opened');
  const filter = await compile({ field: 'action', in_file: 'changing.txt' });
  const input = { payload, eventType: 'x', headers: new Headers() };
  expect(filter.matches(input)).toBe(true);
  await writeFile(path, 'closed');
  await utimes(path, new Date(), new Date(Date.now() + 5000));
  await filter.prepare();
  expect(filter.matches(input)).toBe(false);
});

test('explain says which condition held', async () => {
  const filter = await compile([
    { field: 'action', equals: 'opened' },
    { field: 'number', equals: 1 },
  ]);
  const explained = filter.explain({ payload, eventType: 'issues', headers: new Headers() });
  expect(explained.map(({ matched }) => matched)).toEqual([true, false]);
});

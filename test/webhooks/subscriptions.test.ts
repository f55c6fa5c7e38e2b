import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  appendFile,
  chmod,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { withFileLock } from '../../src/store/file-lock.ts';
import { createFilterFiles } from '../../src/webhooks/filter-file.ts';
import { createRegexEngine } from '../../src/webhooks/regex.ts';
import { RouteTable } from '../../src/webhooks/route-table.ts';
import { webhookSettings } from '../../src/webhooks/settings.ts';
import { buildRecord } from '../../src/webhooks/subscribe.ts';
import { readSubscriptions, SUBSCRIPTION_FILE, updateSubscriptions } from '../../src/webhooks/subscription-file.ts';
import { webhookConfig } from './gateway.ts';

let home = '';
let file = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'subscriptions-'));
  file = join(home, SUBSCRIPTION_FILE);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const lock = <T>(path: string, work: () => Promise<T>) => withFileLock(path, { clock: systemClock }, work);
const put = (name: string, record: unknown) =>
  updateSubscriptions(home, lock, (subscriptions) => {
    subscriptions[name] = record;
  });
const mode = async (path: string) => (await stat(path)).mode & 0o777;

describe('the file', () => {
  test('is 0600, also when an older one was wider, and leaves no temporary file', async () => {
    await writeFile(file, '{"old":{"secret":"s"}}', { mode: 0o644 });
    await chmod(file, 0o666);
    await put('a', { secret: 's' });
    expect(await mode(file)).toBe(0o600);
    expect(Object.keys(await readSubscriptions(home))).toEqual(['old', 'a']);
    expect((await readdir(home)).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  test('unknown keys and odd names survive', async () => {
    await writeFile(file, '{"a":{"secret":"s","mine":{"x":[1]}},"__proto__":{"secret":"p"},"B ad":1}');
    await put('b', {});
    const text = await readFile(file, 'utf8');
    expect(JSON.parse(text)).toEqual(
      JSON.parse('{"a":{"secret":"s","mine":{"x":[1]}},"__proto__":{"secret":"p"},"B ad":1,"b":{}}'),
    );
    expect(text).toContain('"__proto__"');
  });

  test('a link stays a link', async () => {
    const elsewhere = join(home, 'dotfiles.json');
    await writeFile(elsewhere, '{}');
    await symlink(elsewhere, file);
    await put('a', {});
    expect(JSON.parse(await readFile(elsewhere, 'utf8'))).toEqual({ a: {} });
  });

  test.each(['{"a":', '[]', '"x"', ''])(
    'with the content %p nothing is written and a backup is named',
    async (text) => {
      await writeFile(file, text);
      const failed = await put('a', {}).catch((error: Error) => error);
      expect(failed).toMatchObject({ code: 'subscriptions_corrupt' });
      const backup = /backup is in (\S+);/.exec((failed as Error).message)?.[1] ?? '';
      expect(await readFile(backup, 'utf8')).toBe(text);
      expect(await mode(backup)).toBe(0o600);
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );

  test('bytes that are no UTF-8 are corruption and stand in the backup as they were', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":{"description":"'), Buffer.from([0xe9]), Buffer.from('"}}')]);
    await writeFile(file, bytes);
    const failed = await put('b', {}).catch((error: Error) => error);
    expect(failed).toMatchObject({ code: 'subscriptions_corrupt' });
    expect(await readFile(/backup is in (\S+);/.exec((failed as Error).message)?.[1] ?? '')).toEqual(bytes);
    expect(await readFile(file)).toEqual(bytes);
  });

  test('a byte order mark is no corruption', async () => {
    await writeFile(file, '\uFEFF{"a":{}}');
    expect(await readSubscriptions(home)).toEqual({ a: {} });
  });

  test('nothing is written when the change is refused', async () => {
    await writeFile(file, '{"a":{}}');
    await updateSubscriptions(home, lock, () => {
      throw new Error('refused');
    }).catch(() => undefined);
    expect(await readFile(file, 'utf8')).toBe('{"a":{}}');
    await put('b', {});
  });

  test('many writers of one process lose nothing', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => put(`n${index}`, {})));
    expect(Object.keys(await readSubscriptions(home)).length).toBe(20);
  });
});

describe('buildRecord', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  test('a new record has a generated secret and the defaults', () => {
    const record = buildRecord(undefined, {}, now);
    expect(record).toMatchObject({ events: [], deliver: 'log', created_at: '2026-01-01T00:00:00.000Z' });
    expect(Buffer.from(String(record['secret']), 'base64url').length).toBe(32);
    expect(buildRecord(undefined, {}, now)['secret']).not.toBe(record['secret']);
  });

  test('an update keeps what it does not set, hand-written keys too', () => {
    const stored = {
      secret: 's',
      prompt: 'p',
      created_at: 'then',
      deliver_extra: { chat_id: '1', thread: '2' },
      mode: 'research',
      mine: 1,
    };
    expect(buildRecord(stored, { description: 'd', chatId: '9' }, now)).toMatchObject({
      ...stored,
      description: 'd',
      deliver_extra: { chat_id: '9', thread: '2' },
    });
  });

  test('--deliver-only needs a real target, of the request or of the record', () => {
    for (const request of [{ deliverOnly: true }, { deliverOnly: true, deliver: 'log' }])
      expect(() => buildRecord(undefined, request, now)).toThrow(
        '--deliver-only requires --deliver to be a real target',
      );
    expect(buildRecord({ deliver: 'slack' }, { deliverOnly: true }, now)['deliver_only']).toBe(true);
    expect(() => buildRecord({ deliver: 'slack', deliver_only: true }, { deliver: 'log' }, now)).toThrow('real target');
  });

  test('--no-deliver-only goes back to agent runs', () => {
    const direct = { deliver: 'slack', deliver_only: true };
    expect(buildRecord(direct, { prompt: 'p' }, now)['deliver_only']).toBe(true);
    expect(buildRecord(direct, { deliverOnly: false, deliver: 'log' }, now)['deliver_only']).toBe(false);
  });

  test('an update of a record without a usable secret generates one', () => {
    for (const secret of ['', '  ', null, 5])
      expect(String(buildRecord({ secret }, {}, now)['secret'])).toMatch(/^[\w-]{43}$/);
  });

  test('a secret that is set ends a rotation', () => {
    expect(buildRecord({ secret: 'a', secrets: ['a', 'b'] }, { secret: 'c' }, now)).not.toHaveProperty('secrets');
    expect(buildRecord({ secret: 'a', secrets: ['a', 'b'] }, { prompt: 'c' }, now)).toHaveProperty('secrets');
  });
});

describe('RouteTable', () => {
  const logged: string[] = [];
  function table(routes: Record<string, unknown> = {}, variables: Record<string, string> = {}) {
    logged.length = 0;
    const created = new RouteTable({
      home,
      settings: webhookSettings(webhookConfig({ routes, secret: 'global' }).platforms.webhook),
      isLoopback: false,
      variables,
      log: createLogger({ level: 'debug', format: 'json', write: (line) => void logged.push(line) }),
      filterTools: { files: createFilterFiles(home), regex: createRegexEngine(), warn: () => undefined },
    });
    created.start();
    return created;
  }
  const write = (subscriptions: unknown) => writeFile(file, JSON.stringify(subscriptions));

  test('a change is seen at the next request: new, replaced in the same instant, deleted', async () => {
    const routes = table();
    expect(routes.find('a')).toBeUndefined();
    await write({ a: { secret: '1' } });
    routes.refresh();
    expect(routes.find('a')?.secrets).toEqual([{ value: '1' }]);
    const { mtime, atime } = await stat(file);
    await writeFile(`${file}.new`, JSON.stringify({ a: { secret: '2' } }));
    await (await import('node:fs/promises')).utimes(`${file}.new`, atime, mtime);
    await rename(`${file}.new`, file);
    routes.refresh();
    expect(routes.find('a')?.secrets).toEqual([{ value: '2' }]);
    await rm(file);
    routes.refresh();
    expect(routes.find('a')).toBeUndefined();
  });

  test('a broken file leaves the last good routes, and the repaired one is read', async () => {
    await write({ a: { secret: '1' } });
    const routes = table();
    await truncate(file, 10);
    routes.refresh();
    expect(routes.find('a')).toBeDefined();
    expect(logged.join()).toContain('last good ones stay');
    await rm(file);
    await write({ b: { secret: '1' } });
    routes.refresh();
    expect([routes.find('a'), routes.find('b')?.name]).toEqual([undefined, 'b']);
    await appendFile(file, 'x');
    routes.refresh();
    expect(routes.find('b')).toBeDefined();
  });

  test('static routes win and keep their tools; dynamic ones get none', async () => {
    await write({ gh: { secret: 'dynamic' }, dyn: { secret: 's', toolsets: ['code'] } });
    const routes = table({ gh: { secret: 'static', toolsets: ['code'] } });
    expect(routes.find('gh')).toMatchObject({
      source: 'static',
      secrets: [{ value: 'static' }],
      work: { toolsets: ['code'] },
    });
    expect(routes.find('dyn')?.work.toolsets).toBeUndefined();
  });

  test('one bad record is skipped with a warning and stops no other', async () => {
    const bad = {
      text: 'x',
      list: [],
      nul: null,
      events: { secret: 's', events: 5 },
      prompt: { secret: 's', prompt: {} },
      scheme: { secret: 's', scheme: 'rot13' },
      extra: { secret: 's', deliver_extra: 'x' },
      number: { secret: 5 },
      open: { secret: 'INSECURE_NO_AUTH' },
      direct: { secret: 's', deliver_only: true },
    };
    await write({ ...bad, 'BAD NAME': { secret: 's' }, good: { secret: 's' } });
    const routes = table();
    await Bun.sleep(5);
    for (const name of [...Object.keys(bad), 'BAD NAME']) {
      expect(routes.find(name)).toBeUndefined();
      expect(logged.join()).toContain(`"route":"${name}"`);
    }
    expect(routes.find('good')).toBeDefined();
  });

  test('names of the object prototype are no routes', async () => {
    await write({ a: { secret: 's' } });
    const routes = table();
    for (const name of ['constructor', 'tostring', 'toString', '__proto__', 'hasOwnProperty'])
      expect(routes.find(name)).toBeUndefined();
  });

  test.each([
    [{}, ['global']],
    [{ secret: 'own' }, ['own']],
    [{ secret: '' }, undefined],
    [{ secret: '   ' }, undefined],
    [{ secret: null }, undefined],
    [{ secret: '${SET}' }, ['from env']],
    [{ secret: '${UNSET}' }, undefined],
    [{ secrets: ['new', 'old'] }, ['new', 'old']],
    [{ secret: 'new', secrets: ['new', { secret: 'old', expires_at: '2999-01-01' }] }, ['new', 'old']],
  ])('the secrets of %p are %p', async (record, expected) => {
    await write({ a: record });
    const found = table({}, { SET: 'from env' }).find('a');
    expect(found?.secrets.map(({ value }) => value)).toEqual(expected as string[]);
  });

  test('an invalid filter is reported at start', async () => {
    await write({
      a: {
        secret: 's',
        filters: [
          { field: 'x', regex: '(' },
          { field: 'y', like: 'z' },
        ],
      },
    });
    table();
    for (let tries = 0; logged.length < 2 && tries < 100; tries++) await Bun.sleep(5);
    expect(logged.join()).toContain('filters[1]');
    expect(logged.join()).toContain('regex');
  });

  test('10,000 records are reloaded within 50 ms', async () => {
    const record = {
      description: 'x'.repeat(60),
      events: ['push', 'pull_request'],
      secret: 's'.repeat(43),
      prompt: 'PR {number}: {title}',
      skills: [],
      deliver: 'log',
      created_at: '2026-01-01T00:00:00Z',
    };
    const all = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`route-${index}`, record]));
    const routes = table();
    await write(all);
    const times = [Infinity];
    // One undisturbed round tells; a busy machine may need some more.
    for (let round = 0; round < 20 && Math.min(...times) >= 50; round++) {
      await writeFile(file, JSON.stringify({ ...all, [`extra-${round}`]: record }));
      const start = performance.now();
      routes.refresh();
      expect(routes.find('route-9999')).toBeDefined();
      times.push(performance.now() - start);
    }
    expect(Math.min(...times)).toBeLessThan(50);
  });
});

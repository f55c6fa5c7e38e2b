import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect } from '../../src/mcp/connection.ts';
import type { StdioTarget } from '../../src/mcp/model.ts';
import { configuredServers } from '../../src/mcp/policy.ts';
import { ServerSandbox } from '../../src/mcp/server-sandbox.ts';
import { isRunning } from '../mcp/servers.ts';
import { BUN, BURGLAR, burgle, hasBubblewrap, openSecurityPlace, requested, SCRIPTS } from './mcp-places.ts';

const configured = (config: Parameters<typeof configuredServers>[0]) => {
  const [server] = configuredServers(config);
  return server?.target as StdioTarget;
};

describe.if(hasBubblewrap)('a server of a request', () => {
  test('finds no home, no configuration, no other process and nothing to change', async () => {
    await using place = await openSecurityPlace();
    const neighbour = join(place.root, 'notes.txt');
    writeFileSync(neighbour, 'hunter2');
    const read = [
      join(place.home, 'config.yaml'),
      join(place.home, '.env'),
      place.root,
      neighbour,
      homedir(),
      '/root',
      '/home',
      '/var',
      '/etc/shadow',
      '/etc/ssl/private',
      `/proc/${process.pid}/environ`,
      `/proc/${process.pid}/cmdline`,
      `/proc/${process.pid}/mem`,
      '/proc/1/environ',
      join(import.meta.dir, '../../package.json'),
    ];
    const write = [BURGLAR, '/usr/burglar', '/etc/burglar', '/burglar', '/proc/sysrq-trigger'];
    const loot = await burgle(requested(BURGLAR), place.needs, { read, write, signal: [process.pid] });
    // The ways to its script, its runtime and its own folder are there and hold nothing else.
    const ways = [SCRIPTS, dirname(BUN), join(dirname(BUN), '../lib'), place.home];
    for (const path of read.filter((name) => name !== '/proc/1/environ')) {
      const seen = (loot.read[path]?.ok ?? '').split(' ').filter(Boolean);
      const below = ways
        .filter((way) => way.startsWith(`${path}/`))
        .map((way) => way.slice(path.length + 1).split('/')[0]);
      expect([path, seen.filter((name) => !below.includes(name))]).toEqual([path, []]);
    }
    for (const path of write) expect([path, loot.write[path]?.failed]).toEqual([path, expect.any(String)]);
    await burgle(requested(BURGLAR), place.needs, { write: [join(place.home, 'config.yaml'), neighbour] });
    expect(readFileSync(join(place.home, 'config.yaml'), 'utf8')).toBe('api_key: hunter2\n');
    expect(readFileSync(neighbour, 'utf8')).toBe('hunter2');
    expect(loot.signal[process.pid]?.failed).toBe('ESRCH');
    expect(loot.processes.ok).toBeLessThan(6);
    expect(JSON.stringify(loot)).not.toContain('hunter2');
    expect(readFileSync(BURGLAR, 'utf8')).not.toEndWith('burglar');
    // What it does get.
    expect(loot.env['API_TOKEN']).toBe('of the request');
    expect(loot.home).toBe(loot.cwd);
    expect(Object.keys(loot.env).filter((name) => /KEY|SECRET|AGENT_(?!MCP_ID)/.test(name))).toEqual([]);
  }, 20_000);

  test('may write into its own folder and cache, which no other server shares and the next start finds', async () => {
    await using place = await openSecurityPlace();
    const target = requested(BURGLAR);
    const first = await burgle(target, place.needs);
    const cache = (first.env['npm_config_cache'] as string).replace(/\/npm$/, '');
    expect(cache).toStartWith(join(place.home, 'cache'));
    const kept = join(cache, 'kept');
    const own = join(first.cwd, 'own');
    expect((await burgle(target, place.needs, { write: [kept] })).write[kept]).toEqual({});
    expect((await burgle(target, place.needs, { read: [kept, own] })).read).toEqual({
      [kept]: { ok: 'burglar' },
      [own]: { failed: 'ENOENT' },
    });
    const other = await burgle(requested(BURGLAR, '--other'), place.needs, { read: [kept], write: [kept] });
    expect(other.read[kept]?.ok).toBeUndefined();
    expect(other.write[kept]?.failed).toBeString();
    expect(readdirSync(join(place.home, 'tmp'))).toEqual([]);
  }, 30_000);

  test('its secrets stand on no command line', async () => {
    await using place = await openSecurityPlace();
    const signal = AbortSignal.timeout(20_000);
    const connection = await connect(requested(BURGLAR), place.needs, signal);
    try {
      const lines = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => cmdlineOf(pid))
        .filter((line) => line.includes('burglar.mjs'));
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.join('\n')).not.toContain('of the request');
    } finally {
      await connection.close();
    }
  }, 20_000);

  test('has the network only when the operator leaves it on', async () => {
    using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('reached') });
    const url = `http://127.0.0.1:${server.port}/`;
    await using open = await openSecurityPlace();
    expect((await burgle(requested(BURGLAR), open.needs, { fetch: [url] })).fetch[url]).toEqual({ ok: 'reached' });
    await using closed = await openSecurityPlace((config) => {
      config.mcp.network = false;
    });
    expect((await burgle(requested(BURGLAR), closed.needs, { fetch: [url] })).fetch[url]?.ok).toBeUndefined();
  }, 20_000);

  test('gets the folders of its approval and no others that it names', async () => {
    await using place = await openSecurityPlace();
    const docs = join(place.root, 'docs');
    mkdirSync(docs);
    writeFileSync(join(docs, 'a.txt'), 'of the docs');
    const note = join(docs, 'a.txt');
    const target = requested(BURGLAR, docs) as StdioTarget;
    const without = await burgle(target, place.needs, { read: [note] });
    expect(without.read[note]?.ok).toBeUndefined();
    const folders = [{ path: docs, writable: false }];
    const sandbox = { enabled: true, folders };
    const withFolder = await burgle({ ...target, sandbox }, place.needs, { read: [note], write: [note] });
    expect(withFolder.read[note]).toEqual({ ok: 'of the docs' });
    expect(withFolder.write[note]?.failed).toBe('EROFS');
  }, 20_000);
});

describe.if(hasBubblewrap)('a server of the configuration', () => {
  test('sees the folders its arguments name, and the agent home not even through a link to what holds it', async () => {
    await using place = await openSecurityPlace();
    const link = join(place.root, 'link');
    symlinkSync(place.root, link);
    writeFileSync(join(place.root, 'note.txt'), 'of the operator');
    place.config.mcp.servers = { mine: { command: BUN, args: [BURGLAR, place.root, `--also=${link}`] } };
    const note = join(place.root, 'note.txt');
    const secret = join(place.home, 'config.yaml');
    const linked = join(link, 'agent', 'config.yaml');
    const loot = await burgle(configured(place.config.mcp), place.needs, {
      read: [note, secret, linked],
      write: [note, secret],
    });
    expect(loot.read[note]).toEqual({ ok: 'of the operator' });
    expect(loot.write[note]).toEqual({});
    expect([loot.read[secret]?.ok, loot.read[linked]?.ok]).toEqual([undefined, undefined]);
    expect(readFileSync(secret, 'utf8')).toBe('api_key: hunter2\n');
    expect(JSON.stringify(loot)).not.toContain('hunter2');
  }, 20_000);

  test('keeps its working folder and the folders it is given, also inside the agent home, for reading there', async () => {
    await using place = await openSecurityPlace();
    const data = join(place.root, 'data');
    const own = join(place.home, 'files');
    for (const folder of [data, own]) mkdirSync(folder);
    writeFileSync(join(own, 'x.txt'), 'of the home');
    place.config.mcp.servers = { mine: { command: BUN, args: [BURGLAR, own], cwd: data } };
    const loot = await burgle(configured(place.config.mcp), place.needs, {
      read: [join(own, 'x.txt'), join(place.home, '.env')],
      write: [join(data, 'new.txt'), join(own, 'x.txt')],
    });
    expect(loot.cwd).toBe(data);
    expect(loot.read).toEqual({
      [join(own, 'x.txt')]: { ok: 'of the home' },
      [join(place.home, '.env')]: { failed: 'ENOENT' },
    });
    expect(loot.write).toEqual({ [join(data, 'new.txt')]: {}, [join(own, 'x.txt')]: { failed: 'EROFS' } });
  }, 20_000);

  test('is let out by sandbox: false, as before, and without network by network: false', async () => {
    using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('reached') });
    const url = `http://127.0.0.1:${server.port}/`;
    await using place = await openSecurityPlace();
    const secret = join(place.home, 'config.yaml');
    place.config.mcp.servers = { out: { command: BUN, args: [BURGLAR], sandbox: false } };
    const out = await burgle(configured(place.config.mcp), place.needs, { read: [secret], fetch: [url] });
    expect(out.read[secret]).toEqual({ ok: 'api_key: hunter2\n' });
    expect(out.home).toBe(homedir());
    expect(out.fetch[url]).toEqual({ ok: 'reached' });
    place.config.mcp.servers = { in: { command: BUN, args: [BURGLAR], network: false } };
    const shut = await burgle(configured(place.config.mcp), place.needs, { read: [secret], fetch: [url] });
    expect([shut.read[secret]?.ok, shut.fetch[url]?.ok]).toEqual([undefined, undefined]);
  }, 20_000);

  test('is asked to stop before it is killed, and is gone afterwards', async () => {
    await using place = await openSecurityPlace();
    const last = join(place.root, 'words.term');
    writeFileSync(last, '');
    place.config.mcp.servers = { mine: { command: BUN, args: [BURGLAR, last] } };
    const connection = await connect(configured(place.config.mcp), place.needs, AbortSignal.timeout(20_000));
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && cmdlineOf(name).includes(last));
    expect(pids.length).toBeGreaterThan(0);
    await connection.close();
    expect(readFileSync(last, 'utf8')).toBe('asked to stop');
    for (const pid of pids) expect(isRunning(Number(pid))).toBe(false);
    expect(readdirSync(join(place.home, 'tmp'))).toEqual([]);
  }, 20_000);
});

describe('where bubblewrap does not work', () => {
  /** Bun and, when there is text for it, a bwrap that does what the text says. */
  const programs = (folder: string, bwrap: string | undefined) => {
    mkdirSync(folder);
    symlinkSync(BUN, join(folder, 'bun'));
    if (bwrap !== undefined) writeFileSync(join(folder, 'bwrap'), bwrap);
    if (bwrap !== undefined) chmodSync(join(folder, 'bwrap'), 0o755);
    return folder;
  };
  const forbidden =
    '#!/bin/sh\n[ "$1" = --help ] && exit 0\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n';

  test.each([
    ['not there', undefined, /not installed/],
    ['forbidden', forbidden, /No permissions to create new namespace/],
  ])(
    '%s: required starts nothing, auto goes on and says so once',
    async (_how, bwrap, why) => {
      await using place = await openSecurityPlace((config) => {
        config.mcp.sandbox = 'required';
      });
      const { mcp } = place.config;
      mcp.path = programs(join(place.root, 'bin'), bwrap);
      const required = { ...place.needs, path: mcp.path };
      await expect(burgle(requested(BURGLAR), required)).rejects.toMatchObject({
        code: 'mcp_sandbox_missing',
        message: expect.stringMatching(why),
      });
      expect(readdirSync(join(place.home, 'tmp'))).toEqual([]);
      mcp.sandbox = 'auto';
      const reasons: string[] = [];
      const sandbox = new ServerSandbox({ config: mcp, home: place.home, onMissing: (reason) => reasons.push(reason) });
      const auto = { ...required, sandbox };
      const secret = join(place.home, 'config.yaml');
      await burgle(requested(BURGLAR), auto);
      // Without a sandbox a server can do what we can; that is why it is told.
      expect((await burgle(requested(BURGLAR), auto, { read: [secret] })).read[secret]?.ok).toContain('hunter2');
      expect(reasons).toHaveLength(1);
      expect(reasons[0]).toMatch(why);
    },
    30_000,
  );
});

function cmdlineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

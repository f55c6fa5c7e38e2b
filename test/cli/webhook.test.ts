import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../webhooks/gateway.ts';

const MAIN = join(import.meta.dir, '../../src/main.ts');
let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'webhook-cli-'));
  await writeFile(join(home, '.env'), 'WEBHOOK_ENABLED=true\n');
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function agent(words: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, MAIN, ...words], {
    env: { PATH: process.env['PATH'], HOME: tmpdir(), AGENT_HOME: home, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { status, stdout, stderr };
}
const webhook = (...words: string[]) => agent(['webhook', ...words]);
const file = () => Bun.file(join(home, 'webhook_subscriptions.json'));
const stored = async (): Promise<Record<string, Record<string, unknown>>> =>
  (await file().exists()) ? file().json() : {};

describe('the gate', () => {
  const actions = [
    ['list'],
    ['subscribe', 'a'],
    ['remove', 'a'],
    ['test', 'a'],
    ['show', 'a'],
    ['enable', 'a'],
    ['disable', 'a'],
    ['rotate-secret', 'a'],
    ['pin', 'a'],
    ['events'],
    ['replay', 'x'],
  ];
  test('every action says how to enable the platform, fails and writes nothing', async () => {
    await rm(join(home, '.env'));
    for (const words of actions) {
      const { status, stderr } = await webhook(...words);
      expect(status).toBe(1);
      for (const part of [
        'not enabled',
        'agent gateway setup',
        'config.yaml',
        'WEBHOOK_ENABLED=true',
        'agent gateway run',
      ])
        expect(stderr).toContain(part);
    }
    expect(await readdir(home)).toEqual([]);
  });

  test('configuration file, .env and environment enable it; the environment also disables it', async () => {
    await rm(join(home, '.env'));
    for (const value of ['true', '1', 'yes', 'on', 'TRUE'])
      expect((await agent(['webhook', 'list'], { WEBHOOK_ENABLED: value })).status).toBe(0);
    await writeFile(join(home, 'config.yaml'), 'platforms:\n  webhook:\n    enabled: true\n');
    expect((await webhook('list')).status).toBe(0);
    expect((await agent(['webhook', 'list'], { WEBHOOK_ENABLED: 'false' })).status).toBe(1);
  });
});

describe('subscribe', () => {
  test('creates, prints what the sender needs, and updates without losing anything', async () => {
    const created = await webhook('subscribe', ' My Hook ', '--events', 'push, issues', '--prompt', 'PR {number}');
    expect(created.status).toBe(0);
    expect(created.stdout).toMatch(/^Created webhook subscription: my-hook\n/);
    expect(created.stdout).toMatch(
      /URL:\s+http:\/\/localhost:8644\/webhooks\/my-hook\n\s+Secret:\s+[\w-]{43}\n\s+Events:\s+push, issues\n\s+Deliver: log/,
    );
    const before = (await stored())['my-hook'];
    await writeFile(file().name as string, JSON.stringify({ 'my-hook': { ...before, mode: 'research', mine: [1] } }));
    const updated = await webhook(
      'add',
      'my-hook',
      '--description',
      'x',
      '--deliver',
      'telegram',
      '--deliver-chat-id',
      '-100123',
      '--json',
    );
    expect(JSON.parse(updated.stdout)).toMatchObject({
      name: 'my-hook',
      created: false,
      webhook_url: 'http://localhost:8644/webhooks/my-hook',
      secret: before?.['secret'],
    });
    expect(updated.stderr).toContain('TELEGRAM_BOT_TOKEN');
    expect((await stored())['my-hook']).toEqual({
      ...before,
      mode: 'research',
      mine: [1],
      description: 'x',
      deliver: 'telegram',
      deliver_extra: { chat_id: '-100123' },
    });
    expect((await stat(file().name as string)).mode & 0o777).toBe(0o600);
  });

  test('all flags arrive in the record', async () => {
    await writeFile(join(home, 'filters.json'), '[{"field":"a","equals":1}]');
    const { status } = await webhook(
      'subscribe',
      'a',
      '--skills',
      'x,y',
      '--deliver',
      'webhook',
      '--deliver-chat-id=-5',
      '--deliver-extra',
      'url=http://localhost/?a=b',
      '--deliver-extra',
      'thread=7',
      '--secret',
      'its-own-secret',
      '--deliver-only',
      '--filters',
      `@${join(home, 'filters.json')}`,
      '--scheme',
      'standard-webhooks',
      '--rate-limit',
      '0',
      '--script',
      'x.py',
    );
    expect(status).toBe(0);
    expect((await stored())['a']).toMatchObject({
      skills: ['x', 'y'],
      deliver: 'webhook',
      deliver_extra: { chat_id: '-5', url: 'http://localhost/?a=b', thread: '7' },
      secret: 'its-own-secret',
      deliver_only: true,
      filters: [{ field: 'a', equals: 1 }],
      scheme: 'standard',
      rate_limit: 0,
      script: 'x.py',
    });
  });

  test.each([
    [['bad!name'], 1, 'Invalid name'],
    [['a', '--deliver-only'], 1, '--deliver-only requires --deliver to be a real target'],
    [['a', '--deliver', 'log', '--deliver-only'], 1, '--deliver-only requires --deliver to be a real target'],
    [['a', '--deliver', 'telegrm'], 1, 'did you mean telegram'],
    [['a', '--script', '../x.sh'], 1, 'must stay inside'],
    [['a', '--secret', '  '], 1, 'must not be empty'],
    [['a', '--secret', 'INSECURE_NO_AUTH'], 1, 'only allowed when'],
    [['a', '--filters', '{"field":"x"}'], 1, 'has no operator'],
    [['a', '--filters', '[{"field":"x","regex":"("}]'], 1, 'regex'],
    [['a', '--filters', 'nonsense'], 1, 'must be a JSON'],
    [['a', '--scheme', 'rot13'], 1, 'Unknown scheme'],
    [['static'], 1, 'static route'],
    [['a', '--promt', 'x'], 2, 'did you mean --prompt'],
    [['a', '--rate-limit', 'many'], 2, '--rate-limit'],
    [['a', '--deliver-extra', 'novalue'], 2, 'key=value'],
    [[], 2, 'NAME is missing'],
  ])('%p is refused and nothing is stored', async (words, status, message) => {
    await writeFile(join(home, 'config.yaml'), 'platforms: {webhook: {routes: {static: {secret: s}}}}');
    const result = await webhook('subscribe', ...(words as unknown as string[]));
    expect(result.status).toBe(status);
    expect(result.stderr).toContain(message);
    expect(await file().exists()).toBe(false);
  });

  test('says what an event decides: who reads the answer, and who is called', async () => {
    const origin = await webhook('subscribe', 'a', '--deliver', 'origin');
    expect(origin.stderr).toContain('so its runs do not read your private documents; --knowledge lets them.');
    const opened = await webhook('subscribe', 'a', '--knowledge');
    expect(opened.stderr).not.toContain('private documents');
    expect((await stored())['a']).toMatchObject({ deliver: 'origin', knowledge: true });
    expect((await webhook('subscribe', 'a', '--knowledge', '--no-knowledge')).status).toBe(2);
    const called = (url: string) =>
      webhook('subscribe', 'b', '--deliver', 'webhook', '--no-knowledge', '--deliver-extra', `url=${url}`);
    expect((await called('{callback}')).stderr).toContain('takes its host from the event, so nothing is delivered');
    expect((await called('https://hooks.example.org/{id}')).stderr).not.toContain('host');
  });

  test('50 processes at once lose none', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, (_, index) => webhook('subscribe', `n${index}`)));
    expect(results.map((result) => result.stderr).join('')).toBe('');
    expect(Object.keys(await stored()).length).toBe(50);
  }, 60_000);

  test('an address from the configuration: IPv6 in brackets, public_url over all', async () => {
    await writeFile(join(home, 'config.yaml'), 'platforms: {webhook: {host: "::1", port: 9000}}');
    expect((await webhook('subscribe', 'a')).stdout).toContain('http://[::1]:9000/webhooks/a');
    await writeFile(join(home, 'config.yaml'), 'platforms: {webhook: {port: 1, extra: {host: 0.0.0.0, port: 9001}}}');
    expect((await webhook('subscribe', 'a')).stdout).toContain('http://localhost:9001/webhooks/a');
    await writeFile(
      join(home, 'config.yaml'),
      'platforms: {webhook: {extra: {public_url: "https://hooks.example.org/"}}}',
    );
    expect((await webhook('subscribe', 'a')).stdout).toContain('https://hooks.example.org/webhooks/a');
  });
});

describe('list, show, remove, enable, disable, rotate-secret', () => {
  test('list shows everything but secrets', async () => {
    expect((await webhook('list')).stdout).toBe('No dynamic webhook subscriptions.\n');
    await writeFile(
      join(home, 'config.yaml'),
      'platforms: {webhook: {routes: {fixed: {secret: STATIC-SECRET, deliver: slack}}}}',
    );
    await webhook('subscribe', 'a', '--secret', 'DYNAMIC-SECRET', '--description', 'my words');
    await writeFile(
      file().name as string,
      JSON.stringify({ ...(await stored()), bad: 5, broken: { secret: 's', filters: [{ field: 'x', regex: '(' }] } }),
    );
    const { stdout } = await webhook('ls');
    expect(stdout).toStartWith('3 webhook subscription(s):');
    for (const part of [
      'my words',
      'http://localhost:8644/webhooks/a',
      '(all)',
      'fixed (static)',
      'slack',
      'State:       enabled',
      'State:       invalid',
      'regex',
    ])
      expect(stdout).toContain(part);
    expect(stdout).not.toContain('SECRET');
    const json = await webhook('list', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ count: 3 });
    expect(json.stdout).not.toContain('SECRET');
  });

  test('show masks the secret unless asked', async () => {
    await webhook('subscribe', 'a', '--secret', 'DYNAMIC-SECRET');
    expect((await webhook('show', 'A')).stdout).not.toContain('DYNAMIC-SECRET');
    expect((await webhook('show', 'a', '--reveal')).stdout).toContain('DYNAMIC-SECRET');
  });

  test('remove says what it did; a name nobody has is exit 1', async () => {
    await webhook('subscribe', 'a');
    expect((await webhook('remove', 'A')).stdout).toBe('Removed webhook subscription: a\n');
    const again = await webhook('rm', 'a');
    expect([again.status, again.stderr]).toEqual([1, "No subscription named 'a'.\n"]);
    expect(await stored()).toEqual({});
  });

  test('disable and enable', async () => {
    await webhook('subscribe', 'a');
    await webhook('disable', 'a');
    expect((await webhook('list')).stdout).toContain('State:       disabled');
    await webhook('enable', 'a');
    expect((await stored())['a']?.['enabled']).toBe(true);
    expect((await webhook('enable', 'b')).status).toBe(1);
  });

  test('rotate-secret keeps the old one for the grace time only', async () => {
    await webhook('subscribe', 'a', '--secret', 'old-secret');
    const { stdout } = await webhook('rotate-secret', 'a', '--grace', '24h', '--json');
    const { secret } = JSON.parse(stdout);
    const record = (await stored())['a'];
    expect(record?.['secret']).toBe(secret);
    expect(record?.['secrets']).toEqual([secret, { secret: 'old-secret', expires_at: expect.any(String) }]);
    await webhook('rotate-secret', 'a');
    expect((await stored())['a']).not.toHaveProperty('secrets');
    expect((await webhook('rotate-secret', 'a', '--grace', 'soon')).status).toBe(2);
  });

  test('direct delivery stays on until --no-deliver-only', async () => {
    await webhook('subscribe', 'a', '--deliver', 'ntfy', '--deliver-only');
    await webhook('subscribe', 'a', '--prompt', 'p');
    expect((await stored())['a']).toMatchObject({ deliver_only: true, prompt: 'p' });
    expect((await webhook('subscribe', 'a', '--deliver-only', '--no-deliver-only')).status).toBe(2);
    await webhook('subscribe', 'a', '--no-deliver-only', '--deliver', 'log');
    expect((await stored())['a']).toMatchObject({ deliver_only: false, deliver: 'log' });
  });

  test('a file of filters that is not there is named', async () => {
    const { status, stderr } = await webhook('subscribe', 'a', '--filters', '@nowhere.json');
    expect(status).toBe(1);
    expect(stderr).toContain('the file nowhere.json cannot be read (ENOENT)');
    expect(await stored()).toEqual({});
  });

  test('rotate-secret opens no route to others than this machine', async () => {
    await webhook('subscribe', 'a', '--secret', 'old-secret');
    for (const secret of ['INSECURE_NO_AUTH', '  ', ''])
      expect((await webhook('rotate-secret', 'a', '--secret', secret)).status).toBe(1);
    expect((await stored())['a']?.['secret']).toBe('old-secret');
  });

  test('a corrupt file is left alone and the backup is named', async () => {
    await writeFile(file().name as string, '{"a": {');
    const { status, stderr } = await webhook('subscribe', 'b');
    expect(status).toBe(1);
    expect(stderr).toContain('backup is in');
    expect(await file().text()).toBe('{"a": {');
  });
});

describe('test, events and replay', () => {
  test('against a running gateway', async () => {
    await using gateway = await startGateway({ home });
    await writeFile(
      join(home, 'config.yaml'),
      `platforms: {webhook: {host: 127.0.0.1, port: ${new URL(gateway.url).port}}}`,
    );
    await webhook(
      'subscribe',
      'gh',
      '--events',
      'pull_request,issues',
      '--prompt',
      'PR #{number}: {pull_request.title}',
    );
    const sent = await webhook('test', 'gh', '--payload', '{"number":7,"pull_request":{"title":"Fix"}}');
    expect(sent).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Response \(200\): \{"status":"accepted","route":"gh","event":"pull_request"/),
    });
    const event = await gateway.settled();
    expect(gateway.runs[0]?.prompt).toBe('PR #7: Fix');
    expect((await webhook('test', 'gh')).status).toBe(0);
    expect((await webhook('test', 'gh', '--event', 'push')).stdout).toContain('"ignored"');
    const listed = await webhook('events', 'gh');
    expect(listed.stdout).toContain(event.id);
    expect(listed.stdout).toContain('answer to PR #7: Fix');
    const replayed = await webhook('replay', event.id, '--json');
    const { id } = JSON.parse(replayed.stdout);
    expect(await gateway.settled(id)).toMatchObject({
      status: 'delivered',
      replayOf: event.id,
      answer: 'answer to PR #7: Fix',
    });
    expect((await webhook('replay', 'evt_nope')).status).toBe(1);
    expect((await webhook('list')).stdout).toMatch(/Last event:\s+\d{4}-.*delivered/);
    await writeFile(join(home, 'webhook_subscriptions.json'), JSON.stringify({ gh: { secret: 'other' } }));
    await fetch(`${gateway.url}/health`);
  });

  test('without a gateway it says so; a refused signature too', async () => {
    await writeFile(join(home, 'config.yaml'), 'platforms: {webhook: {host: 127.0.0.1, port: 9}}');
    await webhook('subscribe', 'gh');
    const refused = await webhook('test', 'gh');
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('gateway is not running')]);
    expect((await webhook('test', 'gh', '--payload', '{bad')).stderr).toContain('not valid JSON');
    expect((await webhook('test', 'nope')).status).toBe(1);
    await using gateway = await startGateway({ routes: { gh: { secret: 'another' } } });
    await writeFile(
      join(home, 'config.yaml'),
      `platforms: {webhook: {host: 127.0.0.1, port: ${new URL(gateway.url).port}}}`,
    );
    const unauthorized = await webhook('test', 'gh');
    expect(unauthorized.status).toBe(1);
    expect(unauthorized.stdout).toContain('Response (401)');
    expect(unauthorized.stderr).toContain('another secret');
  });

  test('--dry-run shows filters, script and prompt without a gateway', async () => {
    await mkdir(join(home, 'scripts'));
    await writeFile(
      join(home, 'scripts/up.py'),
      'import json,sys\np=json.load(sys.stdin)\np["title"]=p["title"].upper()\nprint(json.dumps(p))',
    );
    await webhook(
      'subscribe',
      'a',
      '--prompt',
      '{event_type}: {title}',
      '--script',
      'up.py',
      '--filters',
      '[{"field":"title","exists":true},{"field":"title","equals":"no"}]',
    );
    const { status, stdout } = await webhook(
      'test',
      'a',
      '--dry-run',
      '--payload',
      '{"title":"hi"}',
      '--event',
      'push',
    );
    expect(status).toBe(0);
    for (const part of [
      'Event:   push (accepted)',
      'matched {"field":"title","exists":true}',
      'not matched {"field":"title","equals":"no"}',
      'Script:  continue',
      'push: HI',
      'ignored: filter',
    ])
      expect(stdout).toContain(part);
    expect(await Bun.file(join(home, 'webhooks.db')).exists()).toBe(false);
  });

  test('events without a log', async () => {
    expect((await webhook('events')).stdout).toBe('No events.\n');
    expect((await webhook('events', '--json')).stdout).toBe('[]\n');
  });
});

describe('gateway setup', () => {
  test('--yes enables the platform for the command line at once and keeps the rest of .env', async () => {
    await writeFile(join(home, '.env'), '# mine\nOTHER="a b"\nexport WEBHOOK_ENABLED=false\nWEBHOOK_PORT=1\n');
    const { status, stdout } = await agent([
      'gateway',
      'setup',
      '--yes',
      '--port',
      '9123',
      '--secret',
      "it's a #secret",
    ]);
    expect(status).toBe(0);
    expect(stdout).toContain('http://localhost:9123');
    expect(stdout).not.toContain('#secret');
    const text = await Bun.file(join(home, '.env')).text();
    expect(text).toStartWith('# mine\nOTHER="a b"\nWEBHOOK_ENABLED=true\nWEBHOOK_PORT=9123\n');
    expect((await stat(join(home, '.env'))).mode & 0o777).toBe(0o600);
    const shown = await agent(['config', '--json']);
    expect(JSON.parse(shown.stdout).config.platforms.webhook).toMatchObject({ enabled: true, extra: { port: 9123 } });
    expect(shown.stdout).not.toContain('#secret');
    expect((await webhook('list')).status).toBe(0);
  });

  test('a second setup keeps the secret', async () => {
    await agent(['gateway', 'setup', '--yes']);
    const first = await Bun.file(join(home, '.env')).text();
    await agent(['gateway', 'setup', '-y']);
    expect(await Bun.file(join(home, '.env')).text()).toBe(first);
  });

  test('without a terminal and without --yes it is wrong usage', async () => {
    const { status, stderr } = await agent(['gateway', 'setup']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('--yes')]);
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCommand } from '../../src/cli/index.ts';
import { SCHEME_NAMES } from '../../src/webhooks/signatures.ts';
import { type Captured, sign, WIRES } from '../security/wires.ts';
import { startGateway, type TestGateway } from '../webhooks/gateway.ts';
import { runWords } from './run-cli.ts';

const SECRET = 'a secret of the sender';
let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'webhook-schemes-'));
  await writeFile(join(home, '.env'), 'WEBHOOK_ENABLED=true\n');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const agent = (...words: string[]) => runWords(rootCommand, words, { env: { AGENT_HOME: home } });
const webhook = (...words: string[]) => agent('webhook', ...words);
const records = (): Promise<Record<string, Record<string, unknown>>> =>
  Bun.file(join(home, 'webhook_subscriptions.json')).json();

/** A gateway on this home that the commands reach, too. */
async function serve(): Promise<TestGateway> {
  const gateway = await startGateway({ home });
  const { port } = new URL(gateway.url);
  await writeFile(join(home, 'config.yaml'), `platforms: {webhook: {host: 127.0.0.1, port: ${port}}}`);
  return gateway;
}

let count = 0;
/** A delivery by a scheme's true sender. */
function delivery(scheme: string, payload: object = {}): Captured {
  const wire = WIRES.find((found) => found.scheme === scheme);
  if (!wire) throw new Error(scheme);
  const time = String(Math.floor(Date.now() / 1000));
  return sign(wire, SECRET, { id: `id-${++count}`, time, body: JSON.stringify({ n: count, ...payload }) });
}
const post = (gateway: TestGateway, name: string, { headers, body }: Captured) =>
  fetch(`${gateway.url}/webhooks/${name}`, { method: 'POST', body, headers });

/** Waits until schemes were noted; the sender's answer does not wait for it. */
async function noted(gateway: TestGateway, name: string, schemes: string[]): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (gateway.store.schemesByRoute().get(name)?.length === schemes.length) break;
    await Bun.sleep(5);
  }
  expect(gateway.store.schemesByRoute().get(name)).toEqual(schemes);
}

describe('subscribe', () => {
  test.each([
    [['gh', '--events', 'pull_request,push'], 'github'],
    [['my-gitlab'], 'gitlab'],
    [['ci', '--events', 'Pipeline Hook'], 'gitlab'],
    [['pay', '--events', 'invoice.paid,charge.failed'], 'stripe'],
    [['shop', '--events', 'orders/create'], 'shopify'],
    [['grafana-alerts'], 'bearer'],
    [['x', '--secret', `whsec_${Buffer.from('0123456789abcdef').toString('base64')}`], 'standard'],
    [['x', '--events', 'push'], undefined],
    [['x', '--events', 'pull_request,invoice.paid'], undefined],
    [['mystripes'], undefined],
  ] as [string[], string | undefined][])('%j suggests %p and sets nothing', async (words, scheme) => {
    const { stdout, stderr } = await webhook('subscribe', ...words);
    const name = words[0] as string;
    const command = scheme ? `agent webhook pin ${name} --scheme ${scheme})` : `agent webhook pin ${name} keeps`;
    expect([stdout, stderr]).toEqual([expect.stringContaining(command), '']);
    expect(stdout).toContain(`Scheme:  any (`);
    expect((await records())[name]).not.toHaveProperty('scheme');
    const json = JSON.parse((await webhook('subscribe', name, '--json')).stdout);
    expect(json.suggested_scheme).toBe(scheme);
  });

  test('--scheme takes a scheme or a sender and stays until it is none', async () => {
    for (const [word, scheme] of [
      ['GitHub', 'github'],
      ['grafana', 'bearer'],
      ['Codeberg', 'forgejo'],
      ['standard-webhooks', 'standard'],
    ]) {
      const { stdout } = await webhook('subscribe', 'a', '--scheme', word as string);
      expect(stdout).toEndWith(`  Scheme:  ${scheme}\n`);
    }
    await webhook('subscribe', 'a', '--prompt', 'p');
    expect((await records())['a']).toMatchObject({ scheme: 'standard', prompt: 'p' });
    await webhook('subscribe', 'a', '--scheme', 'none');
    expect((await records())['a']).not.toHaveProperty('scheme');
  });
});

describe('the scheme that was seen', () => {
  test('is shown by list and doctor, and pin keeps to it', async () => {
    await using gateway = await serve();
    await webhook('subscribe', 'gh', '--secret', SECRET);
    expect((await webhook('test', 'gh')).stdout).toContain('"accepted"');
    expect((await webhook('list')).stdout).toContain('Scheme:      any (none seen yet)');
    const early = await webhook('pin', 'gh');
    expect([early.status, early.stderr]).toEqual([
      1,
      "No signed delivery to 'gh' was seen yet; name the scheme: agent webhook pin gh --scheme SCHEME\n",
    ]);
    expect((await (await post(gateway, 'gh', delivery('generic_v2'))).json()) as object).toMatchObject({
      status: 'accepted',
    });
    await noted(gateway, 'gh', ['generic_v2']);
    expect((await webhook('list')).stdout).toContain('any (seen: generic_v2; pin it: agent webhook pin gh)');
    expect(JSON.parse((await webhook('list', '--json')).stdout).subscriptions[0]).toMatchObject({
      scheme: null,
      schemes_seen: ['generic_v2'],
    });
    const { stdout } = await agent('doctor');
    expect(stdout).toContain('Every signature scheme is accepted by 1 route');
    expect(stdout).toContain('agent webhook pin gh --scheme generic_v2   # seen: generic_v2');
    expect((await webhook('pin', 'gh')).stdout).toBe(
      'Pinned webhook subscription: gh accepts only the scheme generic_v2\n',
    );
    expect((await webhook('list')).stdout).toContain('Scheme:      generic_v2\n');
    expect((await agent('doctor')).stdout).not.toContain('signature scheme');
    expect((await post(gateway, 'gh', delivery('github'))).status).toBe(401);
    expect((await post(gateway, 'gh', delivery('generic_v2'))).status).toBe(200);
    expect((await webhook('test', 'gh')).stdout).toContain('"accepted"');
    expect((await webhook('pin', 'gh')).stderr).toBe('');
    expect((await webhook('pin', 'gh', '--scheme', 'none', '--json')).stdout).toContain('"scheme": null');
    expect((await post(gateway, 'gh', delivery('github'))).status).toBe(200);
  });

  test('is no choice when there are several, and goes with the subscription', async () => {
    await using gateway = await serve();
    await webhook('subscribe', 'gh', '--secret', SECRET);
    const sent: string[] = [];
    for (const scheme of ['stripe', 'github', 'bearer']) {
      sent.push(scheme);
      expect((await post(gateway, 'gh', delivery(scheme))).status).toBe(200);
      await noted(gateway, 'gh', sent);
      gateway.clock.offset += 1000;
    }
    const refused = await webhook('pin', 'gh');
    expect(refused.status).toBe(1);
    expect(refused.stderr).toBe(
      "Deliveries to 'gh' were signed by stripe, github, bearer; choose one: agent webhook pin gh --scheme stripe\n",
    );
    const pinned = await webhook('pin', 'gh', '--scheme', 'github');
    expect([pinned.status, pinned.stderr]).toEqual([0, expect.stringContaining('signed by stripe, bearer came in')]);
    await webhook('remove', 'gh');
    await webhook('subscribe', 'gh', '--secret', SECRET);
    expect((await webhook('list')).stdout).toContain('any (none seen yet)');
    await post(gateway, 'gh', delivery('slack'));
    await noted(gateway, 'gh', ['slack']);
    expect((await webhook('list')).stdout).toContain('any (seen: slack;');
  });

  test('is not what was ignored, a duplicate or refused: that may be another scheme in disguise', async () => {
    await using gateway = await serve();
    await webhook('subscribe', 'gh', '--secret', SECRET, '--events', 'push');
    const first = delivery('github', { type: 'push' });
    expect(await (await post(gateway, 'gh', first)).json()).toMatchObject({ status: 'accepted' });
    const hex = first.headers['x-hub-signature-256']?.replace('sha256=', '') ?? '';
    const disguised = { headers: { 'x-gitea-signature': hex }, body: first.body };
    expect(await (await post(gateway, 'gh', disguised)).json()).toMatchObject({ status: 'duplicate' });
    expect(await (await post(gateway, 'gh', delivery('linear'))).json()).toMatchObject({ status: 'ignored' });
    await post(gateway, 'gh', { headers: { 'x-gitlab-token': 'wrong' }, body: '{}' });
    // Written after all of them, so that none is still on its way.
    await gateway.store.noteScheme('other', 'github');
    await noted(gateway, 'gh', ['github']);
    expect((await webhook('list')).stdout).toContain('any (seen: github; pin it');
  });

  test('of a static route is set in the configuration', async () => {
    await writeFile(join(home, 'config.yaml'), `platforms: {webhook: {routes: {fixed: {secret: "${SECRET}"}}}}`);
    const refused = await webhook('pin', 'fixed', '--scheme', 'github');
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('static route')]);
    expect((await agent('doctor')).stdout).toContain('fixed is in config.yaml: add scheme: NAME (none seen yet)');
  });
});

test('agent webhook test passes in every scheme, twice, and names the event where its senders do', async () => {
  await using gateway = await serve();
  for (const scheme of SCHEME_NAMES) {
    const name = scheme.replace('_', '-');
    await webhook('subscribe', name, '--scheme', scheme, '--events', 'deploy,other', '--secret', SECRET);
    for (const words of [[], [], ['--event', 'other'], ['--payload', '{"a":1}'], ['--payload', '{"type":"other"}']]) {
      const { stdout } = await webhook('test', name, ...words);
      expect(stdout, `${scheme} ${words}`).toContain('"status":"accepted"');
      const isOther = words[0] === '--event' || (words[1]?.includes('other') && !/^(git|forgejo|shopify)/.test(name));
      expect(stdout, `${scheme} ${words}`).toContain(`"event":"${isOther ? 'other' : 'deploy'}"`);
      expect((await webhook('test', name, '--dry-run', ...words)).stdout).toContain(
        `Event:   ${isOther ? 'other' : 'deploy'} (accepted)`,
      );
    }
  }
  expect(gateway.store.schemesByRoute().size).toBe(0);
}, 20_000);

describe('secrets', () => {
  test('fewer than eight characters are refused when they are made, and a generated one is offered', async () => {
    for (const secret of ['1234567', '  12345  ', 'whsec_YWJj', 'éééé'])
      for (const words of [
        ['webhook', 'subscribe', 'a', '--secret', secret],
        ['gateway', 'setup', '--yes', '--secret', secret],
      ]) {
        const { status, stderr, stdout } = await agent(...words);
        expect([status, stdout]).toEqual([1, '']);
        expect(stderr).toMatch(/--secret must have at least 8 characters.*or take this: --secret=[\w-]{43}\n$/);
      }
    expect(await Bun.file(join(home, 'webhook_subscriptions.json')).exists()).toBe(false);
    await webhook('subscribe', 'a', '--secret', '12345678');
    expect((await webhook('rotate-secret', 'a', '--secret', '1234567')).status).toBe(1);
    expect((await records())['a']?.['secret']).toBe('12345678');
  });

  test('a variable counts as what it stands for', async () => {
    await writeFile(join(home, '.env'), 'WEBHOOK_ENABLED=true\nSHORT=123\nLONG=0123456789\n');
    expect((await webhook('subscribe', 'a', '--secret', '${SHORT}')).status).toBe(1);
    expect((await webhook('subscribe', 'a', '--secret', '${LONG}')).status).toBe(0);
    expect((await webhook('subscribe', 'b', '--secret', '${LATER}')).status).toBe(0);
  });

  test('short ones that exist go on working, and doctor names them without showing them', async () => {
    await writeFile(join(home, '.env'), 'WEBHOOK_ENABLED=true\nWEBHOOK_SECRET=gl0b4l\n');
    await writeFile(
      join(home, 'webhook_subscriptions.json'),
      JSON.stringify({ own: { secret: 'sh0rt', scheme: 'github' }, shared: { scheme: 'github' } }),
    );
    await writeFile(join(home, 'config.yaml'), 'platforms: {webhook: {routes: {fixed: {secret: f1x, scheme: slack}}}}');
    const { stdout, status } = await agent('doctor');
    expect(stdout).toContain('WARN  webhooks   The global secret has fewer than 8 characters');
    expect(stdout).toMatch(/agent gateway setup --yes --secret=[\w-]{43}\n/);
    expect(stdout).toContain('WARN  webhooks   The secret of 2 routes has fewer than 8 characters');
    expect(stdout).toContain('agent webhook rotate-secret own --grace 24h\n');
    expect(stdout).toContain('fixed is in config.yaml: give it a longer secret');
    expect(stdout).not.toMatch(/gl0b4l|sh0rt|f1x\b/);
    expect(status).toBe(0);
    expect((await agent('gateway', 'setup', '--yes')).status).toBe(0);
    expect((await webhook('subscribe', 'own', '--prompt', 'p')).status).toBe(0);
    await using gateway = await serve();
    const body = '{"a":1}';
    const headers = { authorization: 'Bearer sh0rt' };
    await webhook('subscribe', 'own', '--scheme', 'bearer');
    expect((await post(gateway, 'own', { headers, body })).status).toBe(200);
  });

  test('half of a surrogate pair is no secret, and the subscription says so', async () => {
    const refused = await webhook('subscribe', 'a', '--secret', 'half \ud800 of a pair');
    expect([refused.status, refused.stderr]).toEqual([
      1,
      '--secret is not valid Unicode: it holds half of a surrogate pair.\n',
    ]);
    await writeFile(
      join(home, 'webhook_subscriptions.json'),
      '{"a":{"secret":"half \\ud800 of a pair"},"b":{"secret":"0123456789"}}',
    );
    expect((await webhook('list')).stdout).toContain(
      'State:       invalid (it has a secret that is not valid Unicode (half of a surrogate pair))',
    );
    await using gateway = await serve();
    const body = '{"a":1}';
    // Every such secret has the bytes of U+FFFD, so the request would have been signed by a guess.
    const guess = {
      headers: {
        'x-webhook-signature': new Bun.CryptoHasher('sha256', 'half \ufffd of a pair').update(body).digest('hex'),
      },
      body,
    };
    expect((await post(gateway, 'a', guess)).status).toBe(404);
  });
});

test('a NUL in an event type or an id is answered and harms no script', async () => {
  await Bun.write(join(home, 'scripts/x.sh'), 'cat');
  await using gateway = await startGateway({
    home,
    routes: { s: { secret: SECRET, script: 'x.sh' }, plain: { secret: SECRET } },
  });
  for (const name of ['s', 'plain']) {
    const refused = await post(gateway, name, delivery('stripe', { type: 'a\0b' }));
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: 'The event type must not contain a NUL character' },
    ]);
    const accepted = await post(gateway, name, delivery('stripe', { type: 'a', id: 'evt\0x' }));
    expect([accepted.status, await accepted.json()]).toMatchObject([
      200,
      { status: 'accepted', delivery_id: expect.stringMatching(/^sha256-/) },
    ]);
  }
  expect(gateway.logged.join()).not.toContain('internal');
});

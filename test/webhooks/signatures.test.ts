import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { sign as signGitHub } from '@octokit/webhooks-methods';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { signRequest } from '../../src/webhooks/sign.ts';
import { parseScheme, SCHEME_NAMES, type SchemeName, verifySignature } from '../../src/webhooks/signatures.ts';

const SECRET = 'it is a secret to everybody';
const WHSEC = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const BODY = '{"action":"opened","text":"héllo"}';
const NOW = 1_700_000_000_000;
const hex = (text: string, secret = SECRET) => createHmac('sha256', secret).update(text).digest('hex');

function verify(
  headers: Record<string, string>,
  options: { body?: string; secrets?: string[]; nowMs?: number; pinned?: SchemeName } = {},
) {
  return verifySignature(
    {
      headers: new Headers(headers),
      body: new TextEncoder().encode(options.body ?? BODY),
      nowMs: options.nowMs ?? NOW,
    },
    options.secrets ?? [SECRET],
    options.pinned,
  );
}

describe('requests signed by the senders own libraries', () => {
  test('@octokit/webhooks-methods', async () => {
    const signature = await signGitHub(SECRET, BODY);
    expect(verify({ 'x-hub-signature-256': signature })).toEqual({ ok: true, scheme: 'github' });
    expect(verify({ 'x-hub-signature-256': signature }, { body: `${BODY} ` }).ok).toBe(false);
  });

  test('stripe', async () => {
    const timestamp = NOW / 1000;
    // The library's own test signer; Bun has only its asynchronous crypto.
    const header = await new Stripe('sk_test_x').webhooks.generateTestHeaderStringAsync({
      payload: BODY,
      secret: SECRET,
      timestamp,
    });
    expect(verify({ 'stripe-signature': header })).toEqual({ ok: true, scheme: 'stripe' });
    expect(verify({ 'stripe-signature': header }, { secrets: ['other'] }).ok).toBe(false);
  });

  test('svix', () => {
    const signature = new SvixWebhook(WHSEC).sign('msg_1', new Date(NOW), BODY);
    const headers = { 'svix-id': 'msg_1', 'svix-timestamp': String(NOW / 1000), 'svix-signature': signature };
    expect(verify(headers, { secrets: [WHSEC] })).toEqual({ ok: true, scheme: 'svix' });
    expect(verify({ ...headers, 'svix-id': 'msg_2' }, { secrets: [WHSEC] }).ok).toBe(false);
  });

  test('standardwebhooks, with a base64 and with a raw secret', () => {
    for (const [secret, sender] of [
      [WHSEC, new StandardWebhook(WHSEC)],
      [SECRET, new StandardWebhook(SECRET, { format: 'raw' })],
    ] as const) {
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(NOW / 1000),
        'webhook-signature': sender.sign('msg_1', new Date(NOW), BODY),
      };
      expect(verify(headers, { secrets: [secret] })).toEqual({ ok: true, scheme: 'standard' });
    }
  });

  test('what agent webhook test signs is accepted in every scheme', () => {
    for (const scheme of SCHEME_NAMES) {
      const headers = signRequest(scheme, SECRET, { body: BODY, id: 'msg_1', nowMs: NOW });
      expect(verify(headers, { pinned: scheme })).toEqual({ ok: true, scheme });
    }
  });
});

describe('schemes without a library', () => {
  const time = String(NOW / 1000);
  const rows: [SchemeName, Record<string, string>][] = [
    ['slack', { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${hex(`v0:${time}:${BODY}`)}` }],
    ['linear', { 'linear-signature': hex(BODY) }],
    ['gitea', { 'x-gitea-signature': hex(BODY) }],
    ['forgejo', { 'x-forgejo-signature': hex(BODY) }],
    ['shopify', { 'x-shopify-hmac-sha256': createHmac('sha256', SECRET).update(BODY).digest('base64') }],
    ['gitlab', { 'x-gitlab-token': SECRET }],
    ['generic_v2', { 'x-webhook-timestamp': time, 'x-webhook-signature-v2': hex(`${time}.${BODY}`) }],
    ['generic_v1', { 'x-webhook-signature': hex(BODY) }],
    ['bearer', { authorization: `Bearer ${SECRET}` }],
    ['bearer', { authorization: `bearer ${SECRET}` }],
  ];
  test.each(rows)('%s is accepted', (scheme, headers) => {
    expect(verify(headers)).toEqual({ ok: true, scheme });
  });

  test.each(rows)('%s with another secret is refused', (_scheme, headers) => {
    expect(verify(headers, { secrets: ['another secret'] })).toEqual({ ok: false, code: 'mismatch' });
  });
});

describe('timestamps', () => {
  const at = (seconds: number) => {
    const time = String(NOW / 1000 + seconds);
    return {
      generic_v2: { 'x-webhook-timestamp': time, 'x-webhook-signature-v2': hex(`${time}.${BODY}`) },
      slack: { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${hex(`v0:${time}:${BODY}`)}` },
      stripe: { 'stripe-signature': `t=${time},v1=${hex(`${time}.${BODY}`)}` },
      standard: signRequest('standard', SECRET, { body: BODY, id: 'a', nowMs: NOW + seconds * 1000 }),
    };
  };
  test.each([
    [0, true],
    [300, true],
    [-300, true],
    [301, false],
    [-301, false],
  ])('%d s away: %p', (seconds, isAccepted) => {
    for (const headers of Object.values(at(seconds))) expect(verify(headers).ok).toBe(isAccepted);
  });

  test.each(['', 'NaN', '1e9', '-5', '1700000000.5', '0x10', ' 1700000000', '9'.repeat(40)])(
    '%p is no timestamp',
    (time) => {
      const headers = { 'x-webhook-timestamp': time, 'x-webhook-signature-v2': hex(`${time}.${BODY}`) };
      expect(verify(headers).ok).toBe(false);
    },
  );
});

describe('bad signatures', () => {
  const good = `sha256=${hex(BODY)}`;
  test.each([
    ['empty', ''],
    ['cut', good.slice(0, -1)],
    ['longer', `${good}0`],
    ['upper case', `sha256=${hex(BODY).toUpperCase()}`],
    ['without its prefix', hex(BODY)],
    ['of another algorithm', good.replace('sha256', 'sha1')],
    ['Latin-1', `${good.slice(0, -1)}é`],
    ['a control character', `${good.slice(0, -1)}\x01`],
    ['twice', `${good}, ${good}`],
  ])('%s is refused', (_what, value) => {
    const headers = { get: (name: string) => (name === 'x-hub-signature-256' ? value : null) } as Headers;
    const input = { headers, body: new TextEncoder().encode(BODY), nowMs: NOW };
    expect(verifySignature(input, [SECRET])).toEqual({ ok: false, code: 'mismatch' });
  });

  test('no header of any scheme is missing, not mismatched', () => {
    expect(verify({ 'webhook-id': 'only the signature header commits' })).toEqual({ ok: false, code: 'missing' });
  });

  test('the first scheme that is present decides: no fall-through to a weaker valid one', () => {
    expect(verify({ 'x-hub-signature-256': 'sha256=00', 'x-webhook-signature': hex(BODY) }).ok).toBe(false);
    expect(verify({ 'webhook-signature': 'v1,x', 'x-gitlab-token': SECRET }).ok).toBe(false);
  });

  test('a pinned scheme refuses a valid signature of another one', () => {
    const headers = { 'x-gitlab-token': SECRET };
    expect(verify(headers, { pinned: 'github' })).toEqual({ ok: false, code: 'missing' });
    expect(verify({ ...headers, 'x-hub-signature-256': `sha256=${hex(BODY)}` }, { pinned: 'github' }).ok).toBe(true);
  });

  test('an empty secret verifies nothing', () => {
    expect(verify({ 'x-webhook-signature': hex(BODY, '') }, { secrets: [''] }).ok).toBe(false);
    expect(verify({ authorization: 'Bearer ' }, { secrets: [''] }).ok).toBe(false);
    expect(verify({ 'x-gitlab-token': SECRET }, { secrets: [] }).ok).toBe(false);
    const headers = signRequest('standard', 'whsec_', { body: BODY, id: 'a', nowMs: NOW });
    expect(verify(headers, { secrets: ['whsec_'] }).ok).toBe(false);
  });
});

describe('several signatures and secrets', () => {
  test('any of the secrets of a rotation is good', () => {
    expect(verify({ 'x-webhook-signature': hex(BODY, 'old') }, { secrets: ['new', 'old'] }).ok).toBe(true);
    expect(verify({ 'x-webhook-signature': hex(BODY, 'older') }, { secrets: ['new', 'old'] }).ok).toBe(false);
  });

  test('any v1 of Stripe and of Standard Webhooks is good, v0 and v1a are not', () => {
    const time = NOW / 1000;
    const good = hex(`${time}.${BODY}`);
    expect(verify({ 'stripe-signature': `t=${time},v1=${'0'.repeat(64)},v1=${good},v0=x` }).ok).toBe(true);
    expect(verify({ 'stripe-signature': `t=${time},v0=${good}` }).ok).toBe(false);
    expect(verify({ 'stripe-signature': `v1=${good}` }).ok).toBe(false);
    const headers = signRequest('standard', SECRET, { body: BODY, id: 'a', nowMs: NOW });
    const signature = headers['webhook-signature'] as string;
    expect(verify({ ...headers, 'webhook-signature': `v1a,zzz v1,AAAA ${signature}` }).ok).toBe(true);
    expect(verify({ ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') }).ok).toBe(false);
  });
});

test.each([
  ['GitHub', 'github'],
  ['generic-v2', 'generic_v2'],
  ['v1', 'generic_v1'],
  ['standard-webhooks', 'standard'],
  ['constructor', undefined],
  ['sha1', undefined],
])('the scheme %p is read as %p', (text, name) => {
  expect(parseScheme(text)).toBe(name as SchemeName | undefined);
});

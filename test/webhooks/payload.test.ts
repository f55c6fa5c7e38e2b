import { describe, expect, test } from 'bun:test';
import { parsePayload as parse } from '../../src/webhooks/body.ts';
import { readDeliveryId } from '../../src/webhooks/delivery-id.ts';
import { isWantedEvent, readEventType } from '../../src/webhooks/event-type.ts';
import { isValidName, normalizeName } from '../../src/webhooks/name.ts';
import { readOrigin } from '../../src/webhooks/origin.ts';
import { type AcceptedScheme, SCHEME_NAMES } from '../../src/webhooks/signatures.ts';
import { isSilent } from '../../src/webhooks/silence.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The payload of a body, or undefined when it is refused. */
function parsePayload(body: Uint8Array, type: string | null, scheme: AcceptedScheme = 'bearer') {
  const parsed = parse(body, type, scheme);
  return parsed.ok ? parsed.payload : undefined;
}

describe('parsePayload', () => {
  test.each([
    ['an object', '{"a":1}', JSON_TYPE, { a: 1 }],
    ['an object without a content type', '{"a":1}', null, { a: 1 }],
    ['a byte order mark', '\uFEFF{"a":1}', JSON_TYPE, { a: 1 }],
    ['duplicate keys: the last wins', '{"a":1,"a":2}', JSON_TYPE, { a: 2 }],
    ['a form', 'a=1&b=x+y', FORM_TYPE, { a: '1', b: 'x y' }],
    ['a form with a repeated field', 'a=1&a=2', FORM_TYPE, { a: ['1', '2'] }],
    [
      'a form with payload=JSON',
      `payload=${encodeURIComponent('{"a":{"b":1}}')}`,
      `${FORM_TYPE}; charset=utf-8`,
      { a: { b: 1 } },
    ],
    ['a form whose field payload is no JSON', 'payload=5+boxes&a=1', FORM_TYPE, { payload: '5 boxes', a: '1' }],
    ['JSON that curl calls a form', '{"a":"b=c&d"}', FORM_TYPE, { a: 'b=c&d' }],
  ])('%s', (_what, text, type, expected) => {
    expect({ ...parsePayload(bytes(text), type) }).toEqual(expected);
  });

  test.each([
    ['nothing', '', JSON_TYPE],
    ['a list', '[1]', JSON_TYPE],
    ['a number', '1', JSON_TYPE],
    ['null', 'null', JSON_TYPE],
    ['malformed JSON', '{"a":', JSON_TYPE],
    ['a form whose payload is a list', 'payload=[1]', FORM_TYPE],
    ['a form whose payload is malformed', 'payload={', FORM_TYPE],
    ['an empty form', '', FORM_TYPE],
  ])('%s is refused', (_what, text, type) => {
    expect(parsePayload(bytes(text), type)).toBeUndefined();
  });

  test('forms are taken only of schemes whose senders sign forms, and only as they send them', () => {
    const accepts = (text: string) =>
      SCHEME_NAMES.filter((scheme) => parsePayload(bytes(text), FORM_TYPE, scheme) !== undefined);
    expect(accepts('payload=%7B%22a%22%3A1%7D')).toEqual(['slack', 'github', 'generic_v2', 'bearer']);
    expect(accepts('token=x&text=y')).toEqual(['slack', 'generic_v2', 'bearer']);
    for (const text of [
      '1700000000.{"a":"&payload=%7B%7D&"}',
      'v0:1700000000:{"a":"&payload=%7B%7D&"}',
      'msg_1.1700000000.{"a":"&payload=%7B%7D&"}',
    ])
      expect(accepts(text)).toEqual(['bearer']);
    expect(parse(bytes('a=1'), FORM_TYPE, 'generic_v1')).toEqual({
      ok: false,
      error: 'Body must be a JSON object: senders of the scheme generic_v1 send no forms',
    });
  });

  test('invalid UTF-8 is refused', () => {
    expect(parsePayload(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), JSON_TYPE)).toBeUndefined();
  });

  test('__proto__ is a key like any other and pollutes nothing', () => {
    const payload = parsePayload(bytes('{"__proto__":{"polluted":1}}'), JSON_TYPE);
    expect(Object.keys(payload ?? {})).toEqual(['__proto__']);
    const form = parsePayload(bytes('__proto__=x&a=1'), FORM_TYPE);
    expect(Object.keys(form ?? {})).toEqual(['__proto__', 'a']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('more than 10,000 levels are refused, brackets inside texts do not count', () => {
    const deep = (levels: number) => bytes(`{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`);
    expect(parsePayload(deep(10_000), JSON_TYPE)).toBeDefined();
    expect(parsePayload(deep(10_001), JSON_TYPE)).toBeUndefined();
    expect(parsePayload(deep(500_000), JSON_TYPE)).toBeUndefined();
    expect(parsePayload(bytes(JSON.stringify({ a: '[{"\\'.repeat(20_000) })), JSON_TYPE)).toBeDefined();
  });

  test('10,000 levels are parsed', () => {
    expect(parsePayload(bytes(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`), JSON_TYPE)).toBeDefined();
  });
});

describe('readEventType', () => {
  const typed = (scheme: AcceptedScheme, headers: Record<string, string>, payload: Record<string, unknown>) =>
    readEventType(new Headers(headers), payload, scheme);

  test.each([
    ['github', { 'x-github-event': 'push' }, { type: 'x' }, { name: 'push' }],
    ['gitea', { 'x-gitea-event': 'push' }, {}, { name: 'push' }],
    ['forgejo', { 'x-forgejo-event': 'push' }, {}, { name: 'push' }],
    [
      'gitlab',
      { 'x-gitlab-event': 'Merge Request Hook' },
      { object_kind: 'merge_request' },
      { name: 'Merge Request Hook', alias: 'merge_request' },
    ],
    ['gitlab', { 'x-gitlab-event': 'Push Hook' }, {}, { name: 'Push Hook' }],
    ['shopify', { 'x-shopify-topic': 'orders/create' }, {}, { name: 'orders/create' }],
    ['linear', { 'linear-event': 'Issue' }, { type: 'Comment' }, { name: 'Comment' }],
    ['linear', { 'linear-event': 'Issue' }, {}, { name: 'Issue' }],
    ['generic_v2', {}, { event_type: 'a', type: 'b', event: 'c' }, { name: 'a' }],
    ['stripe', {}, { type: 'payment_intent.succeeded', event: 'c' }, { name: 'payment_intent.succeeded' }],
    ['github', {}, { event: 'c' }, { name: 'c' }],
    ['standard', {}, { event_type: 1, type: { a: 1 }, event: '' }, { name: 'unknown' }],
    ['bearer', {}, {}, { name: 'unknown' }],
    ['none', { 'x-github-event': 'push' }, { type: 'x' }, { name: 'push' }],
  ] as [AcceptedScheme, Record<string, string>, Record<string, unknown>, object][])(
    '%s, headers %j and body %j',
    (scheme, headers, payload, expected) => {
      expect(typed(scheme, headers, payload)).toEqual(expected as never);
    },
  );

  test('an inherited key is no event', () => {
    expect(typed('bearer', {}, Object.create({ type: 'inherited' }))).toEqual({ name: 'unknown' });
  });

  test('matching is exact, an alias counts, an empty list takes all', () => {
    expect(isWantedEvent(new Set(['push']), { name: 'push' })).toBe(true);
    expect(isWantedEvent(new Set(['push']), { name: 'Push' })).toBe(false);
    expect(isWantedEvent(new Set(['pus']), { name: 'push' })).toBe(false);
    expect(isWantedEvent(new Set(['merge_request']), { name: 'Merge Request Hook', alias: 'merge_request' })).toBe(
      true,
    );
    expect(isWantedEvent(new Set(), { name: 'anything' })).toBe(true);
  });
});

describe('readDeliveryId', () => {
  const read = (
    scheme: AcceptedScheme,
    headers: Record<string, string>,
    { payload = {}, body = '{}', route = 'a', ttlMs = 3_600_000 } = {},
  ) => readDeliveryId({ scheme, headers: new Headers(headers), payload, body: bytes(body), route, ttlMs });

  test.each([
    ['github', { 'x-github-delivery': 'g', 'x-request-id': 'r' }, 'g'],
    ['gitea', { 'x-gitea-delivery': 'g' }, 'g'],
    ['forgejo', { 'x-gitea-delivery': 'g', 'x-forgejo-delivery': 'f' }, 'f'],
    ['svix', { 'svix-id': 's', 'idempotency-key': 'k' }, 's'],
    ['standard', { 'webhook-id': 'w' }, 'w'],
    ['shopify', { 'x-shopify-webhook-id': 's' }, 's'],
    ['gitlab', { 'x-gitlab-event-uuid': 'u', 'idempotency-key': 'k' }, 'u'],
    ['linear', { 'linear-delivery': 'l' }, 'l'],
    ['generic_v2', { 'idempotency-key': 'k', 'x-request-id': 'r' }, 'k'],
    ['bearer', { 'x-request-id': ' r ' }, 'r'],
    ['none', { 'x-github-delivery': 'g' }, 'g'],
  ] as [AcceptedScheme, Record<string, string>, string][])('%s: %j', (scheme, headers, id) => {
    expect(read(scheme, headers)).toMatchObject({ id, ttlMs: 3_600_000 });
  });

  test('an id of the body counts where the provider puts one there: Stripe and Slack', () => {
    expect(read('stripe', { 'stripe-signature': 't=1' }, { payload: { id: 'evt_1' } }).id).toBe('evt_1');
    expect(read('slack', {}, { payload: { event_id: 'Ev1', id: 'x' } }).id).toBe('Ev1');
    expect(read('slack', {}, { payload: { trigger_id: 'T1' } }).id).toBe('T1');
    for (const payload of [{ id: 'evt_1' }, { event_id: 'x' }, Object.create({ id: 'inherited' })])
      expect(read('generic_v2', {}, { payload }).id).toStartWith('sha256-');
    expect(read('stripe', {}, { payload: { id: 5 } }).id).toStartWith('sha256-');
  });

  test('without an id the same body is the same delivery for a minute', () => {
    for (const scheme of SCHEME_NAMES) {
      if (scheme === 'svix' || scheme === 'standard') continue;
      expect(read(scheme, {}).ttlMs).toBe(60_000);
      expect(read(scheme, {}).key).toBe(read(scheme, {}).key);
      expect(read(scheme, {}).key).not.toBe(read(scheme, {}, { body: '{} ' }).key);
    }
  });

  test('the key is bound to the route and to the body', () => {
    const headers = { 'x-request-id': 'r' };
    const { key } = read('bearer', headers);
    expect(read('bearer', headers).key).toBe(key);
    expect(read('bearer', headers, { route: 'b' }).key).not.toBe(key);
    expect(read('bearer', headers, { body: '{"x":1}' }).key).not.toBe(key);
  });

  test('an id is forgotten no sooner than the signature that holds it', () => {
    expect(read('standard', { 'webhook-id': 'w' }, { ttlMs: 1000 }).ttlMs).toBe(600_000);
    expect(read('github', { 'x-github-delivery': 'g' }, { ttlMs: 1000 }).ttlMs).toBe(1000);
  });

  test('an endless id, or one with a NUL, is shown as a digest', () => {
    expect(read('bearer', { 'x-request-id': 'r'.repeat(5000) }).id.length).toBeLessThan(50);
    expect(read('stripe', {}, { payload: { id: 'evt\0x' } }).id).toStartWith('sha256-');
  });
});

test.each([
  ['  My Hook ', 'my-hook', true],
  ['gh', 'gh', true],
  ['a'.repeat(64), 'a'.repeat(64), true],
  ['a'.repeat(65), 'a'.repeat(65), false],
  ['', '', false],
  ['-x', '-x', false],
  ['_x', '_x', false],
  ['a/b', 'a/b', false],
  ['../x', '../x', false],
  ['ünicode', 'ünicode', false],
  ['__proto__', '__proto__', false],
  ['a\nb', 'a\nb', false],
])('the name %p becomes %p, valid: %p', (input, name, isValid) => {
  expect(normalizeName(input)).toBe(name);
  expect(isValidName(name)).toBe(isValid);
});

test.each([
  ['[SILENT]', true],
  ['  NO_REPLY\n', true],
  ['[SILENT]\nnothing to say', true],
  ['nothing happened\r\n\r\n[SILENT]', true],
  ['a line with [SILENT] in it', false],
  ['text\nNO_REPLY\nmore text', false],
  ['no_reply', false],
  ['', false],
])('the answer %p is silent: %p', (answer, expected) => {
  expect(isSilent(answer)).toBe(expected);
});

describe('readOrigin', () => {
  const github = new Headers({ 'x-github-event': 'issues' });
  const gitlab = new Headers({ 'x-gitlab-event': 'Note Hook' });
  test('GitHub issues and pull requests', () => {
    const repository = { full_name: 'o/r' };
    expect(readOrigin(github, { repository, issue: { number: 7 } }, 'github')).toEqual({
      source: 'github',
      repo: 'o/r',
      number: 7,
    });
    expect(readOrigin(github, { repository, number: 8, pull_request: { number: 8 } }, 'github')).toMatchObject({
      number: 8,
    });
    expect(readOrigin(github, { repository, issue: { number: '7' } }, 'github')).toBeUndefined();
    expect(readOrigin(github, { repository }, 'github')).toBeUndefined();
  });
  test('the headers of a provider count only when its own scheme proved the request', () => {
    const issue = { repository: { full_name: 'o/r' }, issue: { number: 7 }, project: { id: 5 }, object_kind: 'note' };
    expect(readOrigin(github, issue, 'none')).toBeDefined();
    expect(readOrigin(gitlab, { ...issue, issue: { iid: 4 } }, 'none')).toBeDefined();
    for (const scheme of SCHEME_NAMES) {
      if (scheme !== 'github') expect(readOrigin(github, issue, scheme)).toBeUndefined();
      if (scheme !== 'gitlab') expect(readOrigin(gitlab, { ...issue, issue: { iid: 4 } }, scheme)).toBeUndefined();
    }
    const gitea = new Headers({ 'x-github-event': 'issues', 'x-gitea-event': 'issues' });
    expect(readOrigin(gitea, issue, 'github')).toBeUndefined();
  });
  test('GitLab merge requests, issues and their notes', () => {
    const project = { id: 5 };
    expect(
      readOrigin(gitlab, { object_kind: 'merge_request', project, object_attributes: { iid: 3 } }, 'gitlab'),
    ).toEqual({
      source: 'gitlab',
      project: '5',
      noteable: 'merge_request',
      iid: 3,
    });
    expect(readOrigin(gitlab, { object_kind: 'note', project, issue: { iid: 4 } }, 'gitlab')).toMatchObject({
      noteable: 'issue',
      iid: 4,
    });
    expect(readOrigin(gitlab, { object_kind: 'push', project }, 'gitlab')).toBeUndefined();
  });
  test('a response address is believed only when Slack signed it', () => {
    const payload = { response_url: 'https://hooks.slack.com/x' };
    expect(readOrigin(new Headers(), payload, 'slack')).toEqual({ source: 'slack', responseUrl: payload.response_url });
    expect(readOrigin(new Headers(), payload, 'bearer')).toBeUndefined();
  });
});

import { describe, expect, test } from 'bun:test';
import { parsePayload } from '../../src/webhooks/body.ts';
import { readDeliveryId } from '../../src/webhooks/delivery-id.ts';
import { isWantedEvent, readEventType } from '../../src/webhooks/event-type.ts';
import { isValidName, normalizeName } from '../../src/webhooks/name.ts';
import { readOrigin } from '../../src/webhooks/origin.ts';
import { isSilent } from '../../src/webhooks/silence.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

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
  test.each([
    ['GitHub', { 'x-github-event': 'push' }, { type: 'x' }, { name: 'push' }],
    ['Gitea', { 'x-gitea-event': 'push' }, {}, { name: 'push' }],
    ['Forgejo', { 'x-forgejo-event': 'push' }, {}, { name: 'push' }],
    [
      'GitLab',
      { 'x-gitlab-event': 'Merge Request Hook' },
      { object_kind: 'merge_request' },
      { name: 'Merge Request Hook', alias: 'merge_request' },
    ],
    ['GitLab without a kind', { 'x-gitlab-event': 'Push Hook' }, {}, { name: 'Push Hook' }],
    ['Shopify', { 'x-shopify-topic': 'orders/create' }, {}, { name: 'orders/create' }],
    ['Linear', { 'linear-event': 'Issue' }, { type: 'Comment' }, { name: 'Issue' }],
    ['event_type before type', {}, { event_type: 'a', type: 'b', event: 'c' }, { name: 'a' }],
    ['type before event', {}, { type: 'payment_intent.succeeded', event: 'c' }, { name: 'payment_intent.succeeded' }],
    ['event', {}, { event: 'c' }, { name: 'c' }],
    ['values that are not text', {}, { event_type: 1, type: { a: 1 }, event: '' }, { name: 'unknown' }],
    ['nothing', {}, {}, { name: 'unknown' }],
  ])('%s', (_what, headers, payload, expected) => {
    expect(readEventType(new Headers(headers as Record<string, string>), payload)).toEqual(expected);
  });

  test('an inherited key is no event', () => {
    expect(readEventType(new Headers(), Object.create({ type: 'inherited' }))).toEqual({ name: 'unknown' });
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
  const read = (headers: Record<string, string>, payload: Record<string, unknown> = {}, body = '{}', route = 'a') =>
    readDeliveryId(new Headers(headers), payload, bytes(body), route);

  test.each([
    [{ 'x-github-delivery': 'g', 'x-request-id': 'r' }, 'g'],
    [{ 'x-gitea-delivery': 'g' }, 'g'],
    [{ 'svix-id': 's', 'idempotency-key': 'k' }, 's'],
    [{ 'webhook-id': 'w' }, 'w'],
    [{ 'x-gitlab-event-uuid': 'u' }, 'u'],
    [{ 'linear-delivery': 'l' }, 'l'],
    [{ 'idempotency-key': 'k', 'x-request-id': 'r' }, 'k'],
    [{ 'x-request-id': ' r ' }, 'r'],
  ])('%p', (headers, id) => {
    const found = read(headers as unknown as Record<string, string>);
    expect(found.id).toBe(id);
    expect(found.windowMs).toBeUndefined();
  });

  test('the id of the body counts for Stripe only', () => {
    expect(read({ 'stripe-signature': 't=1' }, { id: 'evt_1' }).id).toBe('evt_1');
    expect(read({}, { id: 'evt_1' }).id).toStartWith('sha256-');
  });

  test('without an id the same body is the same delivery for a minute', () => {
    expect(read({}).windowMs).toBe(60_000);
    expect(read({}).key).toBe(read({}).key);
    expect(read({}).key).not.toBe(read({}, {}, '{} ').key);
  });

  test('the key is bound to the route and to the body', () => {
    const headers = { 'x-request-id': 'r' };
    const key = read(headers).key;
    expect(read(headers).key).toBe(key);
    expect(read(headers, {}, '{}', 'b').key).not.toBe(key);
    expect(read(headers, {}, '{"x":1}').key).not.toBe(key);
  });

  test('an endless id is shown as a digest', () => {
    expect(read({ 'x-request-id': 'r'.repeat(5000) }).id.length).toBeLessThan(50);
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

import { expect, test } from 'bun:test';
import { checkBind, isLoopback, urlOf } from '../../src/http/bind.ts';

test.each([
  ['127.0.0.1', true],
  ['127.255.255.254', true],
  ['localhost', true],
  ['LOCALHOST', true],
  ['api.localhost', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['', false],
  ['127.0.0.1.evil.example', false],
  ['127.0.0.256', false],
  ['128.0.0.1', false],
  ['localhost.evil.example', false],
  ['192.168.0.10', false],
  ['::ffff:10.0.0.1', false],
])('isLoopback(%j) is %p', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

test('a network address is allowed with a token or on request only', () => {
  expect(checkBind({ host: '0.0.0.0', insecure: false })).toMatchObject({ ok: false, code: 'bind_refused' });
  expect(checkBind({ host: '0.0.0.0', insecure: true })).toEqual({ ok: true });
  expect(checkBind({ host: '0.0.0.0', insecure: false, api_token: 't' })).toEqual({ ok: true });
  expect(checkBind({ host: '127.0.0.1', insecure: false })).toEqual({ ok: true });
});

test('an IPv6 address is shown in brackets', () => {
  expect(urlOf('::1', 80)).toBe('http://[::1]:80');
  expect(urlOf('127.0.0.1', 8000)).toBe('http://127.0.0.1:8000');
});

import { describe, expect, test } from 'bun:test';
import { createCallerCheck } from '../../src/http/check-caller.ts';
import { createCors } from '../../src/http/cors.ts';

const check = createCallerCheck({
  hosts: ['127.0.0.1', 'agent.example.org', 'Proxy.Example.org:8443', 'under_score', ''],
  allowsOrigin: createCors(['http://localhost:3000', 'https://Client.example.org/', 'app://client']).allows,
});
const verdict = (headers: Record<string, string>, method = 'GET') => {
  const result = check({ method, headers: new Headers(headers) });
  return result.ok ? 200 : result.status;
};

describe('the Host', () => {
  test.each([
    'localhost',
    'localhost:8000',
    'LOCALHOST:8000',
    'localhost.',
    'localhost.:8000',
    '127.0.0.1',
    '127.0.0.1:8000',
    '127.1:8000',
    '0.0.0.0:8000',
    '[::1]:8000',
    '[0:0:0:0:0:0:0:1]',
    '[fe80::1]:8000',
    '192.168.1.5:8000',
    '203.0.113.5',
    'agent.example.org',
    'Agent.Example.ORG:443',
    'agent.example.org.',
    'proxy.example.org',
    'under_score:8000',
  ])('%s is known', (host) => {
    expect(verdict({ host })).toBe(200);
    expect(verdict({ host }, 'POST')).toBe(200);
  });

  test.each([
    'evil.example',
    'evil.example:8000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1.nip.io:8000',
    'sub.agent.example.org',
    'agent.example.org.evil.example',
    'xagent.example.org',
    'example.org',
    'localhost.localdomain',
    'app.localhost',
    '0x7f000001.evil.example',
    'evil',
    '-',
  ])('%s is another name: 421', (host) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'X'])
      expect(verdict({ host }, method)).toBe(421);
  });

  test.each([
    '',
    ' ',
    ':8000',
    'a b',
    'localhost, evil.example',
    'evil.example, localhost',
    'localhost, localhost',
    'localhost,localhost',
    'localhost@evil.example',
    'evil.example@localhost',
    'localhost/evil.example',
    'localhost\\evil.example',
    'localhost#',
    'localhost?',
    'http://localhost',
    'localhost:8000:8000',
    'localhost:80a',
    '[::1',
    '::1]',
    '[::1%25lo]:8000',
    '[evil.example]',
    '*',
    'lo\tcalhost',
    'xn--\u00e9',
    `${'a'.repeat(300)}.example`,
  ])('%j is no host: 400', (host) => {
    expect(verdict({ host })).toBe(400);
  });

  test('a missing one is 400', () => {
    expect(verdict({})).toBe(400);
    expect(verdict({ origin: 'http://localhost:3000' })).toBe(400);
  });

  test('the refusal names the host and the setting, and nothing that is not a host', () => {
    expect(check({ method: 'GET', headers: new Headers({ host: 'EVIL.example:8000' }) })).toEqual({
      ok: false,
      code: 'host_not_allowed',
      status: 421,
      message:
        'This server is not known as evil.example; if it should be, add the name to server.allowed_hosts (AGENT_ALLOWED_HOSTS).',
    });
    const script = check({ method: 'GET', headers: new Headers({ host: '<script>' }) });
    expect(JSON.stringify(script)).not.toContain('script>');
  });
});

describe('the Origin', () => {
  test.each([
    ['none', { host: 'localhost:8000' }],
    ['the page itself', { host: 'localhost:8000', origin: 'http://localhost:8000' }],
    ['the page itself by address', { host: '127.0.0.1:8000', origin: 'http://127.0.0.1:8000' }],
    ['the page itself by IPv6 address', { host: '[::1]:8000', origin: 'http://[::1]:8000' }],
    ['the page itself behind a TLS proxy', { host: 'agent.example.org', origin: 'https://agent.example.org' }],
    [
      'the page itself, default port written out',
      { host: 'agent.example.org:443', origin: 'https://agent.example.org' },
    ],
    ['a listed one', { host: 'localhost:8000', origin: 'http://localhost:3000' }],
    ['a listed one, written differently in the settings', { host: '[::1]', origin: 'https://client.example.org' }],
    ['a listed one of a desktop program', { host: '[::1]', origin: 'app://client' }],
  ])('%s may call', (_name, headers) => {
    for (const method of ['GET', 'OPTIONS', 'POST', 'DELETE']) expect(verdict(headers, method)).toBe(200);
  });

  test.each([
    'http://evil.example',
    'http://localhost:8001',
    'http://localhost',
    'https://localhost',
    'http://127.0.0.1:8000',
    'http://[::1]:8000',
    'http://localhost:3000.evil.example',
    'http://localhost:30001',
    'http://localhost:8000.evil.example',
    'http://evil.example:8000',
    'http://evil@localhost:8000',
    'http://localhost:8000/',
    'http://localhost:8000/path',
    'HTTP://LOCALHOST:8000',
    'http://LOCALHOST:3000',
    'localhost:8000',
    'null',
    '',
    'file://',
    'ftp://localhost:8000',
    'chrome-extension://abcdefghijklmnop',
    'http://localhost:8000, http://evil.example',
    'http://localhost:3000 http://evil.example',
  ])('%j may not', (origin) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'])
      expect(verdict({ host: 'localhost:8000', origin }, method)).toBe(403);
  });

  test('a star lets every page in, but under no other name', () => {
    const open = createCallerCheck({ hosts: [], allowsOrigin: createCors(['*']).allows });
    const of = (host: string) =>
      open({ method: 'POST', headers: new Headers({ host, origin: 'http://any.example' }) }).ok;
    expect(of('localhost')).toBe(true);
    expect(of('any.example')).toBe(false);
  });
});

describe('Sec-Fetch-Site without an Origin', () => {
  const host = 'localhost:8000';
  test.each(['cross-site', 'same-site', 'none, cross-site', 'something-new', ''])('%j may read but not act', (site) => {
    const headers = { host, 'sec-fetch-site': site };
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(verdict(headers, method)).toBe(200);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'X']) expect(verdict(headers, method)).toBe(403);
  });

  test.each(['same-origin', 'none'])('%s may act', (site) => {
    expect(verdict({ host, 'sec-fetch-site': site }, 'POST')).toBe(200);
  });

  test('a listed Origin may act from another site, one that only looks like ours may not', () => {
    const site = { host, 'sec-fetch-site': 'cross-site' };
    expect(verdict({ ...site, origin: 'http://localhost:3000' }, 'POST')).toBe(200);
    expect(verdict({ ...site, origin: 'https://localhost:8000' }, 'POST')).toBe(403);
  });
});

import { describe, expect, test } from 'bun:test';
import { isPublicAddress } from '../../src/crawl/address.ts';
import { type UrlProblem, validateUrl } from '../../src/crawl/validate-url.ts';

const PUBLIC = { allowPrivateNetwork: false };

const REFUSED: [string, UrlProblem][] = [
  // Not http.
  ['ftp://example.com/', 'scheme_refused'],
  ['file:///etc/passwd', 'scheme_refused'],
  ['gopher://example.com/', 'scheme_refused'],
  ['javascript:alert(1)', 'scheme_refused'],
  ['data:text/html,hi', 'scheme_refused'],
  ['ws://example.com/', 'scheme_refused'],
  ['unix:/var/run/docker.sock', 'scheme_refused'],
  ['blob:http://example.com/x', 'scheme_refused'],
  ['view-source:http://example.com', 'scheme_refused'],
  // Not a URL, or one that only a lenient parser understands.
  ['', 'invalid_url'],
  ['example.com', 'invalid_url'],
  ['//example.com/', 'invalid_url'],
  ['http://', 'invalid_url'],
  ['http:example.com', 'invalid_url'],
  ['http:/example.com', 'invalid_url'],
  ['http:///127.0.0.1/', 'invalid_url'],
  ['http:\\\\127.0.0.1\\', 'invalid_url'],
  ['http://example.com\\@127.0.0.1/', 'invalid_url'],
  ['http://127.0.0.1\t/', 'invalid_url'],
  ['http://exa\nmple.com/', 'invalid_url'],
  ['ht\ttp://127.0.0.1/', 'invalid_url'],
  ['http://example.com/\r\nHost: internal', 'invalid_url'],
  ['http://exam ple.com/', 'invalid_url'],
  ['http://localhost%00.example.com/', 'invalid_url'],
  ['http://[::1%25lo]/', 'invalid_url'],
  ['http://1.2.3.4.5/', 'invalid_url'],
  ['http://256.256.256.256/', 'invalid_url'],
  ['http://0xffffffffff/', 'invalid_url'],
  ['http://./', 'invalid_url'],
  ['http://example.com../', 'invalid_url'],
  ['http://example.com:99999/', 'invalid_url'],
  [`http://example.com/${'a'.repeat(9000)}`, 'invalid_url'],
  // Credentials.
  ['http://user@example.com/', 'credentials_refused'],
  ['http://user:secret@example.com/', 'credentials_refused'],
  ['http://example.com@127.0.0.1/', 'credentials_refused'],
  ['http://@example.com/', 'credentials_refused'],
  ['http://:@example.com/', 'credentials_refused'],
  // Ports of other protocols.
  ['http://example.com:0/', 'port_refused'],
  ['http://example.com:22/', 'port_refused'],
  ['http://example.com:25/', 'port_refused'],
  ['https://example.com:6667/', 'port_refused'],
  ['http://example.com:10080/', 'port_refused'],
  // Private names.
  ['http://localhost/', 'host_refused'],
  ['http://LOCALHOST:8000/', 'host_refused'],
  ['http://localhost./', 'host_refused'],
  ['http://a.localhost/', 'host_refused'],
  ['http://ｌｏｃａｌｈｏｓｔ/', 'host_refused'],
  ['http://%6cocalhost/', 'host_refused'],
  ['http://localhost。/', 'host_refused'],
  ['http://LOCALHOST%2e/', 'host_refused'],
  ['http://printer.local/', 'host_refused'],
  ['http://localhost.localdomain/', 'host_refused'],
  ['http://metadata.google.internal/computeMetadata/v1/', 'host_refused'],
  ['http://METADATA.google.INTERNAL./', 'host_refused'],
  ['http://nas.home.arpa/', 'host_refused'],
  // IPv4.
  ['http://0.0.0.0/', 'address_refused'],
  ['http://0.1.2.3/', 'address_refused'],
  ['http://10.0.0.1/', 'address_refused'],
  ['http://100.64.0.1/', 'address_refused'],
  ['http://100.100.100.200/', 'address_refused'],
  ['http://127.0.0.1/', 'address_refused'],
  ['https://127.255.255.254:8443/', 'address_refused'],
  ['http://168.63.129.16/', 'address_refused'],
  ['http://169.254.169.254/latest/meta-data/', 'address_refused'],
  ['http://169.254.170.2/', 'address_refused'],
  ['http://172.16.0.1/', 'address_refused'],
  ['http://172.31.255.255/', 'address_refused'],
  ['http://192.0.0.192/', 'address_refused'],
  ['http://192.0.2.1/', 'address_refused'],
  ['http://192.168.1.1/', 'address_refused'],
  ['http://198.18.0.1/', 'address_refused'],
  ['http://198.51.100.7/', 'address_refused'],
  ['http://203.0.113.7/', 'address_refused'],
  ['http://224.0.0.1/', 'address_refused'],
  ['http://240.0.0.1/', 'address_refused'],
  ['http://255.255.255.255/', 'address_refused'],
  // IPv4 in odd spellings; public ones too, since no honest link is written so.
  ['http://2130706433/', 'address_refused'],
  ['http://0x7f000001/', 'address_refused'],
  ['http://0X7F.1/', 'address_refused'],
  ['http://0177.0.0.1/', 'address_refused'],
  ['http://00000177.0.0.01/', 'address_refused'],
  ['http://127.1/', 'address_refused'],
  ['http://127.0.1/', 'address_refused'],
  ['http://0/', 'address_refused'],
  ['http://127.0.0.1./', 'address_refused'],
  ['http://127。0。0。1/', 'address_refused'],
  ['http://①②⑦.⓪.⓪.①/', 'address_refused'],
  ['http://１２７.0.0.1/', 'address_refused'],
  ['http://%31%32%37.0.0.1/', 'address_refused'],
  ['http://0xa9fea9fe/', 'address_refused'],
  ['http://2852039166/', 'address_refused'],
  ['http://0251.0376.0251.0376/', 'address_refused'],
  ['http://0x08080808/', 'address_refused'],
  // IPv6.
  ['http://[::]/', 'address_refused'],
  ['http://[::1]/', 'address_refused'],
  ['http://[0:0:0:0:0:0:0:1]:8080/', 'address_refused'],
  ['http://[::127.0.0.1]/', 'address_refused'],
  ['http://[::ffff:127.0.0.1]/', 'address_refused'],
  ['http://[::ffff:7f00:1]/', 'address_refused'],
  ['http://[::ffff:8.8.8.8]/', 'address_refused'],
  ['http://[0000::FFFF:a9fe:a9fe]/', 'address_refused'],
  ['http://[::ffff:0:127.0.0.1]/', 'address_refused'],
  ['http://[64:ff9b::7f00:1]/', 'address_refused'],
  ['http://[64:ff9b:1::a00:1]/', 'address_refused'],
  ['http://[2002:7f00:1::]/', 'address_refused'],
  ['http://[2001::1]/', 'address_refused'],
  ['http://[2001:db8::1]/', 'address_refused'],
  ['http://[3fff::1]/', 'address_refused'],
  ['http://[100::1]/', 'address_refused'],
  ['http://[fc00::1]/', 'address_refused'],
  ['http://[fd00:ec2::254]/', 'address_refused'],
  ['http://[fe80::1]/', 'address_refused'],
  ['http://[fec0::1]/', 'address_refused'],
  ['http://[ff02::1]/', 'address_refused'],
  ['http://[4000::1]/', 'address_refused'],
];

const ACCEPTED: [string, string][] = [
  ['http://example.com', 'http://example.com/'],
  [' https://example.com/a?b=c#d ', 'https://example.com/a?b=c#d'],
  ['HTTPS://EXAMPLE.com:443/', 'https://example.com/'],
  ['https://example.com/a b (c)?d=e f', 'https://example.com/a%20b%20(c)?d=e%20f'],
  ['http://example.com:8080/', 'http://example.com:8080/'],
  ['http://example.com./path', 'http://example.com/path'],
  ['https://münchen.example/', 'https://xn--mnchen-3ya.example/'],
  ['http://8.8.8.8/', 'http://8.8.8.8/'],
  ['http://172.32.0.1/', 'http://172.32.0.1/'],
  ['http://[2606:4700:4700::1111]/', 'http://[2606:4700:4700::1111]/'],
  ['https://example.com/users/@someone', 'https://example.com/users/@someone'],
  ['https://example.com?next=http://127.0.0.1/', 'https://example.com/?next=http://127.0.0.1/'],
  ['https://notlocalhost.com/', 'https://notlocalhost.com/'],
  ['https://localhost.example.com/', 'https://localhost.example.com/'],
  ['https://127.0.0.1.example.com/', 'https://127.0.0.1.example.com/'],
];

describe('validateUrl', () => {
  test.each(REFUSED)('refuses %s as %s', (text, code) => {
    expect(validateUrl(text, PUBLIC)).toMatchObject({ ok: false, code });
  });

  test.each(ACCEPTED)('accepts %s', (text, href) => {
    const checked = validateUrl(text, PUBLIC);
    expect(checked.ok && checked.url.href).toBe(href);
  });

  test('knows enough odd spellings', () => {
    expect(REFUSED.length).toBeGreaterThanOrEqual(80);
  });

  test.each(REFUSED.filter(([, code]) => code !== 'host_refused' && code !== 'address_refused'))(
    'refuses %s on a private network too',
    (text, code) => {
      expect(validateUrl(text, { allowPrivateNetwork: true })).toMatchObject({ ok: false, code });
    },
  );

  test.each(['http://localhost:3000/', 'http://127.0.0.1/', 'http://10.1.2.3/', 'http://[::1]/', 'http://nas.local/'])(
    'accepts %s on a private network',
    (text) => expect(validateUrl(text, { allowPrivateNetwork: true }).ok).toBe(true),
  );

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://169.254.170.2/',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00:ec2::254]/latest',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
  ])('refuses %s, where credentials are, on a private network too', (text) =>
    expect(validateUrl(text, { allowPrivateNetwork: true })).toMatchObject({ ok: false, code: 'address_refused' }),
  );

  test('never repeats the address, which may hold a secret', () => {
    const checked = validateUrl('http://user:hunter2@example.com/?key=hunter2', PUBLIC);
    expect(JSON.stringify(checked)).not.toContain('hunter2');
  });
});

describe('isPublicAddress', () => {
  test.each(['8.8.8.8', '1.1.1.1', '223.255.255.255', '2606:4700::1', '2a00:1450:4001::1'])(
    'knows %s is public',
    (ip) => expect(isPublicAddress(ip)).toBe(true),
  );

  test.each([
    '',
    'example.com',
    '127.1',
    '0x7f.0.0.1',
    '010.0.0.1',
    '2606:4700::1%eth0',
    '::ffff:8.8.8.8',
    '192.168.0.1',
  ])('does not take %p for public', (ip) => expect(isPublicAddress(ip)).toBe(false));
});

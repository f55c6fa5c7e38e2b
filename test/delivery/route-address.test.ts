import { expect, test } from 'bun:test';
import { routeAddress } from '../../src/delivery/route-address.ts';

const LISTED = ['hooks.example.org', '10.0.0.8:9000'];
const check = (template: string | undefined, rendered: string) => {
  const result = routeAddress({ target: 'webhook', template, rendered, allowedHosts: LISTED });
  return typeof result === 'string' ? result : result.code;
};
const REFUSED = 'target_bad_destination';

test.each([
  'https://hooks.example.com/in?token=t',
  'http://127.0.0.1:8065/hooks/x',
  'http://mattermost.lan/hooks/x',
  'http://user:pw@nas.local/hook',
])('an address the owner wrote in full goes where he wrote, in his network too: %s', (address) => {
  expect(check(address, address)).toBe(address);
});

/** Rows: the template, what an event made of it. */
const FIXED: [string, string][] = [
  ['https://hooks.example.com/{team}/in', 'https://hooks.example.com/ops/in'],
  ['https://hooks.example.com/in?from={sender}', 'https://hooks.example.com/in?from=http://evil.example/'],
  ['http://10.0.0.7:9000/{id}', 'http://10.0.0.7:9000/5'],
  ['HTTPS://Hooks.Example.com/{id}', 'HTTPS://Hooks.Example.com/5'],
  ['https://hooks.example.com?x={id}', 'https://hooks.example.com?x=5'],
];
test.each(FIXED)('below a host the owner wrote, an event may fill in the rest: %s', (template, rendered) => {
  expect(check(template, rendered)).toBe(rendered);
});

const CHOSEN: [string | undefined, string][] = [
  ['{callback}', 'https://evil.example/x'],
  ['{callback}', 'http://169.254.169.254/latest'],
  ['{callback}', 'http://127.0.0.1:8000/api'],
  ['{callback}', 'file:///etc/passwd'],
  ['{callback}', '{callback}'],
  ['https://{tenant}.example.com/x', 'https://evil.example/?.example.com/x'],
  ['https://hooks.example.com{path}', 'https://hooks.example.com.evil.example/'],
  ['https://hooks.example.com{path}', 'https://hooks.example.com@evil.example/'],
  ['https://hooks.example.com:{port}/x', 'https://hooks.example.com:22/x'],
  ['https://{user}@hooks.example.com/x', 'https://evil.example/@hooks.example.com/x'],
  ['{scheme}://hooks.example.com/x', 'http://hooks.example.com/x'],
  ['https:/{rest}', 'https://evil.example/'],
  ['//{host}/x', '//evil.example/x'],
  // The path the owner wrote is not left.
  ['https://hooks.example.com/team/{id}', 'https://hooks.example.com/team/../admin'],
  ['https://hooks.example.com/team/{id}', 'https://hooks.example.com/team/%2e%2E/admin'],
  ['https://hooks.example.com/team/{id}', 'https://hooks.example.com/team/..\\admin'],
  ['https://hooks.example.com/team/{id}', 'https://hooks.example.com/te\n\tam/../../x'],
  // What an event made of an unknown template may be anything.
  [undefined, 'https://evil.example/'],
];
test.each(CHOSEN)('the event may not choose who is called: %s as %s', (template, rendered) => {
  expect(check(template, rendered)).toBe(REFUSED);
});

test('a listed host may come from the event, on its own port only and without a login', () => {
  expect(check('{callback}', 'https://hooks.example.org/x')).toBe('https://hooks.example.org/x');
  expect(check('https://{host}/x', 'https://HOOKS.example.org/x')).toBe('https://HOOKS.example.org/x');
  expect(check('{callback}', 'http://10.0.0.8:9000/x')).toBe('http://10.0.0.8:9000/x');
  for (const address of [
    'https://hooks.example.org:8443/x',
    'https://sub.hooks.example.org/x',
    'https://hooks.example.org./x',
    'https://user:pw@hooks.example.org/x',
    'http://10.0.0.8/x',
  ])
    expect([address, check('{callback}', address)]).toEqual([address, REFUSED]);
});

test('a refusal says what to do and never repeats the address', () => {
  const result = routeAddress({
    target: 'webhook',
    template: '{callback}',
    rendered: 'https://evil.example/?leak=hunter2',
    allowedHosts: [],
  });
  expect(result).toMatchObject({ ok: false, retryable: false });
  expect(JSON.stringify(result)).toContain('platforms.outgoing_webhook.allowed_hosts');
  expect(JSON.stringify(result)).not.toContain('evil.example');
});

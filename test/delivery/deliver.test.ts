import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createDeliverer } from '../../src/delivery/deliver.ts';
import type { DeliveryRequest } from '../../src/delivery/model.ts';
import { createLogger, silentLogger } from '../../src/lib/log.ts';
import { guardedFetch, targetSettings } from '../contract/delivery.ts';

interface Call {
  path: string;
  headers: Headers;
  body: Record<string, unknown>;
}

let calls: Call[] = [];
let answers: ((call: Call) => Response)[] = [];
let server: ReturnType<typeof Bun.serve>;
let base = '';
let lines: string[] = [];

beforeEach(() => {
  calls = [];
  answers = [];
  lines = [];
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const url = new URL(request.url);
      const call = {
        path: decodeURIComponent(url.pathname),
        headers: request.headers,
        body: JSON.parse(await request.text()),
      };
      calls.push(call);
      return answers.shift()?.(call) ?? Response.json({ ok: true });
    },
  });
  base = `http://127.0.0.1:${server.port}`;
});
afterEach(() => server.stop(true));

const NOW = 1_700_000_000_000;
const clock = { now: () => NOW, sleep: () => Promise.reject(new Error('no sleeping')) };

function deliver(settings: Record<string, unknown>, request: Partial<DeliveryRequest>) {
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  return createDeliverer({ config: targetSettings(settings), fetch, guardedFetch, clock, log }).deliver({
    target: 'log',
    content: 'hello',
    extra: {},
    deliveryId: 'd-1',
    signal: new AbortController().signal,
    ...request,
  });
}

describe('createDeliverer', () => {
  test('knows every target of the product', () => {
    const deliverer = createDeliverer({ config: targetSettings({}), fetch, guardedFetch, clock, log: silentLogger });
    expect(
      deliverer
        .targets()
        .map((target) => target.name)
        .sort(),
    ).toEqual(
      [
        ...['dingtalk', 'discord', 'email', 'feishu', 'github_comment', 'gitlab_comment', 'homeassistant', 'log'],
        ...[
          'matrix',
          'mattermost',
          'ntfy',
          'origin',
          'signal',
          'slack',
          'sms',
          'telegram',
          'webhook',
          'wecom',
          'whatsapp',
        ],
      ].sort(),
    );
  });

  test('an unknown target is refused with the known ones', async () => {
    for (const target of ['telegramm', 'constructor', '__proto__', '']) {
      const result = await deliver({}, { target });
      expect(result).toMatchObject({ ok: false, code: 'target_unknown', retryable: false });
      expect('message' in result && result.message).toContain('telegram');
    }
  });

  test('the log target accepts a text without writing it', async () => {
    expect(await deliver({}, { content: 'confidential answer' })).toEqual({ ok: true });
    expect(lines.join()).toContain('d-1');
    expect(lines.join()).not.toContain('confidential');
  });

  test('an address that is no URL is a fault of the settings', async () => {
    const result = await deliver(
      { telegram: { bot_token: 't', base_url: 'nonsense' } },
      { target: 'telegram', extra: { chat_id: '1' } },
    );
    expect(result).toMatchObject({ ok: false, code: 'target_not_configured', retryable: false });
  });
});

describe('destinations', () => {
  const settings = () => ({
    telegram: { bot_token: '1:t', home_channel: '-100', home_thread_id: '9', base_url: base },
    slack: { bot_token: 'xoxb', base_url: base },
    github: { token: 'g', base_url: base },
    gitlab: { token: 'g', base_url: base },
    sms: { account_sid: 'AC', auth_token: 'tttt', phone_number: 'MG1', base_url: base },
    homeassistant: { token: 'h', base_url: base },
    outgoing_webhook: { secret: 'plain secret' },
  });

  test('the home channel and its topic are used when the route names no chat', async () => {
    expect(await deliver(settings(), { target: 'telegram' })).toEqual({ ok: true });
    expect(calls[0]?.body).toMatchObject({ chat_id: '-100', message_thread_id: 9 });
  });

  test('the topic of the home channel does not follow into another chat', async () => {
    expect(await deliver(settings(), { target: 'telegram', extra: { chat_id: '-200' } })).toEqual({ ok: true });
    expect(calls[0]?.body['message_thread_id']).toBeUndefined();
  });

  test('no chat and no home channel is a clear refusal', async () => {
    const result = await deliver(settings(), { target: 'slack' });
    expect(result).toMatchObject({ ok: false, code: 'target_not_configured', retryable: false });
    expect('message' in result && result.message).toContain('SLACK_HOME_CHANNEL');
  });

  const bad: [string, Record<string, string>][] = [
    ['telegram', { chat_id: '{match.chat}' }],
    ['telegram', { chat_id: '12 34' }],
    ['telegram', { message_thread_id: 'x' }],
    ['slack', { chat_id: 'C1', thread_ts: 'now' }],
    ['slack', { chat_id: '{channel}' }],
    ['sms', { chat_id: '5551234' }],
    ['homeassistant', { chat_id: '../../config' }],
    ['webhook', { url: 'file:///etc/passwd' }],
    ['webhook', { url: '{callback}' }],
    ['github_comment', { repo: 'a/b' }],
    ['github_comment', { pr_number: '1' }],
    ['github_comment', { repo: 'a/b', pr_number: '0' }],
    ['github_comment', { repo: 'a/b', pr_number: '-1' }],
    ['github_comment', { repo: 'a/b', pr_number: '1.5' }],
    ['github_comment', { repo: 'a/b', pr_number: '1/../../x' }],
    ['github_comment', { repo: 'a/..', pr_number: '1' }],
    ['github_comment', { repo: 'a/b/c', pr_number: '1' }],
    ['github_comment', { repo: '{repository.full_name}', pr_number: '1' }],
    ['gitlab_comment', { project: 'a/b' }],
    ['gitlab_comment', { project: 'a b', issue_iid: '1' }],
    ['gitlab_comment', { project: '5', merge_request_iid: 'x' }],
  ];
  for (const [target, extra] of bad)
    test(`${target} refuses ${JSON.stringify(extra)} and calls nobody`, async () => {
      const result = await deliver(settings(), { target, extra });
      expect(result).toMatchObject({ ok: false, code: 'target_bad_destination', retryable: false });
      expect(calls).toEqual([]);
    });

  test('GitLab issues are addressed by project id', async () => {
    expect(await deliver(settings(), { target: 'gitlab_comment', extra: { project: '12', issue_iid: '3' } })).toEqual({
      ok: true,
    });
    expect(calls[0]?.path).toBe('/api/v4/projects/12/issues/3/notes');
  });
});

describe('telegram', () => {
  const telegram = () => ({ telegram: { bot_token: '1:t', home_channel: '5', base_url: base } });

  test('formats with MarkdownV2 and falls back to plain text when it is not understood', async () => {
    answers.push(() =>
      Response.json(
        { ok: false, error_code: 400, description: "Bad Request: can't parse entities: Character '.' is reserved" },
        { status: 400 },
      ),
    );
    expect(await deliver(telegram(), { target: 'telegram', content: '**Disk** at 91.5%' })).toEqual({ ok: true });
    expect(calls.map((call) => [call.body['parse_mode'], call.body['text']])).toEqual([
      ['MarkdownV2', '*Disk* at 91\\.5%'],
      [undefined, '**Disk** at 91.5%'],
    ]);
  });

  test('a refusal told in a 200 is a refusal', async () => {
    answers.push(() =>
      Response.json({ ok: false, error_code: 403, description: 'Forbidden: bot was blocked by the user' }),
    );
    const result = await deliver(telegram(), { target: 'telegram' });
    expect(result).toMatchObject({ ok: false, code: 'target_rejected', retryable: false });
    expect('message' in result && result.message).toContain('blocked');
  });
});

describe('answers told in the body', () => {
  const rows: [string, Record<string, string>, unknown, Record<string, unknown>][] = [
    [
      'slack',
      { chat_id: 'C123' },
      { ok: false, error: 'channel_not_found' },
      { code: 'target_rejected', retryable: false },
    ],
    ['slack', { chat_id: 'C123' }, { ok: false, error: 'internal_error' }, { code: 'target_failed', retryable: true }],
    [
      'slack',
      { chat_id: 'C123' },
      { ok: false, error: 'ratelimited' },
      { code: 'target_rate_limited', retryable: true },
    ],
    ['dingtalk', {}, { errcode: -1, errmsg: 'busy' }, { code: 'target_failed', retryable: true }],
    [
      'dingtalk',
      {},
      { errcode: 310000, errmsg: 'keywords not in content' },
      { code: 'target_rejected', retryable: false },
    ],
    ['feishu', {}, { StatusCode: 0, StatusMessage: 'success' }, { ok: true }],
    ['feishu', {}, { code: 19021, msg: 'sign match fail' }, { code: 'target_rejected', retryable: false }],
    ['wecom', {}, { errcode: 93000, errmsg: 'invalid webhook url' }, { code: 'target_rejected', retryable: false }],
    [
      'whatsapp',
      { chat_id: '15550001111' },
      { error: { code: 131016, message: 'x' } },
      { code: 'target_failed', retryable: true },
    ],
  ];
  for (const [target, extra, body, expected] of rows)
    test(`${target} ${JSON.stringify(body)}`, async () => {
      answers.push(() => Response.json(body));
      const settings = {
        slack: { bot_token: 'xoxb', base_url: base },
        dingtalk: { webhook_url: `${base}/robot/send?access_token=t` },
        feishu: { webhook_url: `${base}/hook/t` },
        wecom: { webhook_url: `${base}/send?key=t` },
        whatsapp: { access_token: 't', phone_number_id: '1', base_url: base },
      };
      expect(await deliver(settings, { target, extra })).toMatchObject(expected);
    });
});

describe('text of an event gives no commands', () => {
  test('GitLab quick actions are shown, not obeyed', async () => {
    await deliver(
      { gitlab: { token: 'g', base_url: base } },
      { target: 'gitlab_comment', extra: { project: '1', issue_iid: '2' }, content: 'Done\n/close\n  /merge\na/b' },
    );
    expect(calls[0]?.body['body']).toBe('Done\n\\/close\n  \\/merge\na/b');
  });

  test('nobody is called to the channel', async () => {
    const content = '@all @channel @here <!channel> <at user_id="all"></at>';
    await deliver(
      { mattermost: { base_url: base, token: 't', home_channel: 'abcdef' } },
      { target: 'mattermost', content },
    );
    await deliver({ slack: { bot_token: 't', home_channel: 'C1', base_url: base } }, { target: 'slack', content });
    answers.push(() => Response.json({ code: 0 }));
    await deliver({ feishu: { webhook_url: `${base}/hook/x` } }, { target: 'feishu', content });
    expect(calls[0]?.body['message']).not.toMatch(/@(all|channel|here)/);
    expect(calls[1]?.body['text']).not.toContain('<!channel>');
    expect(JSON.stringify(calls[2]?.body)).not.toContain('<at ');
  });
});

describe('origin', () => {
  const settings = () => ({
    github: { token: 'gh', base_url: base },
    gitlab: { token: 'gl', base_url: base },
    slack: { response_base_url: base },
  });

  test('answers a GitHub event with a comment on its issue', async () => {
    const origin = { source: 'github', repo: 'octo/app', number: 7 } as const;
    expect(await deliver(settings(), { target: 'origin', origin })).toEqual({ ok: true });
    expect(calls.map((call) => call.path)).toEqual(['/repos/octo/app/issues/7/comments']);
  });

  test('answers a GitLab event with a note', async () => {
    const origin = { source: 'gitlab', project: '99', noteable: 'merge_request', iid: 4 } as const;
    expect(await deliver(settings(), { target: 'origin', origin })).toEqual({ ok: true });
    expect(calls.map((call) => call.path)).toEqual(['/api/v4/projects/99/merge_requests/4/notes']);
  });

  test('answers a Slack command at its response address', async () => {
    answers.push(() => new Response('ok'));
    const origin = { source: 'slack', responseUrl: `${base}/commands/T1/2/x` } as const;
    expect(await deliver(settings(), { target: 'origin', origin, content: '**hi**' })).toEqual({ ok: true });
    expect(calls[0]).toMatchObject({ path: '/commands/T1/2/x', body: { text: '*hi*', response_type: 'in_channel' } });
  });

  test('a response address that is not of Slack is not called', async () => {
    for (const responseUrl of ['http://169.254.169.254/latest', `${base}0/x`, `${base}@evil.example/x`, 'x']) {
      const result = await deliver(settings(), { target: 'origin', origin: { source: 'slack', responseUrl } });
      expect(result).toMatchObject({ ok: false, code: 'target_bad_destination', retryable: false });
    }
    expect(calls).toEqual([]);
  });

  test('without the token of the code host it says what is missing', async () => {
    const origin = { source: 'github', repo: 'octo/app', number: 7 } as const;
    const result = await deliver({}, { target: 'origin', origin });
    expect(result).toMatchObject({ ok: false, code: 'target_not_configured' });
    expect('message' in result && result.message).toContain('GITHUB_TOKEN');
  });

  test('an event of unknown origin goes to the log with a warning', async () => {
    expect(await deliver({}, { target: 'origin' })).toEqual({ ok: true });
    expect(lines.some((line) => line.includes('"warn"') && line.includes('origin'))).toBe(true);
  });
});

describe('waiting', () => {
  test('a Retry-After date is read against the clock', async () => {
    const date = new Date(NOW + 90_000).toUTCString();
    answers.push(() => new Response('', { status: 503, headers: { 'retry-after': date } }));
    const settings = { homeassistant: { token: 'h', base_url: base } };
    expect(await deliver(settings, { target: 'homeassistant' })).toMatchObject({
      retryable: true,
      retryAfterMs: 90_000,
    });
  });

  test('an exhausted GitHub quota waits until its reset', async () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 120) };
    answers.push(() => Response.json({ message: 'API rate limit exceeded' }, { status: 403, headers }));
    const settings = { github: { token: 'g', base_url: base } };
    const extra = { repo: 'a/b', issue_number: '1' };
    expect(await deliver(settings, { target: 'github_comment', extra })).toMatchObject({
      code: 'target_rate_limited',
      retryAfterMs: 120_000,
    });
  });
});

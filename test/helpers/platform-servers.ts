import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** A request as a platform received it. */
export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  raw: string;
  body: Record<string, unknown>;
}

/** One platform: how it is configured, what it demands, how it answers. */
export interface Wire {
  target: string;
  /** `platforms` settings that point to the server. */
  settings(base: string): Record<string, Record<string, unknown>>;
  extra: Record<string, string>;
  secrets: string[];
  /** Settings named when nothing is configured. */
  missing: string[];
  /** Throws what is wrong with the request, else answers as the platform does. */
  accept(request: Received): Response;
  rateLimited: () => Response;
  retryAfterMs: number | undefined;
  /** A refusal that quotes `words`. */
  refuse(words: string): Response;
  /** The text a reader sees. */
  text(request: Received): string;
  /** Size of the text as the platform counts it. */
  size(request: Received): number;
  limit: number;
  /** The key by which the platform drops repetitions. */
  idempotencyKey?: (request: Received) => unknown;
  /** The platform tells success in the body, so a 200 with something else is no success. */
  readsBody: boolean;
}

export type Mode = 'ok' | 'limited' | 'error' | 'hang' | 'redirect' | 'malformed' | 'quote' | 'flood';

/** A local server that speaks one wire; `modes` are taken one per request, then it is 'ok'. */
export function startPlatform(wire: Wire) {
  const modes: Mode[] = [];
  const received: Received[] = [];
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const url = new URL(request.url);
      if (url.pathname === '/elsewhere') {
        elsewhere.push(await request.text());
        return new Response('{"ok":true}');
      }
      const raw = await request.text();
      const entry = toReceived(request, url, raw);
      const mode = modes.shift() ?? 'ok';
      if (mode === 'hang') return new Promise<Response>(() => {});
      if (mode === 'limited') return wire.rateLimited();
      if (mode === 'error') return new Response('<h1>Internal error</h1>', { status: 500 });
      if (mode === 'redirect') return new Response(null, { status: 307, headers: { location: '/elsewhere' } });
      if (mode === 'malformed') return new Response('<html>Log in to the network</html>', { status: 200 });
      if (mode === 'flood') return new Response('x'.repeat(4_000_000), { status: 200 });
      if (mode === 'quote')
        return wire.refuse(
          `you sent ${JSON.stringify(entry.body)} with ${request.headers.get('authorization') ?? ''} ${wire.secrets.join(' ')} to ${url}`,
        );
      try {
        const answer = wire.accept(entry);
        received.push(entry);
        return answer;
      } catch (error) {
        complaints.push(String(error));
        return wire.refuse('bad request');
      }
    },
  });
  return {
    base: `http://127.0.0.1:${server.port}`,
    modes,
    received,
    /** What was wrong with requests; a test that expects success checks that it is empty. */
    complaints,
    /** Bodies that followed a redirect. */
    elsewhere,
    stop: () => server.stop(true),
  };
}

function toReceived(request: Request, url: URL, raw: string): Received {
  const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded');
  let body: Record<string, unknown> = {};
  if (isForm) body = Object.fromEntries(new URLSearchParams(raw));
  else if (raw) body = JSON.parse(raw);
  return {
    method: request.method,
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers: request.headers,
    raw,
    body,
  };
}

function demand(condition: unknown, complaint: string): asserts condition {
  if (!condition) throw new Error(complaint);
}

function demandHeader(request: Received, name: string, value: string): void {
  demand(request.headers.get(name) === value, `${name} must be ${value}`);
}

const json = (value: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(value, { status, headers });
const bytes = (text: unknown) => Buffer.byteLength(String(text));

/** Reads MarkdownV2 as Telegram does: a reserved character that is neither markup nor escaped is an error. */
export function readMarkdownV2(text: string): string {
  let plain = '';
  const open: string[] = [];
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if (text.startsWith('```', index)) {
      const end = text.indexOf('```', index + 3);
      demand(end > 0, "can't parse entities: Can't find end of Pre entity");
      plain += text.slice(text.indexOf('\n', index) + 1, end).replace(/\\([`\\])/g, '$1');
      index = end + 2;
    } else if (character === '`') {
      const match = /^`((?:\\.|[^`\\])*)`/.exec(text.slice(index));
      demand(match, "can't parse entities: Can't find end of Code entity");
      plain += match[1]?.replace(/\\([`\\])/g, '$1');
      index += match[0].length - 1;
    } else if (character === '\\') plain += text[++index] ?? '';
    else if (character === '>' && (index === 0 || text[index - 1] === '\n')) continue;
    else if (character === '[') {
      const match = /^\[((?:\\.|[^\]\\])*)\]\(((?:\\.|[^)\\])*)\)/.exec(text.slice(index));
      demand(match, "can't parse entities: Character '[' is reserved");
      plain += `${readMarkdownV2(match[1] ?? '')} <${match[2]?.replace(/\\(.)/g, '$1')}>`;
      index += match[0].length - 1;
    } else if ('*_~'.includes(character)) {
      if (open.at(-1) === character) open.pop();
      else {
        demand(!open.includes(character), `can't parse entities: nested ${character}`);
        open.push(character);
      }
    } else {
      demand(!'[]()>#+-=|{}.!'.includes(character), `can't parse entities: Character '${character}' is reserved`);
      plain += character;
    }
  }
  demand(open.length === 0, "can't parse entities: Can't find end of entity");
  return plain;
}

const telegram: Wire = {
  target: 'telegram',
  settings: (base) => ({ telegram: { bot_token: '4711:telegram-token', home_channel: '-100123', base_url: base } }),
  extra: { chat_id: '-100999', message_thread_id: '42' },
  secrets: ['4711:telegram-token'],
  missing: ['TELEGRAM_BOT_TOKEN'],
  accept({ method, path, body }) {
    demand(method === 'POST' && path === '/bot4711:telegram-token/sendMessage', `wrong path ${path}`);
    demand(body['chat_id'] === '-100999' && body['message_thread_id'] === 42, 'wrong chat');
    demand(body['parse_mode'] === undefined || body['parse_mode'] === 'MarkdownV2', 'wrong parse_mode');
    if (body['parse_mode']) readMarkdownV2(String(body['text']));
    return json({ ok: true, result: { message_id: 1 } });
  },
  rateLimited: () =>
    json(
      { ok: false, error_code: 429, description: 'Too Many Requests: retry after 7', parameters: { retry_after: 7 } },
      429,
    ),
  retryAfterMs: 7000,
  refuse: (words) => json({ ok: false, error_code: 400, description: `Bad Request: ${words}` }, 400),
  text: ({ body }) => (body['parse_mode'] ? readMarkdownV2(String(body['text'])) : String(body['text'])),
  size: ({ body }) => String(body['text']).length,
  limit: 4096,
  readsBody: true,
};

const discord: Wire = {
  target: 'discord',
  settings: (base) => ({ discord: { bot_token: 'discord-token', base_url: base } }),
  extra: { chat_id: '123456789012345678' },
  secrets: ['discord-token'],
  missing: ['DISCORD_BOT_TOKEN or DISCORD_WEBHOOK_URL'],
  accept(request) {
    demand(request.path === '/api/v10/channels/123456789012345678/messages', `wrong path ${request.path}`);
    demandHeader(request, 'authorization', 'Bot discord-token');
    demand(String(request.body['nonce']).length <= 25 && request.body['enforce_nonce'] === true, 'nonce');
    demand(JSON.stringify(request.body['allowed_mentions']) === '{"parse":[]}', 'pings');
    return json({ id: '1' });
  },
  rateLimited: () =>
    json({ message: 'You are being rate limited.', retry_after: 0.35, global: false }, 429, { 'retry-after': '1' }),
  retryAfterMs: 350,
  refuse: (words) => json({ message: words, code: 10003 }, 404),
  text: ({ body }) => String(body['content']),
  size: ({ body }) => String(body['content']).length,
  limit: 2000,
  idempotencyKey: ({ body }) => body['nonce'],
  readsBody: false,
};

const discordWebhook: Wire = {
  ...discord,
  settings: (base) => ({ discord: { webhook_url: `${base}/api/webhooks/11/discord-hook-token` } }),
  extra: { thread_id: '998877665544' },
  secrets: ['discord-hook-token'],
  accept({ path, query, body }) {
    demand(path === '/api/webhooks/11/discord-hook-token', `wrong path ${path}`);
    demand(query.get('wait') === 'true' && query.get('thread_id') === '998877665544', 'query');
    demand(JSON.stringify(body['allowed_mentions']) === '{"parse":[]}', 'pings');
    return json({ id: '1' });
  },
};
delete discordWebhook.idempotencyKey;

const unescapeSlack = (text: unknown) =>
  String(text)
    .replace(/<([^|>]+)\|([^>]+)>/g, '$2 <$1>')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

const slack: Wire = {
  target: 'slack',
  settings: (base) => ({ slack: { bot_token: 'xoxb-slack-token', home_channel: 'C0HOME', base_url: base } }),
  extra: { chat_id: 'C0123ABCD', thread_ts: '1700000000.000100' },
  secrets: ['xoxb-slack-token'],
  missing: ['SLACK_BOT_TOKEN or SLACK_WEBHOOK_URL'],
  accept(request) {
    demand(request.path === '/api/chat.postMessage', `wrong path ${request.path}`);
    demandHeader(request, 'authorization', 'Bearer xoxb-slack-token');
    demand(request.body['channel'] === 'C0123ABCD' && request.body['thread_ts'] === '1700000000.000100', 'channel');
    demand(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(
        String(request.body['client_msg_id']),
      ),
      'id',
    );
    return json({ ok: true, ts: '1700000000.000200' });
  },
  rateLimited: () => json({ ok: false, error: 'ratelimited' }, 429, { 'retry-after': '30' }),
  retryAfterMs: 30_000,
  refuse: (words) => json({ ok: false, error: words }),
  text: ({ body }) => unescapeSlack(body['text']),
  size: ({ body }) => String(body['text']).length,
  limit: 4000,
  idempotencyKey: ({ body }) => body['client_msg_id'],
  readsBody: true,
};

const slackWebhook: Wire = {
  ...slack,
  settings: (base) => ({ slack: { webhook_url: `${base}/services/T0/B0/slack-hook-token` } }),
  extra: {},
  secrets: ['slack-hook-token'],
  accept({ path }) {
    demand(path === '/services/T0/B0/slack-hook-token', `wrong path ${path}`);
    return new Response('ok');
  },
  rateLimited: () => new Response('rate_limited', { status: 429, headers: { 'retry-after': '1' } }),
  retryAfterMs: 1000,
  refuse: (words) => new Response(words, { status: 403 }),
};
delete slackWebhook.idempotencyKey;

const mattermost: Wire = {
  target: 'mattermost',
  settings: (base) => ({ mattermost: { base_url: `${base}/`, token: 'mattermost-token' } }),
  extra: { chat_id: '4xp9fdt77pncbef59f4k1qe83o' },
  secrets: ['mattermost-token'],
  missing: ['MATTERMOST_URL', 'MATTERMOST_TOKEN'],
  accept(request) {
    demand(request.path === '/api/v4/posts', `wrong path ${request.path}`);
    demandHeader(request, 'authorization', 'Bearer mattermost-token');
    demand(request.body['channel_id'] === '4xp9fdt77pncbef59f4k1qe83o', 'channel');
    return json({ id: 'p' }, 201);
  },
  rateLimited: () => new Response('limit exceeded', { status: 429, headers: { 'x-ratelimit-reset': '3' } }),
  retryAfterMs: 3000,
  refuse: (words) => json({ id: 'api.post.error', message: words, status_code: 403 }, 403),
  text: ({ body }) => String(body['message']),
  size: ({ body }) => [...String(body['message'])].length,
  limit: 16_383,
  readsBody: false,
};

const matrix: Wire = {
  target: 'matrix',
  settings: (base) => ({ matrix: { base_url: base, access_token: 'syt_matrix_token' } }),
  extra: { chat_id: '!room/1:example.org'.replace('/', '') },
  secrets: ['syt_matrix_token'],
  missing: ['MATRIX_HOMESERVER', 'MATRIX_ACCESS_TOKEN'],
  accept(request) {
    demand(request.method === 'PUT', 'PUT');
    demand(
      /^\/_matrix\/client\/v3\/rooms\/!room1:example\.org\/send\/m\.room\.message\/[^/]+$/.test(request.path),
      request.path,
    );
    demandHeader(request, 'authorization', 'Bearer syt_matrix_token');
    demand(request.body['msgtype'] === 'm.text' && request.body['format'] === 'org.matrix.custom.html', 'content');
    demand(JSON.stringify(request.body['m.mentions']) === '{}', 'pings');
    return json({ event_id: '$1' });
  },
  rateLimited: () => json({ errcode: 'M_LIMIT_EXCEEDED', error: 'Too many requests', retry_after_ms: 2500 }, 429),
  retryAfterMs: 2500,
  refuse: (words) => json({ errcode: 'M_FORBIDDEN', error: words }, 403),
  text: ({ body }) => String(body['body']),
  size: ({ raw }) => bytes(raw),
  limit: 64_000,
  idempotencyKey: ({ path }) => path.split('/').pop(),
  readsBody: false,
};

const signal: Wire = {
  target: 'signal',
  settings: (base) => ({ signal: { base_url: base, account: '+15550001111' } }),
  extra: { chat_id: '+15552223333' },
  secrets: [],
  missing: ['SIGNAL_HTTP_URL', 'SIGNAL_ACCOUNT'],
  accept({ path, body }) {
    demand(path === '/v2/send', `wrong path ${path}`);
    demand(body['number'] === '+15550001111' && JSON.stringify(body['recipients']) === '["+15552223333"]', 'numbers');
    return json({ timestamp: '1700000000000' }, 201);
  },
  rateLimited: () => json({ error: 'Failed to send message due to rate limiting', challenge_tokens: ['t'] }, 429),
  retryAfterMs: undefined,
  refuse: (words) => json({ error: words }, 400),
  text: ({ body }) => String(body['message']),
  size: ({ body }) => String(body['message']).length,
  limit: 2000,
  readsBody: false,
};

const sms: Wire = {
  target: 'sms',
  settings: (base) => ({
    sms: { account_sid: 'AC0123', auth_token: 'twilio-token', phone_number: '+15550001111', base_url: base },
  }),
  extra: { chat_id: '+15552223333' },
  secrets: ['twilio-token', Buffer.from('AC0123:twilio-token').toString('base64')],
  missing: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_PHONE_NUMBER'],
  accept(request) {
    demand(request.path === '/2010-04-01/Accounts/AC0123/Messages.json', `wrong path ${request.path}`);
    demandHeader(request, 'authorization', `Basic ${Buffer.from('AC0123:twilio-token').toString('base64')}`);
    demandHeader(request, 'content-type', 'application/x-www-form-urlencoded');
    demand(request.body['To'] === '+15552223333' && request.body['From'] === '+15550001111', 'numbers');
    return json({ sid: 'SM1', status: 'queued' }, 201);
  },
  rateLimited: () => json({ code: 20429, message: 'Too Many Requests', status: 429 }, 429),
  retryAfterMs: undefined,
  refuse: (words) => json({ code: 21211, message: words, status: 400 }, 400),
  text: ({ body }) => String(body['Body']),
  size: ({ body }) => String(body['Body']).length,
  limit: 1600,
  readsBody: false,
};

const whatsapp: Wire = {
  target: 'whatsapp',
  settings: (base) => ({
    whatsapp: { access_token: 'EAA-whatsapp', phone_number_id: '106540352242922', base_url: base },
  }),
  extra: { chat_id: '+15552223333' },
  secrets: ['EAA-whatsapp'],
  missing: ['WHATSAPP_CLOUD_ACCESS_TOKEN', 'WHATSAPP_CLOUD_PHONE_NUMBER_ID'],
  accept(request) {
    demand(request.path === '/v20.0/106540352242922/messages', `wrong path ${request.path}`);
    demandHeader(request, 'authorization', 'Bearer EAA-whatsapp');
    demand(request.body['messaging_product'] === 'whatsapp' && request.body['to'] === '15552223333', 'to');
    return json({ messaging_product: 'whatsapp', contacts: [], messages: [{ id: 'wamid.1' }] });
  },
  rateLimited: () =>
    json({ error: { message: '(#130429) Rate limit hit', code: 130429, type: 'OAuthException' } }, 400),
  retryAfterMs: undefined,
  refuse: (words) => json({ error: { message: words, code: 100, type: 'OAuthException' } }, 400),
  text: ({ body }) => String((body['text'] as { body: string }).body),
  size: ({ body }) => (body['text'] as { body: string }).body.length,
  limit: 4096,
  readsBody: true,
};

const homeassistant: Wire = {
  target: 'homeassistant',
  settings: (base) => ({ homeassistant: { token: 'hass-token', base_url: base } }),
  extra: { chat_id: 'notify.mobile_app_phone', title: 'Alert' },
  secrets: ['hass-token'],
  missing: ['HASS_TOKEN'],
  accept(request) {
    demand(request.path === '/api/services/notify/mobile_app_phone', `wrong path ${request.path}`);
    demandHeader(request, 'authorization', 'Bearer hass-token');
    demand(request.body['title'] === 'Alert', 'title');
    return json([]);
  },
  rateLimited: () => new Response('', { status: 429 }),
  retryAfterMs: undefined,
  refuse: (words) => json({ message: words }, 400),
  text: ({ body }) => String(body['message']),
  size: ({ body }) => String(body['message']).length,
  limit: 4096,
  readsBody: false,
};

const dingtalk: Wire = {
  target: 'dingtalk',
  settings: (base) => ({
    dingtalk: { webhook_url: `${base}/robot/send?access_token=ding-token`, secret: 'SECding-secret' },
  }),
  extra: {},
  secrets: ['ding-token', 'SECding-secret'],
  missing: ['DINGTALK_WEBHOOK_URL'],
  accept({ path, query, body }) {
    demand(path === '/robot/send' && query.get('access_token') === 'ding-token', 'address');
    const stamp = query.get('timestamp');
    const sign = createHmac('sha256', 'SECding-secret').update(`${stamp}\nSECding-secret`).digest('base64');
    if (query.get('sign') !== sign) return json({ errcode: 310000, errmsg: 'sign not match' });
    demand(body['msgtype'] === 'markdown' && String((body['markdown'] as { title: string }).title) !== '', 'markdown');
    return json({ errcode: 0, errmsg: 'ok' });
  },
  rateLimited: () => json({ errcode: 130101, errmsg: 'send too fast, exceed 20 times per minute' }),
  retryAfterMs: 60_000,
  refuse: (words) => json({ errcode: 300001, errmsg: words }),
  text: ({ body }) => String((body['markdown'] as { text: string }).text),
  size: ({ raw }) => bytes(raw),
  limit: 20_000,
  readsBody: true,
};

const feishu: Wire = {
  target: 'feishu',
  settings: (base) => ({
    feishu: { webhook_url: `${base}/open-apis/bot/v2/hook/feishu-hook-token`, secret: 'feishu-secret' },
  }),
  extra: {},
  secrets: ['feishu-hook-token', 'feishu-secret'],
  missing: ['FEISHU_WEBHOOK_URL'],
  accept({ path, body }) {
    demand(path === '/open-apis/bot/v2/hook/feishu-hook-token', `wrong path ${path}`);
    demand(/^\d{10}$/.test(String(body['timestamp'])), 'timestamp in seconds');
    const sign = createHmac('sha256', `${body['timestamp']}\nfeishu-secret`).digest('base64');
    if (body['sign'] !== sign) return json({ code: 19021, msg: 'sign match fail or timestamp is not within one hour' });
    demand(body['msg_type'] === 'text', 'msg_type');
    return json({ code: 0, msg: 'success', data: {} });
  },
  rateLimited: () => json({ code: 11232, msg: 'frequency limited' }),
  retryAfterMs: undefined,
  refuse: (words) => json({ code: 9499, msg: words }),
  text: ({ body }) => String((body['content'] as { text: string }).text),
  size: ({ raw }) => bytes(raw),
  limit: 20_000,
  readsBody: true,
};

const wecom: Wire = {
  target: 'wecom',
  settings: (base) => ({ wecom: { webhook_url: `${base}/cgi-bin/webhook/send?key=wecom-key-1` } }),
  extra: {},
  secrets: ['wecom-key-1'],
  missing: ['WECOM_WEBHOOK_URL'],
  accept({ path, query, body }) {
    demand(path === '/cgi-bin/webhook/send' && query.get('key') === 'wecom-key-1', 'address');
    demand(body['msgtype'] === 'text', 'msgtype');
    return json({ errcode: 0, errmsg: 'ok' });
  },
  rateLimited: () => json({ errcode: 45009, errmsg: 'api freq out of limit' }),
  retryAfterMs: 60_000,
  refuse: (words) => json({ errcode: 93000, errmsg: words }),
  text: ({ body }) => String((body['text'] as { content: string }).content),
  size: ({ body }) => bytes((body['text'] as { content: string }).content),
  limit: 2048,
  readsBody: true,
};

const ntfy: Wire = {
  target: 'ntfy',
  settings: (base) => ({ ntfy: { base_url: base, token: 'tk_ntfy_token' } }),
  extra: { chat_id: 'alerts', title: 'Disk', priority: '4', tags: 'warning, disk' },
  secrets: ['tk_ntfy_token'],
  missing: [],
  accept(request) {
    demand(request.path === '/', `wrong path ${request.path}`);
    demandHeader(request, 'authorization', 'Bearer tk_ntfy_token');
    const { topic, title, priority, tags } = request.body;
    demand(topic === 'alerts' && title === 'Disk' && priority === 4, 'fields');
    demand(JSON.stringify(tags) === '["warning","disk"]', 'tags');
    return json({ id: 'a', event: 'message' });
  },
  rateLimited: () => json({ code: 42901, http: 429, error: 'limit reached: too many requests' }, 429),
  retryAfterMs: undefined,
  refuse: (words) => json({ code: 40301, http: 403, error: words }, 403),
  text: ({ body }) => String(body['message']),
  size: ({ body }) => bytes(body['message']),
  limit: 4096,
  idempotencyKey: ({ body }) => body['sequence_id'],
  readsBody: false,
};

const webhookSecret = `whsec_${Buffer.from('a key of the receiver, 32 bytes!').toString('base64')}`;
const webhook: Wire = {
  target: 'webhook',
  settings: (base) => ({
    outgoing_webhook: { url: `${base}/hooks/in?token=hook-address-token`, secret: webhookSecret },
  }),
  extra: {},
  secrets: [webhookSecret, 'hook-address-token'],
  missing: ['OUTGOING_WEBHOOK_SECRET'],
  accept({ path, headers, raw }) {
    demand(path === '/hooks/in', `wrong path ${path}`);
    // The receiver verifies with the reference library of the specification.
    new Webhook(webhookSecret).verify(raw, Object.fromEntries(headers));
    return new Response(null, { status: 204 });
  },
  rateLimited: () => new Response('', { status: 429, headers: { 'retry-after': '5' } }),
  retryAfterMs: 5000,
  refuse: (words) => new Response(words, { status: 410 }),
  text: ({ body }) => String((body['data'] as { content: string }).content),
  size: () => 0,
  limit: Number.POSITIVE_INFINITY,
  idempotencyKey: ({ headers }) => headers.get('webhook-id'),
  readsBody: false,
};

const github: Wire = {
  target: 'github_comment',
  settings: (base) => ({ github: { token: 'ghp_github_token', base_url: base } }),
  extra: { repo: 'octo-org/hello.world', pr_number: '42' },
  secrets: ['ghp_github_token'],
  missing: ['GITHUB_TOKEN'],
  accept(request) {
    demand(request.path === '/repos/octo-org/hello.world/issues/42/comments', `wrong path ${request.path}`);
    demandHeader(request, 'authorization', 'Bearer ghp_github_token');
    demandHeader(request, 'accept', 'application/vnd.github+json');
    demand(request.headers.get('user-agent'), 'GitHub refuses calls without a user agent');
    return json({ id: 1 }, 201);
  },
  rateLimited: () => json({ message: 'You have exceeded a secondary rate limit' }, 403, { 'retry-after': '60' }),
  retryAfterMs: 60_000,
  refuse: (words) => json({ message: words }, 422),
  text: ({ body }) => String(body['body']),
  size: ({ body }) => String(body['body']).length,
  limit: 65_536,
  readsBody: false,
};

const gitlab: Wire = {
  target: 'gitlab_comment',
  settings: (base) => ({ gitlab: { token: 'glpat-gitlab', base_url: base } }),
  extra: { project: 'group/sub/app', merge_request_iid: '7' },
  secrets: ['glpat-gitlab'],
  missing: ['GITLAB_TOKEN'],
  accept(request) {
    demand(request.path === '/api/v4/projects/group/sub/app/merge_requests/7/notes', `wrong path ${request.path}`);
    demandHeader(request, 'private-token', 'glpat-gitlab');
    return json({ id: 1 }, 201);
  },
  rateLimited: () => new Response('Retry later', { status: 429, headers: { 'retry-after': '12' } }),
  retryAfterMs: 12_000,
  refuse: (words) => json({ message: words }, 404),
  text: ({ body }) => String(body['body']),
  size: ({ body }) => String(body['body']).length,
  limit: 1_000_000,
  readsBody: false,
};

/** Every target that speaks HTTP, by name of the variant. */
export const wires: Record<string, Wire> = {
  telegram,
  discord,
  'discord (webhook)': discordWebhook,
  slack,
  'slack (webhook)': slackWebhook,
  mattermost,
  matrix,
  signal,
  sms,
  whatsapp,
  homeassistant,
  dingtalk,
  feishu,
  wecom,
  ntfy,
  webhook,
  github_comment: github,
  gitlab_comment: gitlab,
};

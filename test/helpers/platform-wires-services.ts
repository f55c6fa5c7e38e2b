import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { bytes, demand, demandHeader, json, type Wire } from './platform-servers.ts';

export const homeassistant: Wire = {
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

export const dingtalk: Wire = {
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

export const feishu: Wire = {
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

export const wecom: Wire = {
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

export const ntfy: Wire = {
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
export const webhook: Wire = {
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

export const github: Wire = {
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

export const gitlab: Wire = {
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

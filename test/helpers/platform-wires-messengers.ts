import { bytes, demand, demandHeader, json, type Wire } from './platform-servers.ts';

export const mattermost: Wire = {
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

export const matrix: Wire = {
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

export const signal: Wire = {
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

export const sms: Wire = {
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

export const whatsapp: Wire = {
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

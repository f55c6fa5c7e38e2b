import { readMarkdownV2 } from './markdown-v2.ts';
import { demand, demandHeader, json, type Wire } from './platform-servers.ts';

export const telegram: Wire = {
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
    demand(JSON.stringify(body['link_preview_options']) === '{"is_disabled":true}', 'preview');
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

export const discord: Wire = {
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
    demand(request.body['flags'] === 4, 'preview');
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

export const discordWebhook: Wire = {
  ...discord,
  settings: (base) => ({ discord: { webhook_url: `${base}/api/webhooks/11/discord-hook-token` } }),
  extra: { thread_id: '998877665544' },
  secrets: ['discord-hook-token'],
  accept({ path, query, body }) {
    demand(path === '/api/webhooks/11/discord-hook-token', `wrong path ${path}`);
    demand(query.get('wait') === 'true' && query.get('thread_id') === '998877665544', 'query');
    demand(JSON.stringify(body['allowed_mentions']) === '{"parse":[]}', 'pings');
    demand(body['flags'] === 4, 'preview');
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

export const slack: Wire = {
  target: 'slack',
  settings: (base) => ({ slack: { bot_token: 'xoxb-slack-token', home_channel: 'C0HOME', base_url: base } }),
  extra: { chat_id: 'C0123ABCD', thread_ts: '1700000000.000100' },
  secrets: ['xoxb-slack-token'],
  missing: ['SLACK_BOT_TOKEN or SLACK_WEBHOOK_URL'],
  accept(request) {
    demand(request.path === '/api/chat.postMessage', `wrong path ${request.path}`);
    demandHeader(request, 'authorization', 'Bearer xoxb-slack-token');
    demand(request.body['channel'] === 'C0123ABCD' && request.body['thread_ts'] === '1700000000.000100', 'channel');
    demand(request.body['unfurl_links'] === false && request.body['unfurl_media'] === false, 'preview');
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

export const slackWebhook: Wire = {
  ...slack,
  settings: (base) => ({ slack: { webhook_url: `${base}/services/T0/B0/slack-hook-token` } }),
  extra: {},
  secrets: ['slack-hook-token'],
  accept({ path, body }) {
    demand(path === '/services/T0/B0/slack-hook-token', `wrong path ${path}`);
    demand(body['unfurl_links'] === false && body['unfurl_media'] === false, 'preview');
    return new Response('ok');
  },
  rateLimited: () => new Response('rate_limited', { status: 429, headers: { 'retry-after': '1' } }),
  retryAfterMs: 1000,
  refuse: (words) => new Response(words, { status: 403 }),
};
delete slackWebhook.idempotencyKey;

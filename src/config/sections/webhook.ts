import { type Static, type TSchema, Type } from '../../schema.ts';

/** Settings that may stand under `platforms.webhook` or under its `extra`; defaults are applied by `webhookSettings`. */
const settings = (env: (name: string) => string[]) => ({
  host: text('Address the listener binds; absent listens on IPv4 and IPv6.', { minLength: 1 }),
  port: integer('Port of the listener; 0 picks a free one (default 8644).', {
    minimum: 0,
    maximum: 65535,
    env: env('WEBHOOK_PORT'),
  }),
  secret: text('HMAC secret of every route without its own.', { secret: true, env: env('WEBHOOK_SECRET') }),
  public_url: text('Base address that senders reach, instead of http://<host>:<port>.', {
    minLength: 1,
    env: env('WEBHOOK_PUBLIC_URL'),
  }),
  max_body_bytes: integer('Largest accepted body (default 1048576).', { minimum: 1, unit: 'bytes' }),
  max_open_body_bytes: integer('Most bytes of bodies that are being received at once (default 33554432).', {
    minimum: 65536,
    unit: 'bytes',
  }),
  max_open_requests_per_address: integer(
    'Most requests of one address whose bodies are being received (default 100).',
    { minimum: 1 },
  ),
  rate_limit: integer('Accepted requests a minute and route; 0 is no limit (default 30).', { minimum: 0 }),
  auth_failure_limit: integer('Failed signatures a minute and address; 0 is no limit (default 300).', { minimum: 0 }),
  idempotency_ttl: integer('How long a delivery with an id is remembered (default 3600).', {
    minimum: 1,
    unit: 'seconds',
  }),
  script_timeout_seconds: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, unit: 'seconds', description: 'Longest run of a route script (default 30).' }),
  ),
  raw_limit: integer('Longest `{__raw__}` (default 4000).', { minimum: 100, unit: 'characters' }),
  max_concurrency: integer('Events worked on at once (default 2).', { minimum: 1, maximum: 256 }),
  retention_days: integer('How long finished events stay in the delivery log (default 7).', {
    minimum: 1,
    unit: 'days',
  }),
  trusted_proxies: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Proxy addresses whose `X-Forwarded-For` is believed, besides loopback.',
    }),
  ),
  routes: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Static routes: name to route; they win over dynamic ones.',
    }),
  ),
});

function text(description: string, options: Record<string, unknown> = {}) {
  return Type.Optional(Type.String({ description, ...options }));
}

function integer(description: string, options: Record<string, unknown>) {
  return Type.Optional(Type.Integer({ description, ...options }));
}

const extra = Type.Object(
  settings((name) => [name]),
  { default: {}, description: 'The same settings again; here they win.' },
);

/** The webhook listener (`platforms.webhook`). */
export const WebhookSection = Type.Object(
  {
    enabled: Type.Boolean({ default: false, env: ['WEBHOOK_ENABLED'], description: 'Run the webhook listener.' }),
    // A variable must win over the file: it fills `extra`, which wins over the keys here.
    ...settings(() => []),
    extra,
  } satisfies Record<string, TSchema>,
  { default: {}, description: 'The webhook listener.' },
);
export type WebhookSection = Static<typeof WebhookSection>;

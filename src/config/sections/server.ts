import { Type } from '../../schema.ts';

/** The API listener. */
export const ServerSection = Type.Object(
  {
    host: Type.String({ default: '127.0.0.1', env: ['AGENT_HOST'], description: 'Address the API listens on.' }),
    port: Type.Integer({
      default: 8000,
      minimum: 0,
      maximum: 65535,
      env: ['AGENT_PORT'],
      description: 'Port of the API; 0 picks a free one.',
    }),
    api_token: Type.Optional(
      Type.String({
        minLength: 1,
        secret: true,
        env: ['AGENT_API_TOKEN'],
        description: 'Bearer token every /api call must carry; required on a non-loopback host.',
      }),
    ),
    insecure: Type.Boolean({
      default: false,
      env: ['AGENT_INSECURE'],
      description: 'Allow a non-loopback host without a token.',
    }),
    allowed_origins: Type.Array(Type.String(), {
      default: ['http://localhost:3000'],
      env: ['ALLOWED_ORIGINS'],
      description: 'Origins of web pages that may call the server, besides its own pages.',
    }),
    allowed_hosts: Type.Array(Type.String({ pattern: '^[^\\s/*@]+$' }), {
      default: [],
      env: ['AGENT_ALLOWED_HOSTS'],
      description:
        'Host names under which both listeners may be called, besides localhost, plain IP addresses, the bound name and the host of `public_url`.',
    }),
    max_body_bytes: Type.Integer({
      default: 10485760,
      minimum: 1024,
      unit: 'bytes',
      description: 'Largest accepted request body.',
    }),
    heartbeat_seconds: Type.Integer({
      default: 15,
      minimum: 1,
      maximum: 300,
      unit: 'seconds',
      description: 'Silence after which a stream sends a ping comment.',
    }),
    loop_alarm_ms: Type.Integer({
      default: 1000,
      minimum: 50,
      unit: 'milliseconds',
      description: 'How long the event loop may be held before the log says so.',
    }),
    shutdown_seconds: Type.Integer({
      default: 8,
      minimum: 1,
      maximum: 60,
      unit: 'seconds',
      description: 'Time given to open streams when the server stops.',
    }),
  },
  { default: {}, description: 'The HTTP API.' },
);

/** The log on stderr. */
export const LogSection = Type.Object(
  {
    level: Type.Union(
      [
        Type.Literal('debug'),
        Type.Literal('info'),
        Type.Literal('warn'),
        Type.Literal('error'),
        Type.Literal('silent'),
      ],
      {
        default: 'info',
        env: ['AGENT_LOG_LEVEL'],
        description: 'Least important entry that is written.',
      },
    ),
    format: Type.Union([Type.Literal('text'), Type.Literal('json')], {
      default: 'text',
      env: ['AGENT_LOG_FORMAT'],
      description: 'Lines for people or for machines.',
    }),
  },
  { default: {}, description: 'The log, written to stderr.' },
);

/** Where runs and threads are kept. */
export const DatabaseSection = Type.Object(
  {
    url: Type.String({
      default: 'sqlite:agent.db',
      secret: true,
      env: ['AGENT_DATABASE_URL'],
      description: '`sqlite:<path>` (relative to the home) or `postgres://…` to share runs between replicas.',
    }),
  },
  { default: {}, description: 'The database of runs and threads.' },
);

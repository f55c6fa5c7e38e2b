import type { WebhookSection } from '../config/sections/webhook.ts';
import { withoutTrailingSlashes } from '../lib/trim.ts';

const DEFAULT_PORT = 8644;

/** The listener's settings with defaults applied. */
export interface WebhookSettings {
  enabled: boolean;
  /** Undefined: dual stack. */
  host: string | undefined;
  port: number;
  secret: string | undefined;
  publicUrl: string | undefined;
  maxBodyBytes: number;
  /** Most bytes of bodies that are being received. */
  maxOpenBodyBytes: number;
  /** Most requests of one address whose bodies are being received. */
  maxOpenRequestsPerAddress: number;
  /** Requests a minute and route; 0 is no limit. */
  rateLimit: number;
  /** Failed signatures a minute and address; 0 is no limit. */
  authFailureLimit: number;
  idempotencyTtlMs: number;
  scriptTimeoutMs: number;
  rawLimit: number;
  maxConcurrency: number;
  retentionMs: number;
  trustedProxies: string[];
  routes: Record<string, unknown>;
}

/** Reads `platforms.webhook`; a key under `extra` wins over the same key beside it. */
export function webhookSettings(section: WebhookSection): WebhookSettings {
  const { extra, ...direct } = section;
  const read = <K extends keyof typeof extra>(key: K): (typeof extra)[K] => extra?.[key] ?? direct[key];
  return {
    enabled: section.enabled,
    host: read('host'),
    port: read('port') ?? DEFAULT_PORT,
    secret: read('secret'),
    publicUrl: read('public_url'),
    maxBodyBytes: read('max_body_bytes') ?? 1_048_576,
    maxOpenBodyBytes: read('max_open_body_bytes') ?? 33_554_432,
    maxOpenRequestsPerAddress: read('max_open_requests_per_address') ?? 100,
    rateLimit: read('rate_limit') ?? 30,
    authFailureLimit: read('auth_failure_limit') ?? 300,
    idempotencyTtlMs: (read('idempotency_ttl') ?? 3600) * 1000,
    scriptTimeoutMs: (read('script_timeout_seconds') ?? 30) * 1000,
    rawLimit: read('raw_limit') ?? 4000,
    maxConcurrency: read('max_concurrency') ?? 2,
    retentionMs: (read('retention_days') ?? 7) * 86_400_000,
    trustedProxies: read('trusted_proxies') ?? [],
    routes: { ...direct.routes, ...extra?.routes },
  };
}

/** True for the names and addresses only this machine can reach. */
export function isLoopbackName(host: string | undefined): boolean {
  return host !== undefined && ['127.0.0.1', 'localhost', '::1', '[::1]'].includes(host.toLowerCase());
}

/** The names the settings give the listener: where it is bound, and what senders call it. */
export function listenerNames({ host, publicUrl }: Pick<WebhookSettings, 'host' | 'publicUrl'>): string[] {
  const url = publicUrl && URL.parse(publicUrl.includes('://') ? publicUrl : `http://${publicUrl}`);
  return [host, url ? url.host : undefined].filter((name) => name !== undefined);
}

/** Address of a route as its sender must be told. */
export function webhookUrl(settings: Pick<WebhookSettings, 'host' | 'port' | 'publicUrl'>, name: string): string {
  return `${baseUrl(settings)}/webhooks/${name}`;
}

/** Address of the listener: `public_url`, or host and port; `localhost` when it listens everywhere. */
function baseUrl(settings: Pick<WebhookSettings, 'host' | 'port' | 'publicUrl'>): string {
  return settings.publicUrl ? withoutTrailingSlashes(settings.publicUrl) : localUrl(settings);
}

/** Address of the listener from this machine. */
export function localUrl({ host, port }: Pick<WebhookSettings, 'host' | 'port'>): string {
  const isEverywhere = !host || host === '0.0.0.0' || host === '::' || host === '[::]';
  const name = isEverywhere ? 'localhost' : host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

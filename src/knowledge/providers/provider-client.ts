import { AppError, fail } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { fetchProvider, ProviderStatus } from '../../lib/provider-fetch.ts';
import { retry } from '../../lib/retry.ts';
import { withoutTrailingSlashes } from '../../lib/trim.ts';

/** What every external knowledge base needs from outside. */
export interface ProviderNeeds {
  fetch: typeof fetch;
  clock: Clock;
  timeoutMs: number;
}

export interface ProviderClientOptions extends ProviderNeeds {
  /** Name for people, in every error sentence. */
  provider: string;
  /** Address all paths are below. */
  baseUrl: string;
  /** Headers of every call, or what signs one. */
  headers: Record<string, string> | ((call: { method: Method; url: URL; body: string }) => Record<string, string>);
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface ProviderCall {
  method: Method;
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  signal: AbortSignal;
}

/** Calls one provider's JSON API; answers must be JSON objects. */
export type ProviderClient = (call: ProviderCall) => Promise<Record<string, unknown>>;

const MAX_BYTES = 16 * 1024 * 1024;
const ATTEMPTS = 2;
const RETRY = { baseMs: 200, maxMs: 2000 };

/**
 * A client of a JSON API with time limit, size cap and one more attempt when a failure may pass. Throws `upstream_*`
 * errors that name the provider; a timeout is not tried again, for somebody waits.
 */
export function createProviderClient(options: ProviderClientOptions): ProviderClient {
  const { provider, clock, headers } = options;
  const base = withoutTrailingSlashes(options.baseUrl);
  return async ({ method, path, query, body, signal }) => {
    signal.throwIfAborted();
    const url = new URL(`${base}${path}${query ? `?${new URLSearchParams(query)}` : ''}`);
    const text = body === undefined ? '' : JSON.stringify(body);
    const attempt = () =>
      fetchProvider({
        provider,
        fetch: options.fetch,
        url,
        init: {
          method,
          headers: {
            accept: 'application/json',
            ...(text ? { 'content-type': 'application/json' } : {}),
            ...(typeof headers === 'function' ? headers({ method, url, body: text }) : headers),
          },
          ...(text ? { body: text } : {}),
        },
        timeoutMs: options.timeoutMs,
        maxBytes: MAX_BYTES,
        signal,
        now: clock.now(),
      });
    const { bytes } = await retry(attempt, { attempts: ATTEMPTS, ...RETRY, clock, signal, shouldRetry });
    const answer = parseJson(new TextDecoder().decode(bytes));
    if (isRecord(answer)) return answer;
    throw fail('upstream_rejected', `${provider} sent an answer that is not JSON.`);
  };
}

/** The status a provider refused with; undefined for any other failure. */
export function refusedStatus(error: unknown): number | undefined {
  return error instanceof AppError && error.cause instanceof ProviderStatus ? error.cause.status : undefined;
}

function shouldRetry(error: unknown): boolean | number {
  if (!(error instanceof AppError) || !error.retryable || error.code === 'upstream_timeout') return false;
  return error.retryAfterMs ?? true;
}

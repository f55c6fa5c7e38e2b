import { AppError, fail } from '../errors.ts';
import { readCapped } from './read-capped.ts';
import { readRetryAfter } from './retry-after.ts';

export interface ProviderRequest {
  /** Name for people, in every error sentence. */
  provider: string;
  fetch: typeof fetch;
  url: URL | string;
  init?: { method?: 'GET' | 'POST' | 'PUT' | 'DELETE'; headers?: Record<string, string>; body?: string };
  timeoutMs: number;
  /** Largest answer. */
  maxBytes: number;
  signal: AbortSignal;
  /** Epoch milliseconds, to read a `Retry-After` date. */
  now: number;
  /** Reads the body of a refusal for an error that says more than its status; undefined leaves the status' own. */
  readFailure?(body: Uint8Array): AppError | undefined;
}

export interface ProviderResponse {
  headers: Headers;
  bytes: Uint8Array;
}

/** The status a provider refused with; the `cause` of the AppError. */
export class ProviderStatus extends Error {
  constructor(readonly status: number) {
    super(`HTTP ${status}`);
    this.name = 'ProviderStatus';
  }
}

/**
 * Calls a configured provider with a time limit and a size cap; redirects are not followed, so that keys stay with it.
 * Throws an AppError `upstream_*` on any failure or status other than 2xx; rejects with the signal's reason on abort.
 */
export async function fetchProvider(request: ProviderRequest): Promise<ProviderResponse> {
  const { provider } = request;
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = AbortSignal.any([request.signal, timeout]);
  try {
    const response = await request.fetch(request.url, { ...request.init, redirect: 'manual', signal });
    if (!response.ok) {
      if (!request.readFailure) await response.body?.cancel();
      const told = request.readFailure?.(await readAnswer(response, request));
      throw told ?? statusError(provider, response, request.now);
    }
    return { headers: response.headers, bytes: await readAnswer(response, request) };
  } catch (error) {
    request.signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    if (timeout.aborted) {
      const message = `${provider} did not answer in time.`;
      throw fail('upstream_timeout', message, { cause: error });
    }
    const message = `${provider} could not be reached.`;
    throw fail('upstream_unavailable', message, { cause: error });
  }
}

async function readAnswer(response: Response, { provider, maxBytes }: ProviderRequest): Promise<Uint8Array> {
  const { bytes, isCut } = await readCapped(response.body, maxBytes);
  if (isCut) throw fail('upstream_rejected', `${provider} sent an answer that is too large.`);
  return bytes;
}

function statusError(provider: string, { status, headers }: Response, now: number): AppError {
  const cause = new ProviderStatus(status);
  const retryAfterMs = readRetryAfter(headers, now);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 429)
    return fail('upstream_rate_limited', `${provider} limits the rate of requests (HTTP 429).`, { cause, ...wait });
  if (status === 408 || status === 504)
    return fail('upstream_timeout', `${provider} timed out (HTTP ${status}).`, { cause });
  if (status >= 500) return fail('upstream_unavailable', `${provider} failed (HTTP ${status}).`, { cause, ...wait });
  const why = status === 401 || status === 403 ? 'refused the credentials or the request' : 'refused the request';
  return fail('upstream_rejected', `${provider} ${why} (HTTP ${status}).`, { cause });
}

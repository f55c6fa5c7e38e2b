import { AppError, fail } from '../errors.ts';

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
      const told = request.readFailure?.(await readCapped(response, request));
      throw told ?? statusError(provider, response, request.now);
    }
    return { headers: response.headers, bytes: await readCapped(response, request) };
  } catch (error) {
    request.signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    if (timeout.aborted) {
      const message = `${provider} did not answer in time.`;
      throw fail('upstream_timeout', message, { retryable: true, cause: error });
    }
    const message = `${provider} could not be reached.`;
    throw fail('upstream_unavailable', message, { retryable: true, cause: error });
  }
}

async function readCapped(response: Response, { provider, maxBytes }: ProviderRequest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes)
      throw fail('upstream_rejected', `${provider} sent an answer that is too large.`, { retryable: false });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function statusError(provider: string, { status, headers }: Response, now: number): AppError {
  const cause = new ProviderStatus(status);
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), now);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 429)
    return fail('upstream_rate_limited', `${provider} limits the rate of requests (HTTP 429).`, {
      retryable: true,
      cause,
      ...wait,
    });
  if (status === 408 || status === 504)
    return fail('upstream_timeout', `${provider} timed out (HTTP ${status}).`, { retryable: true, cause });
  if (status >= 500)
    return fail('upstream_unavailable', `${provider} failed (HTTP ${status}).`, {
      retryable: true,
      cause,
      ...wait,
    });
  const why = status === 401 || status === 403 ? 'refused the credentials or the request' : 'refused the request';
  return fail('upstream_rejected', `${provider} ${why} (HTTP ${status}).`, { retryable: false, cause });
}

/** `Retry-After` as milliseconds from `now`: seconds or an HTTP date (RFC 9110); undefined when absent or malformed. */
function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

import { AppError, upstreamError, userError } from '../errors.ts';
import type { Logger } from '../lib/log.ts';
import { createGuard, type Guard, type GuardedTarget, type Resolve } from './guard.ts';
import { ACCEPT_ENCODING, readBody, tooLarge } from './read-body.ts';

export interface GuardedRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Whole exchange, redirects included. */
  timeoutMs: number;
  /** Decompressed bytes. */
  maxBytes: number;
  /** Accepted media types (`text/`, `application/pdf`); a prefix ending in `/` accepts the family. Absent: any. */
  accept?: string[];
  signal: AbortSignal;
}

export interface GuardedResponse {
  /** Final address after redirects. */
  url: string;
  status: number;
  headers: Headers;
  /** Decompressed. */
  bytes: Uint8Array;
}

/**
 * Fetches addresses that come from users, models or pages: every address is resolved, checked and connected to by its
 * checked IP, on each redirect again. Throws an AppError (`url_refused`, `too_large`, `unsupported_type`, `upstream_*`).
 */
export type GuardedFetch = (url: string, request: GuardedRequest) => Promise<GuardedResponse>;

export interface GuardedFetchOptions {
  allowPrivateNetwork: boolean;
  log: Logger;
  /** Name resolution; the system's when absent. */
  lookup?: Resolve;
  /** What sends a request whose address was checked; Bun's fetch when absent. */
  fetch?: (url: URL, init: BunFetchRequestInit) => Promise<Response>;
  /** PEM of a further trusted authority; certificates are always verified. */
  ca?: string;
}

const MAX_REDIRECTS = 5;
const USER_AGENT = 'Mozilla/5.0 (compatible; agent/1.0; research crawler)';
/** Headers that may follow a redirect to another origin; everything else may be a credential. */
const HARMLESS_HEADERS = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

interface Hop {
  url: string;
  method: 'GET' | 'POST';
  headers: Headers;
  body: string | undefined;
}

/** The fetch behind the guard. It never follows a redirect, resolves a name or inflates a body unchecked. */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const guard = createGuard({
    allowPrivateNetwork: options.allowPrivateNetwork,
    ...(options.lookup ? { resolve: options.lookup } : {}),
  });
  return async (url, request) => {
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = AbortSignal.any([request.signal, timeout]);
    try {
      return await followRedirects(url, request, signal, guard, options);
    } catch (error) {
      request.signal.throwIfAborted();
      const failure = toFetchError(error, timeout.aborted, URL.parse(url)?.hostname ?? 'the address');
      options.log.debug('guarded fetch failed', { code: failure.code });
      throw failure;
    }
  };
}

async function followRedirects(
  url: string,
  request: GuardedRequest,
  signal: AbortSignal,
  guard: Guard,
  options: GuardedFetchOptions,
): Promise<GuardedResponse> {
  let hop: Hop = { url, method: request.method ?? 'GET', headers: new Headers(request.headers), body: request.body };
  for (let redirects = 0; ; redirects++) {
    const target = await guard.check(hop.url, signal);
    const response = await connect(target, hop, signal, options);
    const location = isRedirect(response.status) ? response.headers.get('location') : null;
    if (location === null) return await readResponse(target.url, response, request, signal);
    await discard(response);
    if (redirects === MAX_REDIRECTS) throw userError('url_refused', 400, 'The address redirects too many times.');
    hop = nextHop(hop, target.url, location, response.status);
  }
}

/** Sends the request to the checked addresses in turn until one accepts the connection. */
async function connect(target: GuardedTarget, hop: Hop, signal: AbortSignal, options: GuardedFetchOptions) {
  const { url, addresses } = target;
  const headers = new Headers(hop.headers);
  headers.set('host', url.host);
  headers.set('accept-encoding', ACCEPT_ENCODING);
  if (!headers.has('user-agent')) headers.set('user-agent', USER_AGENT);
  // An IP address has no server name; its certificate is checked against the address itself.
  const serverName = addresses[0] === stripBrackets(url.hostname) ? {} : { serverName: url.hostname };
  const send = options.fetch ?? fetch;
  let failure: unknown;
  for (const address of addresses) {
    const dialled = new URL(url);
    dialled.hostname = address.includes(':') ? `[${address}]` : address;
    dialled.hash = '';
    try {
      return await send(dialled, {
        method: hop.method,
        headers,
        ...(hop.body === undefined ? {} : { body: hop.body }),
        redirect: 'manual',
        signal,
        // A pooled connection was verified for another name on the same address.
        keepalive: false,
        // Inflated by readBody, which can stop.
        decompress: false,
        tls: { ...serverName, rejectUnauthorized: true, ...(options.ca ? { ca: options.ca } : {}) },
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!isConnectFailure(error)) throw error;
      failure = error;
    }
  }
  throw failure;
}

async function readResponse(
  url: URL,
  response: Response,
  request: GuardedRequest,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const { headers, status } = response;
  try {
    if (status < 400 && request.accept && !isAccepted(headers.get('content-type'), request.accept))
      throw userError('unsupported_type', 415, 'The address does not hold text.');
    if (Number(headers.get('content-length')) > request.maxBytes) throw tooLarge(request.maxBytes);
    const contentEncoding = headers.get('content-encoding') ?? '';
    const bytes = await readBody(response.body, { contentEncoding, maxBytes: request.maxBytes, signal });
    return { url: url.href, status, headers, bytes };
  } catch (error) {
    await discard(response);
    throw error;
  }
}

function isAccepted(contentType: string | null, accept: string[]): boolean {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return accept.some((allowed) => (allowed.endsWith('/') ? type.startsWith(allowed) : type === allowed));
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function nextHop(hop: Hop, from: URL, location: string, status: number): Hop {
  const to = URL.parse(location, from.href);
  // Relative references are resolved, absolute ones stay as written: the guard wants to see their spelling.
  const url = URL.canParse(location) ? location : to?.href;
  if (!to || url === undefined) throw userError('url_refused', 400, 'The address redirects to something invalid.');
  const becomesGet = status === 303 || (hop.method === 'POST' && status <= 302);
  const headers = new Headers(hop.headers);
  if (becomesGet) headers.delete('content-type');
  if (to.origin !== from.origin)
    for (const name of [...headers.keys()]) if (!HARMLESS_HEADERS.has(name)) headers.delete(name);
  return { url, headers, method: becomesGet ? 'GET' : hop.method, body: becomesGet ? undefined : hop.body };
}

function stripBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

async function discard(response: Response): Promise<void> {
  if (!response.body?.locked) await response.body?.cancel().catch(() => undefined);
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Nothing was sent yet, so the next address may be tried. */
function isConnectFailure(error: unknown): boolean {
  return ['ConnectionRefused', 'FailedToOpenSocket', 'ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH'].includes(
    errorCode(error),
  );
}

function toFetchError(error: unknown, timedOut: boolean, host: string): AppError {
  if (error instanceof AppError) return error;
  if (timedOut)
    return upstreamError('upstream_timeout', `${host} did not answer in time.`, { retryable: true, cause: error });
  if (/CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|TLS/.test(errorCode(error)))
    return upstreamError('upstream_rejected', `The certificate of ${host} could not be verified.`, {
      retryable: false,
      cause: error,
    });
  return upstreamError('upstream_unavailable', `${host} could not be reached or broke off.`, {
    retryable: true,
    cause: error,
  });
}

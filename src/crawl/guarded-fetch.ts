import { fail } from '../errors.ts';
import type { Logger } from '../lib/log.ts';
import { createGuardedTransport, type GuardedTransportOptions, toFetchError } from './guarded-transport.ts';
import { readBody, tooLarge } from './read-body.ts';

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

/** The fetch behind the guard, with a limit on time and on decompressed bytes. */
export function createGuardedFetch(options: GuardedTransportOptions & { log: Logger }): GuardedFetch {
  const send = createGuardedTransport(options);
  return async (url, request) => {
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = AbortSignal.any([request.signal, timeout]);
    try {
      const { url: finalUrl, response } = await send(url, {
        method: request.method ?? 'GET',
        headers: new Headers(request.headers),
        body: request.body,
        signal,
        // Inflated by readBody, which can stop.
        decompress: false,
      });
      const bytes = await readResponse(response, request, signal);
      return { url: finalUrl.href, status: response.status, headers: response.headers, bytes };
    } catch (error) {
      request.signal.throwIfAborted();
      const failure = toFetchError(error, url, timeout.aborted);
      options.log.debug('guarded fetch failed', { code: failure.code });
      throw failure;
    }
  };
}

async function readResponse(response: Response, request: GuardedRequest, signal: AbortSignal): Promise<Uint8Array> {
  const { headers, status, body } = response;
  const { accept, maxBytes } = request;
  try {
    if (status < 400 && accept && !isAccepted(headers.get('content-type'), accept))
      throw fail('unsupported_type', 'The address does not hold text.');
    if (Number(headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes);
    return await readBody(body, { contentEncoding: headers.get('content-encoding') ?? '', maxBytes, signal });
  } catch (error) {
    // Drops the connection of a body nobody will read; it may already be broken.
    if (!body?.locked) await body?.cancel().catch(() => undefined);
    throw error;
  }
}

function isAccepted(contentType: string | null, accept: string[]): boolean {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return accept.some((allowed) => (allowed.endsWith('/') ? type.startsWith(allowed) : type === allowed));
}

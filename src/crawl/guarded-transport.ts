import { AppError, fail } from '../errors.ts';
import { createGuard, type GuardedTarget, type Resolve } from './guard.ts';
import { ACCEPT_ENCODING } from './read-body.ts';
import type { Reach } from './validate-url.ts';

export interface GuardedTransportOptions extends Reach {
  /** Name resolution; the system's when absent. */
  lookup?: Resolve;
  /** What sends a request whose address was checked; Bun's fetch when absent. */
  fetch?: (url: URL, init: BunFetchRequestInit) => Promise<Response>;
  /** PEM of a further trusted authority; certificates are always verified. */
  ca?: string;
}

interface GuardedExchange {
  method: string;
  headers: Headers;
  body?: string | undefined;
  signal: AbortSignal;
  /** False leaves the body as it came, for a reader that limits what it inflates. */
  decompress: boolean;
  /** False gives a redirect to the caller as the answer. */
  followRedirects?: boolean;
}

/** Sends a request through the guard and follows its redirects, each checked again; resolves when the headers are there. */
export type GuardedTransport = (url: string, exchange: GuardedExchange) => Promise<{ url: URL; response: Response }>;

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
const USER_AGENT = 'Mozilla/5.0 (compatible; agent/1.0; research crawler)';
/** Headers that may follow a redirect to another origin; everything else may be a credential. */
const HARMLESS_HEADERS = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/** The one way out to addresses chosen by others: it never resolves a name twice and never follows a redirect unchecked. */
export function createGuardedTransport(options: GuardedTransportOptions): GuardedTransport {
  const guard = createGuard({
    allowPrivateNetwork: options.allowPrivateNetwork,
    ...(options.anyPort ? { anyPort: true } : {}),
    ...(options.lookup ? { resolve: options.lookup } : {}),
  });
  return async (address, exchange) => {
    let url = address;
    let hop = exchange;
    for (let redirects = 0; ; redirects++) {
      const target = await guard.check(url, hop.signal);
      const response = await connect(target, hop, options);
      const isRedirect = hop.followRedirects !== false && REDIRECTS.includes(response.status);
      const location = isRedirect ? response.headers.get('location') : null;
      if (location === null) return { url: target.url, response };
      await response.body?.cancel();
      if (redirects === MAX_REDIRECTS) throw fail('url_refused', 'The address redirects too many times.');
      const to = URL.parse(location, target.url.href);
      if (!to) throw fail('url_refused', 'The address redirects to something invalid.');
      url = to.href;
      hop = redirected(hop, response.status, to.origin === target.url.origin);
    }
  };
}

/** Sends the request to the checked addresses in turn until one accepts the connection. */
async function connect(target: GuardedTarget, hop: GuardedExchange, options: GuardedTransportOptions) {
  const { url, addresses } = target;
  const send = options.fetch ?? fetch;
  const headers = new Headers(hop.headers);
  headers.set('host', url.host);
  headers.set('accept-encoding', ACCEPT_ENCODING);
  if (!headers.has('user-agent')) headers.set('user-agent', USER_AGENT);
  // An IP address has no server name; its certificate is checked against the address itself.
  const isLiteral = addresses[0] === url.hostname.replace(/^\[|\]$/g, '');
  let failure: unknown;
  for (const address of addresses) {
    const host = address.includes(':') ? `[${address}]` : address;
    const port = url.port && `:${url.port}`;
    const dialled = new URL(`${url.protocol}//${host}${port}${url.pathname}${url.search}`);
    try {
      return await send(dialled, {
        method: hop.method,
        headers,
        ...(hop.body === undefined ? {} : { body: hop.body }),
        redirect: 'manual',
        signal: hop.signal,
        // A pooled connection was verified for another name on the same address.
        keepalive: false,
        decompress: hop.decompress,
        tls: {
          ...(isLiteral ? {} : { serverName: url.hostname }),
          rejectUnauthorized: true,
          ...(options.ca ? { ca: options.ca } : {}),
        },
      });
    } catch (error) {
      hop.signal.throwIfAborted();
      if (!isConnectFailure(error)) throw error;
      failure = error;
    }
  }
  throw failure;
}

function redirected(hop: GuardedExchange, status: number, isSameOrigin: boolean): GuardedExchange {
  const becomesGet = status === 303 || (hop.method === 'POST' && status <= 302);
  const headers = new Headers(hop.headers);
  if (becomesGet) headers.delete('content-type');
  if (!isSameOrigin) for (const name of [...headers.keys()]) if (!HARMLESS_HEADERS.has(name)) headers.delete(name);
  return { ...hop, headers, ...(becomesGet ? { method: 'GET', body: undefined } : {}) };
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

/** What a failed exchange means to the caller; names the host, never the rest of the address. */
export function toFetchError(error: unknown, url: string, timedOut: boolean): AppError {
  if (error instanceof AppError) return error;
  const host = URL.parse(url)?.hostname ?? 'The address';
  if (timedOut) return fail('upstream_timeout', `${host} did not answer in time.`, { cause: error });
  if (/CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|TLS/.test(errorCode(error)))
    return fail('upstream_rejected', `The certificate of ${host} could not be verified.`, { cause: error });
  return fail('upstream_unavailable', `${host} could not be reached or broke off.`, { cause: error });
}

import { isIP } from 'node:net';

/** Who may call a listener. */
export interface CallerRules {
  /** Names under which the listener is known, besides `localhost` and plain IP addresses. */
  hosts: readonly string[];
  /** True when pages of this origin may call it. */
  allowsOrigin(origin: string): boolean;
}

type CallerCheck =
  | { ok: true }
  | { ok: false; code: 'invalid_host'; status: 400; message: string }
  | { ok: false; code: 'host_not_allowed'; status: 421; message: string }
  | { ok: false; code: 'origin_not_allowed'; status: 403; message: string };

/** Judges a request by its method and headers alone, before anything else is looked at. */
export type CheckCaller = (request: { method: string; headers: Pick<Headers, 'get'> }) => CallerCheck;

const OK: CallerCheck = { ok: true };
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Keeps web pages out. A page that rebinds its own name to this machine is betrayed by the Host (RFC 9110, section
 * 15.5.20), any other page by its Origin, which pages cannot forge, or by `Sec-Fetch-Site` (W3C Fetch Metadata) when
 * the browser leaves the Origin out. A plain IP address as Host cannot be rebound. Clients that are no browsers send
 * neither header.
 */
export function createCallerCheck({ hosts, allowsOrigin }: CallerRules): CheckCaller {
  const names = new Set(['localhost']);
  for (const host of hosts) {
    const name = hostName(host);
    if (name !== undefined) names.add(name);
  }

  // Nearly every request names the same host as the one before it.
  let lastKnown: string | undefined;

  return (request) => {
    const { headers } = request;
    const host = headers.get('host');
    if (host === null) return INVALID_HOST;
    if (host !== lastKnown) {
      // Several Host headers arrive joined with commas, which no name has (RFC 9112, section 3.2).
      const name = hostName(host);
      if (name === undefined) return INVALID_HOST;
      if (isIP(name.replace(/^\[|\]$/g, '')) === 0 && !names.has(name)) return unknownHost(name);
      lastKnown = host;
    }
    const origin = headers.get('origin');
    if (origin !== null && allowsOrigin(origin)) return OK;
    if (origin !== null && !isSameOrigin(origin, host)) return FOREIGN_ORIGIN;
    const site = headers.get('sec-fetch-site');
    const isForeign = site !== null && site !== 'same-origin' && site !== 'none';
    return isForeign && !SAFE_METHODS.includes(request.method) ? FOREIGN_ORIGIN : OK;
  };
}

/** True for a request that a browser sent for a page: browsers name the Origin of every POST. */
export function isFromPage(headers: Pick<Headers, 'has'>): boolean {
  return headers.has('origin') || headers.has('sec-fetch-site');
}

/** The name of a Host header or setting without its port, as URLs spell it; undefined when it is none. */
function hostName(text: string): string | undefined {
  if (isIP(text) === 6) return URL.parse(`http://[${text}]`)?.hostname;
  if (text.length > 300 || !/^(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{0,5})?$/i.test(text)) return undefined;
  return URL.parse(`http://${text}`)?.hostname.replace(/\.$/, '') || undefined;
}

/** A TLS proxy may stand between: the scheme is the page's, host and port must be ours as the caller knows them. */
function isSameOrigin(origin: string, host: string): boolean {
  const page = URL.parse(origin);
  if (page === null || page.origin !== origin || !/^https?:$/.test(page.protocol)) return false;
  return URL.parse(`${page.protocol}//${host}`)?.host === page.host;
}

const INVALID_HOST: CallerCheck = {
  ok: false,
  code: 'invalid_host',
  status: 400,
  message: 'A request needs exactly one Host header with a host name or an IP address.',
};

const FOREIGN_ORIGIN: CallerCheck = {
  ok: false,
  code: 'origin_not_allowed',
  status: 403,
  message:
    'Pages of this origin may not call this server; if they should, add the origin to server.allowed_origins (ALLOWED_ORIGINS).',
};

function unknownHost(name: string): CallerCheck {
  return {
    ok: false,
    code: 'host_not_allowed',
    status: 421,
    message: `This server is not known as ${name}; if it should be, add the name to server.allowed_hosts (AGENT_ALLOWED_HOSTS).`,
  };
}

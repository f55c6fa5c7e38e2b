import { isIP } from 'node:net';

export interface CallerRules {
  /** The address the server listens on. */
  boundHost: string;
  /** Further host names under which it is known. */
  allowedHosts: readonly string[];
  /** Pages that may call it. */
  allowedOrigins: readonly string[];
}

export type CallerCheck =
  | { ok: true }
  | { ok: false; code: 'host_not_allowed' | 'origin_not_allowed'; message: string };

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];

/**
 * Keeps web pages out (MCP specification, "Streamable HTTP: Security Warning"): a page that rebinds its name to this
 * machine is betrayed by its Host, any other page by its Origin. A plain IP address as host cannot be rebound.
 */
export function checkCaller(headers: Pick<Headers, 'get'>, rules: CallerRules): CallerCheck {
  const host = hostName(headers.get('host') ?? '');
  const known = [...LOOPBACK_NAMES, rules.boundHost, ...rules.allowedHosts].map((name) => hostName(name) ?? name);
  if (host === undefined || (isIP(host) === 0 && !known.includes(host)))
    return {
      ok: false,
      code: 'host_not_allowed',
      message: 'This server is not known under the name in the Host header; see mcp.allowed_hosts.',
    };
  const origin = headers.get('origin');
  if (origin === null || isAllowedOrigin(origin, rules)) return { ok: true };
  return {
    ok: false,
    code: 'origin_not_allowed',
    message: 'Pages of this origin may not call this server; see ALLOWED_ORIGINS.',
  };
}

function isAllowedOrigin(origin: string, { allowedOrigins }: CallerRules): boolean {
  return allowedOrigins.some((allowed) => allowed.trim().replace(/\/$/, '').toLowerCase() === origin.toLowerCase());
}

/** The name without port and brackets, in lower case; undefined when it is none. */
function hostName(text: string): string | undefined {
  if (isIP(text) === 6) return text.toLowerCase();
  if (!/^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d{1,5})?$/i.test(text)) return undefined;
  const url = URL.parse(`http://${text}`);
  return url?.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '') || undefined;
}

/** Decides which browsers may read answers. */
export interface Cors {
  /** True when a page of this origin may use the API. */
  allows(origin: string): boolean;
  /** Adds the headers of an ordinary answer. */
  apply(request: Request, headers: Headers): void;
  /** The answer of a preflight (204), or undefined when the request is none. */
  preflight(request: Request): Response | undefined;
}

const METHODS = 'GET, POST, DELETE, OPTIONS';
const REQUEST_HEADERS = 'authorization, content-type, last-event-id, x-request-id';
const EXPOSED_HEADERS = 'mcp-session-id, x-run-id, x-thread-id, x-request-id, content-disposition, retry-after';
const PREFLIGHT_SECONDS = 600;

/**
 * Cross-origin rules (WHATWG Fetch, section 3.3). A listed origin is echoed and may send credentials; `*` allows every
 * origin but never with credentials, which the standard forbids and which would open the API to any page.
 */
export function createCors(allowedOrigins: readonly string[]): Cors {
  const any = allowedOrigins.includes('*');
  const origins = new Set(allowedOrigins.map((origin) => origin.trim().replace(/\/$/, '').toLowerCase()));

  const allows = (origin: string) => any || origins.has(origin);
  const apply = (request: Request, headers: Headers) => {
    headers.append('vary', 'Origin');
    const origin = request.headers.get('origin');
    if (origin === null || !allows(origin)) return;
    if (origins.has(origin)) {
      headers.set('access-control-allow-origin', origin);
      headers.set('access-control-allow-credentials', 'true');
    } else headers.set('access-control-allow-origin', '*');
    headers.set('access-control-expose-headers', EXPOSED_HEADERS);
  };
  const preflight = (request: Request) => {
    if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return undefined;
    const headers = new Headers();
    const origin = request.headers.get('origin');
    if (origin !== null && allows(origin)) {
      headers.set('access-control-allow-methods', METHODS);
      headers.set('access-control-allow-headers', requestedHeaders(request));
      headers.set('access-control-max-age', String(PREFLIGHT_SECONDS));
    }
    headers.append('vary', 'Access-Control-Request-Headers');
    return new Response(null, { status: 204, headers });
  };
  return { allows, apply, preflight };
}

/** What the page asks to send, when it is a plain list of names; a client may add headers of its own. */
function requestedHeaders(request: Request): string {
  const asked = request.headers.get('access-control-request-headers');
  return asked !== null && /^[A-Za-z0-9-]+(?:\s*,\s*[A-Za-z0-9-]+){0,49}$/.test(asked) ? asked : REQUEST_HEADERS;
}

/** A request as a platform received it. */
export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  raw: string;
  body: Record<string, unknown>;
}

/** One platform: how it is configured, what it demands, how it answers. */
export interface Wire {
  target: string;
  /** `platforms` settings that point to the server. */
  settings(base: string): Record<string, Record<string, unknown>>;
  extra: Record<string, string>;
  secrets: string[];
  /** Settings named when nothing is configured. */
  missing: string[];
  /** Throws what is wrong with the request, else answers as the platform does. */
  accept(request: Received): Response;
  rateLimited: () => Response;
  retryAfterMs: number | undefined;
  /** A refusal that quotes `words`. */
  refuse(words: string): Response;
  /** The text a reader sees. */
  text(request: Received): string;
  /** Size of the text as the platform counts it. */
  size(request: Received): number;
  limit: number;
  /** The key by which the platform drops repetitions. */
  idempotencyKey?: (request: Received) => unknown;
  /** The platform tells success in the body, so a 200 with something else is no success. */
  readsBody: boolean;
}

type Mode = 'ok' | 'limited' | 'error' | 'hang' | 'redirect' | 'malformed' | 'quote' | 'flood';

/** A local server that speaks one wire; `modes` are taken one per request, then it is 'ok'. */
export function startPlatform(wire: Wire) {
  const modes: Mode[] = [];
  const received: Received[] = [];
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const url = new URL(request.url);
      if (url.pathname === '/elsewhere') {
        elsewhere.push(await request.text());
        return new Response('{"ok":true}');
      }
      const raw = await request.text();
      const entry = toReceived(request, url, raw);
      const mode = modes.shift() ?? 'ok';
      if (mode === 'hang') return new Promise<Response>(() => {});
      if (mode === 'limited') return wire.rateLimited();
      if (mode === 'error') return new Response('<h1>Internal error</h1>', { status: 500 });
      if (mode === 'redirect') return new Response(null, { status: 307, headers: { location: '/elsewhere' } });
      if (mode === 'malformed') return new Response('<html>Log in to the network</html>', { status: 200 });
      if (mode === 'flood') return new Response('x'.repeat(4_000_000), { status: 200 });
      if (mode === 'quote')
        return wire.refuse(
          `you sent ${JSON.stringify(entry.body)} with ${request.headers.get('authorization') ?? ''} ${wire.secrets.join(' ')} to ${url}`,
        );
      try {
        const answer = wire.accept(entry);
        received.push(entry);
        return answer;
      } catch (error) {
        complaints.push(String(error));
        return wire.refuse('bad request');
      }
    },
  });
  return {
    base: `http://127.0.0.1:${server.port}`,
    modes,
    received,
    /** What was wrong with requests; a test that expects success checks that it is empty. */
    complaints,
    /** Bodies that followed a redirect. */
    elsewhere,
    stop: () => server.stop(true),
  };
}

function toReceived(request: Request, url: URL, raw: string): Received {
  const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded');
  let body: Record<string, unknown> = {};
  if (isForm) body = Object.fromEntries(new URLSearchParams(raw));
  else if (raw) body = JSON.parse(raw);
  return {
    method: request.method,
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers: request.headers,
    raw,
    body,
  };
}

/** Ends the request with a complaint unless the condition holds. */
export function demand(condition: unknown, complaint: string): asserts condition {
  if (!condition) throw new Error(complaint);
}

/** Demands the exact value of a header. */
export function demandHeader(request: Received, name: string, value: string): void {
  demand(request.headers.get(name) === value, `${name} must be ${value}`);
}

/** A JSON answer. */
export const json = (value: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(value, { status, headers });
/** Size of a value's text in UTF-8. */
export const bytes = (text: unknown) => Buffer.byteLength(String(text));

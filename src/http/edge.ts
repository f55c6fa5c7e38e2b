import { type AppError, fail, toAppError } from '../errors.ts';
import type { Logger } from '../lib/log.ts';
import type { LoopAlarm } from '../lib/loop-alarm.ts';
import { logAccess } from './access-log.ts';
import type { Authorize } from './auth.ts';
import type { CheckCaller } from './check-caller.ts';
import type { Cors } from './cors.ts';
import { errorResponse, logFailure } from './errors.ts';
import type { ReadHealth } from './health.ts';
import { type BodyLimits, maxBytesOf } from './parse-body.ts';
import { bodyTooLarge, contentLengthOf } from './read-body.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';
import type { RouteTable } from './route-table.ts';

/** What every request passes before and after its route. */
export interface EdgeNeeds {
  log: Logger;
  checkCaller: CheckCaller;
  cors: Cors;
  authorize: Authorize;
  limits: BodyLimits;
  /** Is told what is under way. */
  alarm?: Pick<LoopAlarm, 'begin'>;
  health: ReadHealth;
  routes(): RouteTable;
  /** The router; it turns its own failures into answers. */
  route(request: Request): Response | Promise<Response>;
}

/**
 * The outermost handler: request id, caller, preflight, token and size checks, HEAD, then the route, then the headers
 * and the log line every answer gets. It stands outside the router so that no route, and no 404, can miss it.
 */
export function createEdge(needs: EdgeNeeds): (request: Request) => Promise<Response> {
  const { log, cors, limits } = needs;

  const refusal = (request: Request, path: string): AppError | undefined => {
    const unauthorized = needs.authorize(request, path);
    if (unauthorized) return unauthorized;
    const maxBytes = maxBytesOf(request, limits);
    if ((contentLengthOf(request) ?? 0) > maxBytes) return bodyTooLarge(maxBytes);
    if (!isDecodable(path)) return fail('malformed_url', 'The address has a broken percent-encoding.');
    return undefined;
  };

  const answer = (request: Request, path: string, requestId: string): Response | Promise<Response> => {
    const caller = needs.checkCaller(request);
    if (!caller.ok) return errorResponse(fail(caller.code, caller.message), requestId, path);
    const preflight = cors.preflight(request);
    if (preflight) return preflight;
    // Probes come first and often: they need neither the router nor the time it takes to compile its first route.
    if (path === '/health' && request.method === 'GET') return Response.json(needs.health());
    const refused = refusal(request, path);
    if (refused) return errorResponse(refused, requestId, path);
    if (request.method === 'OPTIONS' && needs.routes().find(path))
      return new Response(null, { status: 204, headers: { allow: needs.routes().allow(path) } });
    return request.method === 'HEAD' ? headOf(request, needs.route) : needs.route(request);
  };

  const settle = async (request: Request, path: string, requestId: string): Promise<Response> => {
    try {
      return await answer(request, path, requestId);
    } catch (error) {
      // The router answers its own failures; this one is ours.
      const failure = toAppError(error);
      logFailure(log, failure, requestId);
      return errorResponse(failure, requestId, path);
    }
  };

  return async (request) => {
    const startedAt = performance.now();
    const path = pathOf(request.url);
    const requestId = requestIdOf(request);
    // Written back so that the router's error handler names the same id.
    request.headers.set(REQUEST_ID_HEADER, requestId);
    const route = needs.routes().find(path)?.path ?? '(none)';
    const end = needs.alarm?.begin(`${request.method} ${route}`);
    const response = await settle(request, path, requestId).finally(end);
    response.headers.set(REQUEST_ID_HEADER, requestId);
    response.headers.set('x-content-type-options', 'nosniff');
    cors.apply(request, response.headers);
    logAccess(log, {
      method: request.method,
      route,
      status: request.signal.aborted ? 499 : response.status,
      ms: performance.now() - startedAt,
      requestId,
    });
    return response;
  };
}

/** The path exactly as the router reads it: undecoded, without the query. Without a usable Host, Bun gives no more. */
function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  const end = url.indexOf('?', start);
  return url.slice(start, end < 0 ? undefined : end);
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** HEAD is GET without the body, which Bun leaves out; a stream that GET would open is ended at once. */
async function headOf(request: Request, route: EdgeNeeds['route']): Promise<Response> {
  const leave = new AbortController();
  const response = await route(new Request(request, { method: 'GET', signal: leave.signal }));
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  leave.abort();
  await response.body?.cancel();
  return new Response(null, { status: response.status, headers: response.headers });
}

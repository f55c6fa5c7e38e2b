import type { Config } from '../config/schema.ts';
import type { Deliverer } from '../delivery/model.ts';
import { AppError, fail, toAppError } from '../errors.ts';
import { type CheckCaller, createCallerCheck, isFromPage } from '../http/check-caller.ts';
import { createCors } from '../http/cors.ts';
import type { Listener } from '../http/listener.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { Admission } from './admission.ts';
import type { AgentRunner } from './agent-runner.ts';
import { type Answer, refuse } from './answer.ts';
import type { Sender } from './authenticate.ts';
import type { WebhookStore } from './event-record.ts';
import { createFilterFiles } from './filter-file.ts';
import { OpenBodies } from './open-bodies.ts';
import { WebhookQueue } from './queue.ts';
import { createRegexEngine } from './regex.ts';
import { RouteTable } from './route-table.ts';
import { isLoopbackName, listenerNames, localUrl, webhookSettings } from './settings.ts';
import { ThrottledLog } from './throttled-log.ts';
import type { WorkTools } from './work.ts';

/** A script (30 s by default) and a delivery may keep a request open this long without a byte. */
const SLOW_REQUEST_SECONDS = 255;

export interface WebhookListenerOptions {
  config: Config;
  home: string;
  /** Process environment with the home's `.env`: `${NAME}` in secrets, PATH of scripts. */
  environment: Record<string, string | undefined>;
  store: WebhookStore;
  deliverer: Deliverer;
  agentRunner: AgentRunner;
  log: Logger;
  clock: Clock;
  /** Waits between attempts of the queue. */
  backoff?: { baseMs: number; maxMs: number };
}

/**
 * The webhook platform: an HTTP listener of its own and the queue behind it. `start` opens the database, resumes what a crash left
 * and listens; it throws `port_in_use` or `insecure_webhook`. It stands on `Bun.serve` itself: it has two routes,
 * and a framework's share of a 20 µs request would be the largest one.
 */
export function createWebhookListener(options: WebhookListenerOptions): Listener {
  const { home, environment, store, deliverer, agentRunner, clock } = options;
  const log = options.log.with({ part: 'webhooks' });
  const settings = webhookSettings(options.config.platforms.webhook);
  const { allowed_hosts, allowed_origins } = options.config.server;
  const checkCaller = createCallerCheck({
    hosts: [...listenerNames(settings), ...allowed_hosts],
    allowsOrigin: createCors(allowed_origins).allows,
  });
  let running: { server: Bun.Server<undefined>; queue: WebhookQueue; stopping: AbortController } | undefined;

  return {
    name: 'webhooks',
    get url() {
      return localUrl({ host: settings.host, port: running?.server.port ?? settings.port });
    },

    async start() {
      if (running) return;
      const throttled = new ThrottledLog(log, clock);
      const routes = new RouteTable({
        home,
        settings,
        log,
        isLoopback: isLoopbackName(settings.host),
        variables: environment,
        filterTools: {
          files: createFilterFiles(home),
          regex: createRegexEngine(),
          warn: (message) => throttled.warn(`filter:${message}`, `webhook filter did not match: ${message}`, {}),
        },
      });
      routes.start();
      const tools: WorkTools = { home, environment, deliverer, agentRunner, log };
      const queue = new WebhookQueue({
        store,
        tools,
        clock,
        log,
        maxConcurrency: settings.maxConcurrency,
        retentionMs: settings.retentionMs,
        ...(options.backoff ? { backoff: options.backoff } : {}),
      });
      const stopping = new AbortController();
      const admission = new Admission({
        settings,
        routes,
        store,
        tools,
        clock,
        log: throttled,
        onAccepted: () => queue.wake(),
        signal: stopping.signal,
      });
      store.start();
      let server: Bun.Server<undefined>;
      try {
        // Before the first request: a sender's retry must find the id of an interrupted delivery free.
        await store.recover();
        server = listen(
          settings.host,
          settings.port,
          createHandlers({
            admission,
            checkCaller,
            bodies: new OpenBodies({
              clock,
              maxBytes: settings.maxOpenBodyBytes,
              maxPerAddress: settings.maxOpenRequestsPerAddress,
              signal: stopping.signal,
            }),
            trustedProxies: settings.trustedProxies,
            log,
            throttled,
          }),
        );
      } catch (error) {
        await store.stop();
        throw error;
      }
      running = { server, queue, stopping };
      await queue.start();
    },

    async stop(deadlineMs) {
      if (!running) return;
      const { server, queue, stopping } = running;
      running = undefined;
      // Requests in flight are answered; those that wait for a script or a target after the deadline are cut.
      const deadline = setTimeout(
        () => stopping.abort(new DOMException('The gateway stops.', 'AbortError')),
        deadlineMs / 2,
      );
      const hardDeadline = setTimeout(() => void server.stop(true), deadlineMs);
      await server.stop();
      clearTimeout(deadline);
      clearTimeout(hardDeadline);
      stopping.abort();
      await queue.stop();
      await store.stop();
    },
  };
}

type NamedRequest = Bun.BunRequest<'/webhooks/:name'>;
type Handlers = ReturnType<typeof createHandlers>;

interface HandlerNeeds {
  admission: Admission;
  checkCaller: CheckCaller;
  bodies: OpenBodies;
  trustedProxies: string[];
  log: Logger;
  throttled: ThrottledLog;
}

function createHandlers({ admission, checkCaller, bodies, trustedProxies, log, throttled }: HandlerNeeds) {
  const checked =
    <R extends Request>(handle: (request: R, server: Bun.Server<undefined>) => Response | Promise<Response>) =>
    (request: R, server: Bun.Server<undefined>) => {
      const caller = checkCaller(request);
      if (caller.ok) return handle(request, server);
      // The sender's operator sees the answer, ours only this.
      throttled.warn(`caller:${caller.code}`, 'webhook request refused', { code: caller.code, reason: caller.message });
      return respond(refuse(caller.status, caller.message));
    };
  const notAllowed = () =>
    Response.json({ error: 'Method not allowed; use POST' }, { status: 405, headers: { allow: 'POST' } });
  const notFound = () => respond(refuse(404, 'Not found'));
  const post = async (request: NamedRequest, server: Bun.Server<undefined>) => {
    const sender = () => senderOf(request, server, trustedProxies);
    return respond(
      await admission.admit({
        name: request.params.name,
        headers: request.headers,
        isFromPage: () => isFromPage(request.headers),
        readBody: (limit) => bodies.read(request, limit, sender),
        sender,
        onSlow: () => server.timeout(request, SLOW_REQUEST_SECONDS),
      }),
    );
  };
  return {
    routes: {
      '/health': { GET: checked(() => Response.json({ status: 'ok', platform: 'webhook' })) },
      '/webhooks/:name': checked((request: NamedRequest, server) =>
        request.method === 'POST' ? post(request, server) : request.method === 'GET' ? notAllowed() : notFound(),
      ),
    },
    fetch: checked(notFound),
    error(error: unknown) {
      const { code } = toAppError(error);
      log.error('webhook request failed', { code });
      return respond(refuse(500, 'Internal server error'));
    },
  };
}

function respond({ status, body, retryAfterSeconds }: Answer): Response {
  // The rest of a body that was given up is not waited for (RFC 9110, section 15.5.9).
  if (status === 408) return Response.json(body, { status, headers: { connection: 'close' } });
  if (retryAfterSeconds === undefined) return Response.json(body, { status });
  return Response.json(body, { status, headers: { 'retry-after': String(retryAfterSeconds) } });
}

/** The peer, or whom a proxy on this machine (or a trusted one) names as the last hop. */
function senderOf(request: Request, server: Bun.Server<undefined>, trustedProxies: string[]): Sender {
  const peer = server.requestIP(request)?.address.replace(/^::ffff:/, '') ?? 'unknown';
  const isProxy = peer.startsWith('127.') || peer === '::1' || peer === 'unknown' || trustedProxies.includes(peer);
  if (!isProxy) return { address: peer, isShared: false };
  const forwarded = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim();
  return forwarded ? { address: forwarded.slice(0, 64), isShared: false } : { address: peer, isShared: true };
}

function listen(host: string | undefined, port: number, handlers: Handlers): Bun.Server<undefined> {
  const open = (hostname: string) =>
    Bun.serve({
      ...handlers,
      hostname,
      port,
      // The admission has its own cap; Bun's would answer before the route is known.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
  try {
    if (host) return open(host.replace(/^\[|\]$/g, ''));
    try {
      return open('::');
    } catch (error) {
      if (isInUse(error)) throw error;
      // A machine without IPv6.
      return open('0.0.0.0');
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    const where = `${host ?? 'localhost'}:${port}`;
    if (isInUse(error))
      throw fail(
        'port_in_use',
        `Port ${port} on ${host ?? 'all addresses'} (${where}) is already in use; set platforms.webhook.extra.port or WEBHOOK_PORT.`,
        { cause: error },
      );
    throw fail('listen_failed', `The webhook listener cannot listen on ${where}.`, { cause: error });
  }
}

function isInUse(error: unknown): boolean {
  return (error as { code?: string }).code === 'EADDRINUSE';
}

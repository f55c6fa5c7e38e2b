import { type AnyElysia, Elysia } from 'elysia';
import type { Deps } from './deps.ts';
import { createApiCallerCheck } from './http/api-callers.ts';
import { createAuthorize } from './http/auth.ts';
import { type BodyReaderNeeds, createBodyReader } from './http/body-reader.ts';
import { createCors } from './http/cors.ts';
import { createDocsRoutes } from './http/docs-routes.ts';
import { createEdge } from './http/edge.ts';
import { createErrorHandler, type ErrorHandlerNeeds } from './http/error-handler.ts';
import { createHealth } from './http/health.ts';
import { HttpListener } from './http/http-listener.ts';
import { type MountedRoute, RouteTable } from './http/route-table.ts';
import { createSystemRoutes, type SystemNeeds } from './http/system-routes.ts';

/** What the server itself uses; the routes bring their own needs with them. */
export type ServerDeps = Pick<Deps, 'config' | 'log' | 'clock' | 'models'> & Partial<Pick<Deps, 'alarm'>>;

export interface ServerOptions {
  /** A socket that is open already; a new one on the configured address when absent. */
  listener?: HttpListener;
  /** Adds the features' routes, in the order they are mounted. */
  mount?(base: Base): AnyElysia;
  /** Called once when the server stops accepting: ends the open streams with a last event. */
  onShutdown?(): Promise<void>;
}

/** The API with its socket. */
export interface ApiServer {
  readonly listener: HttpListener;
  /** Everything that is mounted. */
  readonly routes: readonly MountedRoute[];
}

/** What the routes of every feature stand on: errors, the reading of bodies, what the server says about itself. */
function createBase({ log, limits, routes, server, ...system }: ErrorHandlerNeeds & BodyReaderNeeds & SystemNeeds) {
  // Elysia takes part of a short host name for the path unless told that hosts are not standard.
  return new Elysia({ handler: { standardHostname: false } })
    .use(createErrorHandler({ log, routes }))
    .use(createBodyReader({ limits, routes, server }))
    .use(createSystemRoutes(system));
}

/** The application before the features' routes; its type holds the server's own. */
export type Base = ReturnType<typeof createBase>;

/** Builds the API: everything that is mounted, in order. Opens nothing before `listener.start()`. */
export function createServer(deps: ServerDeps, options: ServerOptions = {}): ApiServer {
  const { config, log, models } = deps;
  const health = createHealth(deps.clock);
  const guarded = config.server.api_token !== undefined;
  const limits = { maxBodyBytes: config.server.max_body_bytes, maxFileBytes: config.knowledge.max_file_bytes };
  let table: RouteTable | undefined;
  const routes = () => {
    table ??= new RouteTable(app);
    return table;
  };

  const base = createBase({
    log,
    limits,
    routes,
    server: () => app.server,
    models,
    health,
    knowledgeProvider: config.knowledge.provider,
  });
  const app: AnyElysia = options.mount?.(base) ?? base;
  app.use(createDocsRoutes({ routes: () => app.routes, guarded }));

  const handle = createEdge({
    log,
    limits,
    health,
    routes,
    checkCaller: createApiCallerCheck(config),
    cors: createCors(config.server.allowed_origins),
    authorize: createAuthorize(config.server.api_token),
    route: (request) => app.fetch(request),
    ...(deps.alarm && { alarm: deps.alarm }),
  });
  const { host, port } = config.server;
  const listener = options.listener ?? new HttpListener({ name: 'api', log, host, port });
  listener.serve({
    handle,
    onOpen: (server) => {
      app.server = server;
    },
    ...(options.onShutdown && { onShutdown: options.onShutdown }),
  });
  return {
    listener,
    get routes() {
      return routes().routes;
    },
  };
}

import type { Deps } from './deps.ts';
import type { HttpListener } from './http/http-listener.ts';
import { createRagRoutes } from './knowledge/routes.ts';
import { createChatRoutes } from './research/routes.ts';
import { createRunRoutes } from './runs/routes.ts';
import { type ApiServer, createServer } from './server.ts';

/** The API of the product: every feature's routes, in the order they are mounted. */
export function createApi(deps: Deps, listener?: HttpListener): ApiServer {
  const { config, store, runs, clock } = deps;
  const stream = { store, runs, clock, heartbeatMs: config.server.heartbeat_seconds * 1000 };
  return createServer(deps, {
    ...(listener ? { listener } : {}),
    routes: [
      createChatRoutes({ ...stream, mcpEnabled: config.mcp.enable_server_configuration }),
      createRunRoutes(stream),
      createRagRoutes({ knowledge: deps.knowledge, maxFileBytes: config.knowledge.max_file_bytes }),
    ],
    // Streams hear of the shutdown from the runs they follow.
    onShutdown: () => runs.stop(),
  });
}

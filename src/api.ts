import type { Deps } from './deps.ts';
import { createEvaluationRoutes } from './evaluation/routes.ts';
import type { HttpListener } from './http/http-listener.ts';
import { createRagRoutes } from './knowledge/routes.ts';
import { createMcpRoutes } from './mcp/routes.ts';
import { createMcpServerRoutes } from './mcp/server/routes.ts';
import { createOpenAiRoutes } from './openai-api/routes.ts';
import { createPodcastRoutes } from './podcast/routes.ts';
import { createPromptRoutes } from './prompt/routes.ts';
import { createProseRoutes } from './prose/routes.ts';
import { createChatRoutes } from './research/routes.ts';
import { createRunRoutes } from './runs/routes.ts';
import { type ApiServer, type Base, createServer } from './server.ts';
import { createSlideRoutes } from './slides/routes.ts';
import { createSpeechRoutes } from './speech/routes.ts';

/** The API of the product with its socket. */
export function createApi(deps: Deps, listener?: HttpListener): ApiServer {
  const { config, runs, mcp, mcpSessions: sessions } = deps;
  return createServer(deps, {
    ...(listener ? { listener } : {}),
    mount(base) {
      const app = mountFeatures(base, deps);
      // Not part of `Api`: its clients speak the Model Context Protocol.
      if (config.mcp.serve_http)
        app.use(createMcpServerRoutes({ sessions, maxBodyBytes: config.server.max_body_bytes }));
      return app;
    },
    async onShutdown() {
      // Requests that wait for an MCP server end with it; streams hear of the shutdown from the runs they follow.
      mcp.connection.groups.killAll();
      await Promise.all([runs.stop(), sessions.stop()]);
    },
  });
}

/** Every feature's routes, in the order they are mounted. */
function mountFeatures(base: Base, deps: Deps) {
  const { config, store, runs, clock, models, knowledge, speech, slides, writing: gate } = deps;
  const heartbeatMs = config.server.heartbeat_seconds * 1000;
  const stream = { store, runs, clock, heartbeatMs };
  return base
    .use(createChatRoutes({ ...stream, checkMcpSettings: deps.checkMcpSettings }))
    .use(createRunRoutes(stream))
    .use(createRagRoutes({ knowledge, maxFileBytes: config.knowledge.max_file_bytes }))
    .use(createSpeechRoutes({ speech }))
    .use(createPodcastRoutes(deps.podcasts))
    .use(createSlideRoutes({ slides }))
    .use(createProseRoutes({ models, gate, heartbeatMs, chunkIntervalMs: config.research.chunk_interval_ms }))
    .use(createPromptRoutes({ models, gate }))
    .use(createEvaluationRoutes({ models, gate }))
    .use(createMcpRoutes(deps.mcp))
    .use(createOpenAiRoutes(stream));
}

/** Routes, inputs and answers of the API, for typed clients (Eden Treaty): `treaty<Api>(url)`. */
export type Api = ReturnType<typeof mountFeatures>;

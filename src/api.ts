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
import { type ApiServer, createServer } from './server.ts';
import { createSlideRoutes } from './slides/routes.ts';
import { createSpeechRoutes } from './speech/routes.ts';

/** The API of the product: every feature's routes, in the order they are mounted. */
export function createApi(deps: Deps, listener?: HttpListener): ApiServer {
  const { config, store, runs, clock, models, knowledge, speech, podcasts, slides, writing, mcp, mcpSessions } = deps;
  const heartbeatMs = config.server.heartbeat_seconds * 1000;
  const stream = { store, runs, clock, heartbeatMs };
  return createServer(deps, {
    ...(listener ? { listener } : {}),
    routes: [
      createChatRoutes({ ...stream, checkMcpSettings: deps.checkMcpSettings }),
      createRunRoutes(stream),
      createRagRoutes({ knowledge, maxFileBytes: config.knowledge.max_file_bytes }),
      createSpeechRoutes({ speech }),
      createPodcastRoutes(podcasts),
      createSlideRoutes({ slides }),
      createProseRoutes({ models, gate: writing, heartbeatMs, chunkIntervalMs: config.research.chunk_interval_ms }),
      createPromptRoutes({ models, gate: writing }),
      createEvaluationRoutes({ models, gate: writing }),
      createMcpRoutes(mcp),
      createOpenAiRoutes(stream),
      ...(config.mcp.serve_http ? [createMcpServer(deps)] : []),
    ],
    async onShutdown() {
      // Requests that wait for an MCP server end with it; streams hear of the shutdown from the runs they follow.
      mcp.connection.groups.killAll();
      await Promise.all([runs.stop(), mcpSessions.stop()]);
    },
  });
}

function createMcpServer({ config, mcpSessions }: Deps) {
  return createMcpServerRoutes({ sessions: mcpSessions, maxBodyBytes: config.server.max_body_bytes });
}

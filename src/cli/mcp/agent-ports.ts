import type { Deps } from '../../deps.ts';
import { type AgentPorts, createResearchPort } from '../../mcp/server/ports.ts';
import { startChat } from '../../research/start-chat.ts';

/** What this installation can do for MCP clients. */
export function createAgentPorts({ store, runs, clock, knowledge }: Deps): AgentPorts {
  return {
    knowledge,
    research: createResearchPort({
      store,
      runs,
      clock,
      begin: (request) => startChat({ store, runs, clock }, request),
    }),
  };
}

import type { Config } from '../config/schema.ts';
import { AppError, isAbort } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { ResearchInput } from '../research/model.ts';
import type { Tool, ToolProvider, ToolSet } from '../research/tool.ts';
import type { ConnectionNeeds } from './connection.ts';
import type { McpServerSpec, McpTool } from './model.ts';
import { configuredServers, createMcpPolicy } from './policy.ts';
import { RunServer } from './run-server.ts';
import { nameTools } from './tool-names.ts';
import { readToolResult } from './tool-result.ts';
import { checkMcpSettings } from './validate-settings.ts';

const MAX_DESCRIPTION = 4000;
const MAX_SCHEMA = 100_000;

export interface McpToolProviderOptions {
  config: Pick<Config, 'mcp' | 'crawl'>;
  connection: ConnectionNeeds;
  log: Logger;
  clock: Clock;
}

/** The tools of MCP servers: those of the configuration, and those a request names when it may. */
export function createMcpToolProvider(options: McpToolProviderOptions): ToolProvider {
  const { config, log } = options;
  const policy = createMcpPolicy(config);
  return {
    name: 'mcp',
    forRun(input, runId) {
      const runLog = log.with({ run_id: runId });
      const servers = new Map(configuredServers(config.mcp).map((server) => [server.name, server]));
      for (const server of requestedServers(input)) {
        // The operator's server keeps its name.
        servers.set(servers.has(server.name) ? `request_${server.name}` : server.name, server);
      }
      return createToolSet([...servers.values()], options, runLog);
    },
  };

  /** Checked again: the run may be older than the configuration. */
  function requestedServers(input: ResearchInput): McpServerSpec[] {
    if (!input.mcpSettings || !config.mcp.enable_server_configuration) return [];
    const check = checkMcpSettings(input.mcpSettings, policy, config.mcp.default_timeout_seconds * 1000);
    if (check.ok) return check.servers;
    log.warn('mcp settings refused', { fields: check.problems.map((problem) => problem.path) });
    return [];
  }
}

function createToolSet(specs: McpServerSpec[], options: McpToolProviderOptions, log: Logger): ToolSet {
  const servers = specs.map((spec) => new RunServer(spec, options.connection));
  // By server, of which a request may bring one with the name of another; the empty name is for all.
  const notices = new Map<RunServer | '', string>();
  const keptBack = new Map<RunServer, string>();
  const listTools = async (server: RunServer, signal: AbortSignal): Promise<McpTool[]> => {
    try {
      const { tools, notice } = await server.tools(signal);
      if (notice !== undefined && !keptBack.has(server)) {
        log.warn('mcp tools kept back', { server: server.spec.name, detail: notice });
        keptBack.set(server, notice);
      }
      return tools;
    } catch (error) {
      signal.throwIfAborted();
      if (isAbort(error)) throw error;
      const message = error instanceof AppError ? error.message : 'The MCP server failed.';
      if (!notices.has(server)) {
        const code = error instanceof AppError ? error.code : 'internal_error';
        log.warn('mcp server not usable', { server: server.spec.name, code, detail: message });
      }
      notices.set(server, `The tools of the MCP server "${server.spec.name}" are missing: ${message}`);
      return [];
    }
  };
  return {
    async toolsFor(agent, signal) {
      const mine = servers.filter((server) => server.spec.agents.includes(agent));
      const lists = await Promise.all(mine.map((server) => listTools(server, signal)));
      const entries = mine.flatMap((server, index) =>
        (lists[index] ?? []).map((tool) => ({
          server: server.spec.name,
          tool: tool.name,
          source: server,
          definition: tool,
        })),
      );
      const { max_tools: maxTools } = options.config.mcp;
      if (entries.length > maxTools) {
        log.warn('mcp tools left out', { offered: entries.length, given: maxTools });
        notices.set(
          '',
          `${entries.length - maxTools} of ${entries.length} MCP tools are left out; name the ones needed in enabled_tools.`,
        );
      }
      return nameTools(entries.slice(0, maxTools)).map(({ exposed, entry }) =>
        createTool(exposed, entry.source, entry.definition, options),
      );
    },
    notices: () => [...notices.values(), ...keptBack.values()],
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

function createTool(name: string, server: RunServer, tool: McpTool, { config, clock }: McpToolProviderOptions): Tool {
  const description = tool.description ?? tool.title ?? '';
  return {
    ...(name === tool.name ? {} : { aliases: [tool.name] }),
    reach: 'outside',
    definition: {
      name,
      description: description.slice(0, MAX_DESCRIPTION) || `Tool ${tool.name} of ${server.spec.name}.`,
      parameters: parametersOf(tool),
    },
    async run(args, signal) {
      const result = await server.call(tool, args, signal);
      const { content, links } = readToolResult(result, config.mcp.max_output_characters);
      const accessedAt = new Date(clock.now()).toISOString();
      return {
        content,
        sources: links.map((link) => ({
          ...link,
          content: link.content || content.slice(0, 500),
          score: null,
          kind: 'tool' as const,
          accessedAt,
        })),
      };
    },
  };
}

/** Providers refuse a whole request over one schema that is no object. */
function parametersOf({ inputSchema }: McpTool): Record<string, unknown> {
  const isUsable = inputSchema?.['type'] === 'object' && JSON.stringify(inputSchema).length <= MAX_SCHEMA;
  if (!isUsable) return { type: 'object', properties: {} };
  const { $schema: _dialect, ...schema } = inputSchema;
  return 'properties' in schema ? schema : { ...schema, properties: {} };
}

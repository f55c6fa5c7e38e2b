import { type CliGroup, defineCliGroup } from './command.ts';

/** `agent mcp`: look at MCP servers, decide which may be used, or be one. */
export const mcpCommands: CliGroup = defineCliGroup(
  'Model Context Protocol: look at servers, or be one',
  {
    serve: {
      description: 'Be an MCP server on standard input and output',
      load: async () => (await import('./mcp/serve.ts')).mcpServeCommand,
    },
    list: {
      description: 'List the known servers and which are allowed',
      load: async () => (await import('./mcp/list.ts')).mcpListCommand,
    },
    allow: {
      description: 'Look at a server and its tools, and allow them',
      load: async () => (await import('./mcp/allow.ts')).mcpAllowCommand,
    },
    deny: {
      description: 'Deny a server',
      load: async () => (await import('./mcp/deny.ts')).mcpDenyCommand,
    },
    inspect: {
      description: 'Show the tools of an MCP server',
      load: async () => (await import('./mcp/inspect.ts')).mcpInspectCommand,
    },
  },
  ['agent mcp list', 'agent mcp serve'],
);

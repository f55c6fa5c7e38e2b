import { type CliGroup, defineCliGroup } from './command.ts';

/** `agent mcp`: look at MCP servers, or be one. */
export const mcpCommands: CliGroup = defineCliGroup('Model Context Protocol: look at servers, or be one', {
  serve: {
    description: 'Be an MCP server on standard input and output',
    load: async () => (await import('./mcp/serve.ts')).mcpServeCommand,
  },
  inspect: {
    description: 'Show the tools of an MCP server',
    load: async () => (await import('./mcp/inspect.ts')).mcpInspectCommand,
  },
});

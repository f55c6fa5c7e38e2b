import { Type } from '../../schema.ts';

/** MCP servers named by requests and by the configuration. */
export const McpSection = Type.Object(
  {
    enable_server_configuration: Type.Boolean({
      default: false,
      env: ['ENABLE_MCP_SERVER_CONFIGURATION'],
      description: 'Let requests name MCP servers of their own.',
    }),
  },
  { default: {}, description: 'Model Context Protocol servers as tools.' },
);

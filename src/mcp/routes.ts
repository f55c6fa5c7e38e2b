import { Elysia } from 'elysia';
import { problemResponses } from '../http/openapi-details.ts';
import { type MetadataDeps, readServerMetadata } from './metadata.ts';
import { McpMetadataRequest, McpMetadataResponse } from './model.ts';

/** `POST /api/mcp/server/metadata`: the tools of an MCP server. */
export function createMcpRoutes(deps: MetadataDeps) {
  return new Elysia({ name: 'mcp-routes', prefix: '/api/mcp' }).post(
    '/server/metadata',
    ({ body, request }) => readServerMetadata(deps, body, request.signal),
    {
      body: McpMetadataRequest,
      response: { 200: McpMetadataResponse },
      detail: {
        tags: ['MCP'],
        summary: 'List the tools of an MCP server',
        description:
          'Needs ENABLE_MCP_SERVER_CONFIGURATION. Values of env and secret-looking headers are masked in the answer.',
        responses: problemResponses(403, 500),
      },
    },
  );
}

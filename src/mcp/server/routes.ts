import { Elysia } from 'elysia';
import { fail } from '../../errors.ts';
import { eventStreamResponse, problemResponses } from '../../http/openapi-details.ts';
import { checkJsonType } from '../../http/parse-body.ts';
import { readBody } from '../../http/read-body.ts';
import { parseJson } from '../../lib/json.ts';
import type { McpSessions } from './sessions.ts';

export interface McpServerRouteNeeds {
  sessions: McpSessions;
  maxBodyBytes: number;
}

/** `/mcp`: the agent as an MCP server over streamable HTTP. */
export function createMcpServerRoutes({ sessions, maxBodyBytes }: McpServerRouteNeeds) {
  const answer = async (
    request: Request,
    server: { timeout(request: Request, seconds: number): void } | null,
  ): Promise<Response> => {
    const body = request.method === 'POST' ? await readMessage(request, maxBodyBytes) : undefined;
    // Streams stay open while a tool works.
    server?.timeout(request, 0);
    return sessions.handle(request, body);
  };
  const detail = (summary: string, stream?: string) => ({
    tags: ['MCP'],
    summary,
    responses: { ...(stream && eventStreamResponse(stream)), ...problemResponses(403, 404) },
  });
  return new Elysia({ name: 'mcp-server-routes' })
    .post('/mcp', ({ request, server }) => answer(request, server), {
      parse: 'none',
      detail: detail(
        'Send a message to the MCP server (streamable HTTP)',
        'A JSON-RPC answer, or Server-Sent Events that end with it.',
      ),
    })
    .get('/mcp', ({ request, server }) => answer(request, server), {
      detail: detail('Listen to the MCP server', 'Messages of the server.'),
    })
    .delete('/mcp', ({ request, server }) => answer(request, server), {
      detail: detail('End a session of the MCP server'),
    });
}

async function readMessage(request: Request, maxBytes: number): Promise<unknown> {
  checkJsonType(request);
  const message = parseJson(new TextDecoder().decode(await readBody(request, maxBytes)));
  if (message === undefined) throw fail('malformed_json', 'The request body is not valid JSON.');
  return message;
}

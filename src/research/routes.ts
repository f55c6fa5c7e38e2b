import { Elysia } from 'elysia';
import { eventStreamResponse, problemResponses } from '../http/openapi-details.ts';
import { type StreamDeps, streamRun } from '../runs/stream.ts';
import { RESEARCH_EVENTS } from './events.ts';
import { ChatRequest } from './model.ts';
import { type StartChatDeps, startChat } from './start-chat.ts';

/** `POST /api/chat/stream`: a conversation in, the events of a research run out. */
export function createChatRoutes(deps: StartChatDeps & StreamDeps) {
  return new Elysia({ name: 'chat-routes', prefix: '/api/chat' }).post(
    '/stream',
    async ({ body, request, server }) => {
      const run = await startChat(deps, body);
      const goesOn = body.on_disconnect === 'continue';
      return streamRun(deps, run, {
        request,
        server,
        after: 0,
        ...(goesOn ? {} : { onDisconnect: () => void deps.runs.cancel(run.id) }),
      });
    },
    {
      body: ChatRequest,
      detail: {
        tags: ['Chat'],
        summary: 'Research: stream the events of a run',
        description: 'The headers x-run-id and x-thread-id name the run and its thread.',
        responses: { ...eventStreamResponse(undefined, RESEARCH_EVENTS), ...problemResponses(403, 503) },
      },
    },
  );
}

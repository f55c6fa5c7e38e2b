import { Elysia } from 'elysia';
import { isAbort, toAppError } from '../errors.ts';
import { toOpenAiError } from '../http/errors.ts';
import { problemResponses } from '../http/openapi-details.ts';
import { sseResponse } from '../http/sse.ts';
import { runHeaders } from '../runs/stream.ts';
import { Type } from '../schema.ts';
import { CompletionRequest, SERVED_MODELS } from './model.ts';
import { findModel } from './read-request.ts';
import { type CompletionDeps, startCompletion } from './start-completion.ts';
import { collectCompletion, openCompletionStream } from './stream-completion.ts';
import { DONE_FRAME, frame, toModelView } from './wire.ts';

/** What the OpenAI-compatible routes need. */
export interface OpenAiApiDeps extends CompletionDeps {
  heartbeatMs: number;
}

const ModelView = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'Seconds since the Unix epoch.' }),
  owned_by: Type.String(),
  description: Type.Optional(Type.String()),
});

const ANSWER = {
  200: {
    description: 'The completion, whole or as a stream.',
    content: {
      'application/json': { schema: { type: 'object' as const, description: 'A chat.completion.' } },
      'text/event-stream': {
        schema: { type: 'string' as const, description: 'chat.completion.chunk objects, then [DONE].' },
      },
    },
  },
};

/** `/v1`: the research agent as a model, for any client of OpenAI's API. */
export function createOpenAiRoutes(deps: OpenAiApiDeps) {
  const created = Math.floor(deps.clock.now() / 1000);
  return new Elysia({ name: 'openai-routes', prefix: '/v1' })
    .get(
      '/models',
      () => ({ object: 'list' as const, data: SERVED_MODELS.map((model) => toModelView(model, created)) }),
      {
        response: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(ModelView) }) },
        detail: { tags: ['OpenAI'], summary: 'List the models' },
      },
    )
    .get('/models/:id', ({ params }) => toModelView(findModel(decodeURIComponent(params.id)), created), {
      response: { 200: ModelView },
      detail: { tags: ['OpenAI'], summary: 'Show a model', responses: problemResponses(404) },
    })
    .post(
      '/chat/completions',
      async ({ body, request, server }) => {
        const completion = await startCompletion(deps, body);
        const { run } = completion;
        const gone = new AbortController();
        const leave = () => {
          gone.abort(new DOMException('The client went away.', 'AbortError'));
          void deps.runs.cancel(run.id);
        };
        request.signal.addEventListener('abort', leave, { once: true });
        if (request.signal.aborted) leave();
        const headers = runHeaders(run);
        // An answer may take minutes: silence until then is no stalled client.
        server?.timeout(request, 0);
        if (!body.stream) return Response.json(await collectCompletion(completion, gone.signal), { headers });
        const includeUsage = body.stream_options?.include_usage ?? false;
        const { clock, heartbeatMs } = deps;
        return sseResponse({
          request,
          server,
          frames: await openCompletionStream({ completion, includeUsage, clock, signal: gone.signal }),
          heartbeatMs,
          headers,
          onDisconnect: leave,
          errorFrame: (error) => (isAbort(error) ? '' : frame(toOpenAiError(toAppError(error))) + DONE_FRAME),
        });
      },
      {
        body: CompletionRequest,
        detail: {
          tags: ['OpenAI'],
          summary: 'Answer a conversation as a model of OpenAI’s API would',
          description:
            'With `stream` a series of chat.completion.chunk objects that ends with [DONE], else one chat.completion object. Progress is reasoning_content, citations are annotations. Errors have OpenAI’s shape.',
          responses: { ...ANSWER, ...problemResponses(404, 429, 503) },
        },
      },
    );
}

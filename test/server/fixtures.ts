import { Elysia, t } from 'elysia';
import { AppError, fail } from '../../src/errors.ts';
import {
  binaryResponse,
  emptyResponse,
  eventStreamResponse,
  problemResponses,
} from '../../src/http/openapi-details.ts';
import { QueryInteger } from '../../src/http/query.ts';
import { formatFrame, sseResponse } from '../../src/http/sse.ts';
import { Nullable, Type } from '../../src/schema.ts';

const Style = Type.Union([Type.Literal('NEWS'), Type.Literal('ACADEMIC')], { description: 'Style.' });

/** A feature with one route of every kind the server has to carry. */
export function createSampleRoutes() {
  return new Elysia({ prefix: '/api/sample' })
    .post('/echo', ({ body }) => ({ body: { ...body, note: body.note ?? undefined } }), {
      body: Type.Object({
        count: Type.Integer({ minimum: 1, description: 'How many.' }),
        ratio: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3 })),
        style: Type.Optional(Style),
        note: Nullable(Type.String({ maxLength: 20, description: 'May be null.' })),
        tags: Type.Optional(Type.Record(Type.String(), Type.Integer())),
        list: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
      }),
      detail: { tags: ['Content'], summary: 'Echo', responses: problemResponses(403) },
    })
    .post('/bare', ({ body }) => ({ body }))
    .post('/raw', async ({ request }) => ({ text: await request.text() }), { parse: 'none' })
    .post('/upload', ({ body }) => ({ name: body.file.name, size: body.file.size }), {
      body: Type.Object({ file: t.File() }),
      detail: { summary: 'Upload', responses: problemResponses(501) },
    })
    .get('/list', ({ query }) => query, {
      query: Type.Object({
        limit: QueryInteger('limit', { minimum: 1, maximum: 100, default: 20, description: 'At most.' }),
      }),
    })
    .get('/items/:id', ({ params }) => params, { response: { 200: Type.Object({ id: Type.String() }) } })
    .get('/broken-answer', () => ({ id: 1 }) as unknown as { id: string }, {
      response: { 200: Type.Object({ id: Type.String() }) },
    })
    .get('/defect', () => {
      throw new TypeError('the password is hunter2');
    })
    .get('/thrown-string', () => {
      throw 'hunter2';
    })
    .get('/refused', () => {
      throw fail('mcp_disabled', 'MCP configuration is disabled on this server.');
    })
    .get('/limited', () => {
      throw fail('upstream_rate_limited', 'The model provider asks to wait.', {
        retryable: true,
        retryAfterMs: 1500,
        cause: new Error('body of the provider with key sk-1'),
      });
    })
    .get('/busy', () => {
      throw new AppError('Too many runs are active.', {
        code: 'overloaded',
        category: 'user',
        status: 503,
        headers: { 'retry-after': '7' },
      });
    })
    .get(
      '/waits',
      ({ request }) =>
        new Promise<Response>((_resolve, reject) => {
          request.signal.addEventListener('abort', () => reject(new Error('the upstream call was cut')));
        }),
    )
    .delete('/items/:id', () => new Response(null, { status: 204 }), {
      detail: { summary: 'Remove', responses: emptyResponse() },
    })
    .get('/file', () => new Response('ID3', { headers: { 'content-type': 'audio/mp3' } }), {
      detail: { summary: 'File', responses: { ...binaryResponse('audio/mp3', 'audio/wav'), ...problemResponses(400) } },
    })
    .get(
      '/stream',
      ({ request, server }) =>
        sseResponse({
          request,
          server,
          heartbeatMs: 1000,
          frames: (async function* () {
            yield formatFrame({ event: 'one', data: '{}' });
            yield formatFrame({ event: 'two', data: '{}' });
          })(),
          headers: { 'x-run-id': 'run_1' },
        }),
      { detail: { summary: 'Stream', responses: eventStreamResponse() } },
    );
}

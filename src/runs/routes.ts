import { Elysia } from 'elysia';
import { fail } from '../errors.ts';
import { emptyResponse, eventStreamResponse, problemResponses } from '../http/openapi-details.ts';
import { QueryInteger } from '../http/query.ts';
import { EVENT_DATA } from '../research/events.ts';
import { Type } from '../schema.ts';
import type { RunRow } from '../store/store.ts';
import { parseLastEventId } from './event-frame.ts';
import { RunView } from './model.ts';
import { type StreamDeps, streamRun } from './stream.ts';
import { toRunView } from './view.ts';

const ThreadView = Type.Object({
  id: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
  messages: Type.Array(
    Type.Object({
      role: Type.String(),
      agent: Type.Optional(Type.String()),
      content: Type.Unknown({ description: 'Text, or `{text, images}`.' }),
      created_at: Type.String(),
    }),
  ),
  plan: Type.Unknown({ description: 'The latest plan, or null.' }),
  report: Type.Union([Type.String(), Type.Null()]),
  citations: Type.Array(Type.Unknown()),
  pending: Type.Union([Type.Object({ kind: Type.String(), run_id: Type.String() }), Type.Null()], {
    description:
      'What the thread waits for: the review of a plan, the approval of a tool, or the answer to a question.',
  }),
});

const Accepted = Type.Object({ id: Type.String(), status: Type.String() });

/** `/api/runs` and `/api/threads`: look at runs, replay and follow their events, stop them, read and remove threads. */
export function createRunRoutes(deps: StreamDeps) {
  const { store, runs } = deps;
  const find = async (id: string): Promise<RunRow> => {
    const run = await store.runs.get(id);
    if (!run) throw fail('run_not_found', 'There is no run with this id.');
    return run;
  };
  const request = async (id: string, verb: 'cancel' | 'finish') => {
    const run = await find(id);
    if (!(await runs[verb](id))) throw fail('run_ended', `The run is ${run.status} already.`);
    return { id, status: verb === 'cancel' ? 'cancelling' : 'finishing' };
  };
  return new Elysia({ name: 'run-routes', prefix: '/api' })
    .get(
      '/runs',
      async ({ query }) => {
        const threadId = query.thread_id;
        const rows = await store.runs.list({
          limit: query.limit ?? 20,
          ...(threadId === undefined ? {} : { threadId }),
        });
        return { runs: rows.map(toRunView) };
      },
      {
        query: Type.Object({
          limit: QueryInteger('limit', {
            minimum: 1,
            maximum: 200,
            description: 'How many, newest first (default 20).',
          }),
          thread_id: Type.Optional(Type.String({ description: 'Only runs of this thread.' })),
        }),
        // `?limit=&thread_id=`: a parameter without a value is one that was not given.
        transform: ({ query }) => {
          for (const [name, value] of Object.entries(query as Record<string, unknown>))
            if (value === '') delete (query as Record<string, unknown>)[name];
        },
        response: { 200: Type.Object({ runs: Type.Array(RunView) }) },
        detail: { tags: ['Runs'], summary: 'List runs, newest first' },
      },
    )
    .get('/runs/:id', async ({ params }) => toRunView(await find(params.id)), {
      response: { 200: RunView },
      detail: { tags: ['Runs'], summary: 'Show a run', responses: problemResponses(404) },
    })
    .get(
      '/runs/:id/events',
      async ({ params, request: incoming, server, headers }) => {
        const run = await find(params.id);
        const after = parseLastEventId(run.id, headers['last-event-id']);
        if (after === undefined) throw fail('bad_last_event_id', 'Last-Event-ID is not an event of this run.');
        return streamRun(deps, run, { request: incoming, server, after });
      },
      {
        detail: {
          tags: ['Runs'],
          summary: 'Replay the events of a run, then follow it',
          description: 'Starts at the beginning, or after the event named by the Last-Event-ID header.',
          responses: { ...eventStreamResponse(undefined, EVENT_DATA), ...problemResponses(400, 404) },
        },
      },
    )
    .post('/runs/:id/cancel', async ({ params, status }) => status(202, await request(params.id, 'cancel')), {
      response: { 202: Accepted },
      detail: { tags: ['Runs'], summary: 'Stop a run', responses: problemResponses(404, 409) },
    })
    .post('/runs/:id/finish', async ({ params, status }) => status(202, await request(params.id, 'finish')), {
      response: { 202: Accepted },
      detail: {
        tags: ['Runs'],
        summary: 'Stop researching and write the report from what is known',
        responses: problemResponses(404, 409),
      },
    })
    .get(
      '/threads/:id',
      async ({ params }) => {
        const thread = await store.threads.get(params.id);
        if (!thread) throw fail('thread_not_found', 'There is no thread with this id.');
        const { messages, plan, report, citations, pending } = thread;
        return {
          id: thread.id,
          created_at: new Date(thread.createdAt).toISOString(),
          updated_at: new Date(thread.updatedAt).toISOString(),
          messages: messages.map(({ createdAt, ...message }) => ({
            ...message,
            created_at: new Date(createdAt).toISOString(),
          })),
          plan,
          report,
          citations,
          pending: pending && { kind: pending.kind, run_id: pending.runId },
        };
      },
      {
        response: { 200: ThreadView },
        detail: {
          tags: ['Threads'],
          summary: 'Show a thread: messages, plan, report, citations',
          responses: problemResponses(404),
        },
      },
    )
    .delete(
      '/threads/:id',
      async ({ params, set }) => {
        const active = (await store.runs.list({ limit: 200, threadId: params.id })).filter((run) => runs.live(run.id));
        for (const run of active) await runs.cancel(run.id);
        await Promise.all(active.map((run) => runs.settled(run.id)));
        if (!(await store.threads.delete(params.id)))
          throw fail('thread_not_found', 'There is no thread with this id.');
        set.status = 204;
      },
      {
        detail: {
          tags: ['Threads'],
          summary: 'Remove a thread with its runs',
          responses: { ...emptyResponse(), ...problemResponses(404) },
        },
      },
    );
}

import { Elysia } from 'elysia';
import { isAbort } from '../errors.ts';
import { eventStreamResponse, problemResponses } from '../http/openapi-details.ts';
import { sseResponse } from '../http/sse.ts';
import { coalesce } from '../lib/coalesce.ts';
import type { Gate } from '../lib/gate.ts';
import type { Models } from '../models/model.ts';
import { frameProse, proseErrorFrame } from './frames.ts';
import { ProseRequest } from './model.ts';
import { writeProse } from './write-prose.ts';

/** What the prose route needs. */
export interface ProseNeeds {
  models: Models;
  gate: Gate;
  heartbeatMs: number;
  /** At most one frame of text in this time; 0 sends every token. */
  chunkIntervalMs: number;
}

/** `POST /api/prose/generate`: a text in, a stream of text out. */
export function createProseRoutes({ models, gate, heartbeatMs, chunkIntervalMs }: ProseNeeds) {
  return new Elysia({ name: 'prose-routes', prefix: '/api/prose' }).post(
    '/generate',
    async ({ body, request, server }) => {
      // A model may think for longer than an idle connection lives.
      server?.timeout(request, 0);
      const gone = new AbortController();
      const signal = AbortSignal.any([request.signal, gone.signal]);
      const leave = await gate.enter(signal);
      try {
        const text = coalesce(writeProse(models, body, signal), chunkIntervalMs, (first, second) => first + second);
        const pieces = text[Symbol.asyncIterator]();
        // Until there is text a failure is an HTTP status.
        const first = await pieces.next();
        return sseResponse({
          request,
          server,
          frames: releaseAfter(frameProse(startWith(first, pieces)), leave),
          heartbeatMs,
          onDisconnect: () => {
            gone.abort(new DOMException('The client went away.', 'AbortError'));
            leave();
          },
          errorFrame: (error) => (isAbort(error) ? '' : proseErrorFrame(error)),
        });
      } catch (error) {
        leave();
        throw error;
      }
    },
    {
      body: ProseRequest,
      detail: {
        tags: ['Content'],
        summary: 'Write prose: continue, improve, shorten, lengthen, correct or change a text',
        responses: {
          ...eventStreamResponse(
            'The text in frames `data: <text>`; a newline is a frame of its own with two empty data lines. A failure after the first text is a last frame `event: error`.',
          ),
          ...problemResponses(503),
        },
      },
    },
  );
}

async function* startWith(first: IteratorResult<string>, rest: AsyncIterator<string>): AsyncGenerator<string> {
  for (let next = first; !next.done; next = await rest.next()) yield next.value;
}

async function* releaseAfter(frames: AsyncIterable<string>, release: () => void): AsyncGenerator<string> {
  try {
    yield* frames;
  } finally {
    release();
  }
}

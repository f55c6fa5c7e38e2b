import { Elysia } from 'elysia';
import { binaryResponse, problemResponses } from '../http/openapi-details.ts';
import { type GeneratePodcastDeps, generatePodcast } from './generate.ts';
import { PodcastRequest } from './model.ts';

/** `POST /api/podcast/generate`: a report in, a spoken conversation out. */
export function createPodcastRoutes(deps: GeneratePodcastDeps) {
  return new Elysia({ name: 'podcast-routes', prefix: '/api/podcast' }).post(
    '/generate',
    async ({ body, request, server }) => {
      // The connection is silent until the audio is there.
      server?.timeout(request, 0);
      const { audio, runId, threadId } = await generatePodcast(deps, body, request.signal);
      return new Response(audio as Uint8Array<ArrayBuffer>, {
        headers: {
          'content-type': 'audio/mp3',
          'content-disposition': 'attachment; filename="podcast.mp3"',
          'x-run-id': runId,
          'x-thread-id': threadId,
        },
      });
    },
    {
      body: PodcastRequest,
      detail: {
        tags: ['Content'],
        summary: 'Make a podcast',
        description:
          'The header x-run-id names the run; GET /api/runs/{id}/events shows its transcript (podcast_script).',
        responses: { ...binaryResponse('audio/mp3'), ...problemResponses(503) },
      },
    },
  );
}

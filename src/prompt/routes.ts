import { Elysia } from 'elysia';
import { problemResponses } from '../http/openapi-details.ts';
import type { Gate } from '../lib/gate.ts';
import type { Models } from '../models/model.ts';
import { enhancePrompt } from './enhance.ts';
import { EnhanceAnswer, EnhanceRequest } from './model.ts';

/** What the prompt route needs. */
export interface PromptNeeds {
  models: Models;
  gate: Gate;
}

/** `POST /api/prompt/enhance`: a prompt in, a better one out. */
export function createPromptRoutes({ models, gate }: PromptNeeds) {
  return new Elysia({ name: 'prompt-routes', prefix: '/api/prompt' }).post(
    '/enhance',
    async ({ body, request, server }) => {
      // A model may think for longer than an idle connection lives.
      server?.timeout(request, 0);
      const { signal } = request;
      return { result: await gate.run(() => enhancePrompt(models, body, signal), signal) };
    },
    {
      body: EnhanceRequest,
      response: { 200: EnhanceAnswer },
      detail: { tags: ['Content'], summary: 'Improve a prompt for research', responses: problemResponses(503) },
    },
  );
}

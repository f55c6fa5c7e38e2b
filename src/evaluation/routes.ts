import { Elysia } from 'elysia';
import { problemResponses } from '../http/openapi-details.ts';
import type { Gate } from '../lib/gate.ts';
import type { Models } from '../models/model.ts';
import { evaluateReport } from './evaluate.ts';
import { EvaluationAnswer, EvaluationRequest } from './model.ts';

/** What the evaluation route needs. */
export interface EvaluationNeeds {
  models: Models;
  gate: Gate;
}

/** `POST /api/report/evaluate`: a report in, its measures and grade out. */
export function createEvaluationRoutes({ models, gate }: EvaluationNeeds) {
  return new Elysia({ name: 'evaluation-routes', prefix: '/api/report' }).post(
    '/evaluate',
    async ({ body, request, server }) => {
      // A model may think for longer than an idle connection lives.
      server?.timeout(request, 0);
      const { signal } = request;
      return gate.run(() => evaluateReport(models, body, signal), signal);
    },
    {
      body: EvaluationRequest,
      response: { 200: EvaluationAnswer },
      detail: { tags: ['Content'], summary: 'Evaluate a report', responses: problemResponses(503) },
    },
  );
}

import { Type } from '../../schema.ts';

/** The research workflow. */
export const ResearchSection = Type.Object(
  {
    max_concurrency: Type.Integer({
      default: 3,
      minimum: 1,
      maximum: 16,
      description: 'Research steps of one run that work at the same time.',
    }),
    max_tool_rounds: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 50,
      description: 'Model answers with tool calls one step may give.',
    }),
    chunk_interval_ms: Type.Integer({
      default: 25,
      minimum: 0,
      maximum: 1000,
      unit: 'milliseconds',
      description: 'At most one message chunk per message in this time; 0 sends every token.',
    }),
    step_timeout_seconds: Type.Number({
      default: 600,
      exclusiveMinimum: 0,
      unit: 'seconds',
      description: 'Longest time of one step.',
    }),
    max_tool_output_tokens: Type.Integer({
      default: 8000,
      minimum: 200,
      unit: 'tokens',
      description: 'A tool result is cut to this before the model sees it.',
    }),
  },
  { default: {}, description: 'The research workflow.' },
);

/** Durable runs. */
export const RunsSection = Type.Object(
  {
    max_active: Type.Integer({
      default: 500,
      minimum: 1,
      description: 'Runs working at once; further requests get 503.',
    }),
    lease_seconds: Type.Integer({
      default: 15,
      minimum: 2,
      unit: 'seconds',
      description: 'After this time without a sign of life another process may take a run over.',
    }),
    worker_concurrency: Type.Integer({
      default: 4,
      minimum: 1,
      maximum: 64,
      description: 'Parked or queued runs this process continues at once.',
    }),
  },
  { default: {}, description: 'Durable runs.' },
);

import { type Static, type TSchema, Type } from '../schema.ts';
import { checkStored } from '../store/model.ts';
import { RetrievedSource } from './tool.ts';

/** A complete model answer. */
export const ModelAnswer = Type.Object({
  text: Type.String(),
  reasoning: Type.String(),
  calls: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      argumentsText: Type.String(),
      extra: Type.Optional(
        Type.Object({
          extra_content: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
          reasoning_content: Type.Optional(Type.String()),
        }),
      ),
    }),
  ),
  finishReason: Type.Union(
    (['stop', 'tool_calls', 'length', 'content_filter'] as const).map((reason) => Type.Literal(reason)),
  ),
});
export type ModelAnswer = Static<typeof ModelAnswer>;

/** What the user answered to an interrupt. */
export const InterruptAnswer = Type.Object({
  feedback: Type.String(),
  message: Type.String({ description: 'Text of the newest message sent with it.' }),
});
export type InterruptAnswer = Static<typeof InterruptAnswer>;

/** A plan that was checked and shown. */
export const CheckedPlan = Type.Object({
  locale: Type.String(),
  has_enough_context: Type.Boolean(),
  thought: Type.String(),
  title: Type.String(),
  steps: Type.Array(
    Type.Object({
      need_search: Type.Boolean(),
      title: Type.String(),
      description: Type.String(),
      step_type: Type.Union([Type.Literal('research'), Type.Literal('analysis'), Type.Literal('processing')]),
    }),
  ),
});

/** A finished step with what it retrieved. */
export const StepResult = Type.Object({
  finding: Type.Object({
    title: Type.String(),
    description: Type.String(),
    result: Type.String(),
    failed: Type.Boolean(),
  }),
  sources: Type.Array(RetrievedSource),
});
export type StepResult = Static<typeof StepResult>;

/** What the journal holds under `key`, checked; undefined when that work was not finished. */
export function recall<Schema extends TSchema>(
  journal: ReadonlyMap<string, unknown>,
  key: string,
  schema: Schema,
): Static<Schema> | undefined {
  return journal.has(key) ? checkStored(schema, journal.get(key), 'journal') : undefined;
}

import { type Static, Type } from '../schema.ts';

/** Where a run is in its life. */
export const RunStatus = Type.Union(
  [
    Type.Literal('queued'),
    Type.Literal('running'),
    Type.Literal('interrupted'),
    Type.Literal('completed'),
    Type.Literal('failed'),
    Type.Literal('cancelled'),
  ],
  { description: 'Where the run is in its life.' },
);
export type RunStatus = Static<typeof RunStatus>;

/** Tokens by `agent` and by `model`, added up over the run. */
export const RunUsage = Type.Object({
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  by_model: Type.Record(Type.String(), Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() })),
  by_agent: Type.Record(Type.String(), Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() })),
});
export type RunUsage = Static<typeof RunUsage>;

/** What happens to a run when the client that streams it goes away. */
export type OnDisconnect = 'cancel' | 'continue';

/** An entry of the event log. */
export interface StoredEvent {
  /** 1-based, without gaps. */
  seq: number;
  type: string;
  /** One-line JSON, exactly as framed. */
  data: string;
}

/** A finished piece of paid work, written with the event that completes it and never repeated. */
export interface JournalEntry {
  key: string;
  value: unknown;
}

/** What a thread waits for: the run to resume, and the journal key its answer goes under. */
export const PendingInterrupt = Type.Object({
  runId: Type.String(),
  kind: Type.Union([Type.Literal('plan'), Type.Literal('tool'), Type.Literal('clarification')]),
  key: Type.String(),
});
export type PendingInterrupt = Static<typeof PendingInterrupt>;

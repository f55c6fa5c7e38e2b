import { type Static, Type } from '../schema.ts';
import type { PendingInterrupt, ThreadPatch } from '../store/store.ts';

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

/** A run as `GET /api/runs/{id}` shows it. */
export const RunView = Type.Object({
  id: Type.String(),
  thread_id: Type.String(),
  kind: Type.String({ description: '`research`, `quick`, `podcast`, …' }),
  status: RunStatus,
  created_at: Type.String({ description: 'RFC 3339.' }),
  updated_at: Type.String({ description: 'RFC 3339.' }),
  usage: RunUsage,
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
});
export type RunView = Static<typeof RunView>;

/** What happens to a run when the client that streams it goes away. */
export type OnDisconnect = 'cancel' | 'continue';

/** One entry of a run's event log before it has a number; `data` is the payload of the SSE frame. */
export interface RunEvent {
  type: string;
  data: Record<string, unknown>;
}

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

/** What a workflow yields: an event, journal entries, or both (then they are written in one transaction). */
export interface RunOutput {
  event?: RunEvent;
  journal?: JournalEntry[];
  /** Change to the thread, in the same transaction. */
  thread?: ThreadPatch;
  /** Tokens to add to the run. */
  usage?: { agent: string; model: string; inputTokens: number; outputTokens: number };
  /** Set on the last output: the run has this status from the same transaction on, and nothing can follow it. */
  ends?: 'completed' | 'interrupted';
}

/** The part of a workflow's input that the engine knows. */
export interface ResumingInput {
  /** The interrupt this run answers. It waits again when the run fails or is stopped, so that no answer is lost. */
  resumes?: PendingInterrupt;
}

/** How a workflow ended. */
export type RunOutcome =
  | { status: 'completed' }
  | { status: 'interrupted' }
  | { status: 'failed'; code: string; message: string };

/** What the engine gives a workflow. */
export interface RunContext {
  runId: string;
  threadId: string;
  /** Entries of earlier attempts of this run, and of the run it resumes. */
  journal: ReadonlyMap<string, unknown>;
  /** Hard stop: cancel or shutdown. */
  signal: AbortSignal;
  /** Soft stop: the user wants the result from what is known. */
  finishSignal: AbortSignal;
}

/**
 * A kind of run. It is called again with the same input and a fuller journal after a crash, so work whose key is in
 * the journal must not be repeated, and its events are not yielded again.
 */
export type Workflow = (input: unknown, context: RunContext) => AsyncGenerator<RunOutput, RunOutcome>;

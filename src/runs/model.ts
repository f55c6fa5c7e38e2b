import type { RunEvent } from '../research/events.ts';
import { type Static, type TSchema, Type } from '../schema.ts';
import { checkStored, type JournalEntry, RunStatus, RunUsage } from '../store/model.ts';
import type { ThreadPatch } from '../store/store.ts';

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

/** What a workflow yields: an event, journal entries, or both (then they are written in one transaction). */
export interface RunOutput<Event extends RunEvent = RunEvent> {
  event?: Event;
  journal?: JournalEntry[];
  /** Change to the thread, in the same transaction. */
  thread?: ThreadPatch;
  /** Tokens to add to the run. */
  usage?: { agent: string; model: string; inputTokens: number; outputTokens: number };
  /** Set on the last output: the run has this status from the same transaction on, and nothing can follow it. */
  ends?: 'completed' | 'interrupted';
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
export type Workflow<Input = unknown, Event extends RunEvent = RunEvent> = (
  input: Input,
  context: RunContext,
) => AsyncGenerator<RunOutput<Event>, RunOutcome>;

/** A workflow behind the check of its stored input. */
export function readingInput<Schema extends TSchema>(schema: Schema, workflow: Workflow<Static<Schema>>): Workflow {
  return (input, context) => workflow(checkStored(schema, input, 'input'), context);
}

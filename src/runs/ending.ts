import { parseJson } from '../lib/json.ts';
import type { EventOf } from '../research/events.ts';
import { Value } from '../schema.ts';
import { ResumingInput, type RunStatus } from '../store/model.ts';
import type { AppendInput, RunPatch, RunRow, ThreadPatch } from '../store/store.ts';

/** Why a run ended without a result. */
export interface Ending {
  status: 'failed' | 'cancelled';
  code: string;
  /** One sentence. */
  message: string;
  reason?: 'cancelled';
}

/** The ending of a run that was stopped on request. */
export const CANCELLED: Ending = {
  status: 'cancelled',
  code: 'cancelled',
  message: 'The run was cancelled.',
  reason: 'cancelled',
};

/** The change that gives a run a status nobody works on. */
export function released(status: RunStatus): RunPatch {
  return { status, owner: null, leaseUntil: null };
}

/** The last event of a run without a result. */
export function endingEvent(run: RunRow, { code, message, reason }: Ending): EventOf<'error'> {
  return { type: 'error', data: { thread_id: run.threadId, error: message, code, ...(reason && { reason }) } };
}

/** What is written with that event: the status, and what the run answered waits again. */
export function endingWrite(run: RunRow, { status, code, message }: Ending): Omit<AppendInput, 'events'> {
  return { patch: { ...released(status), errorCode: code, errorMessage: message }, ...waitsAgain(run) };
}

/** The interrupt that `run` answered, as the thread's again; it continues from what this run finished. */
export function waitsAgain(run: RunRow): { thread?: ThreadPatch } {
  const input = parseJson(run.input);
  // What cannot be read ends the run by itself; nothing waits for it.
  const resumes = Value.Check(ResumingInput, input) ? input.resumes : undefined;
  return resumes ? { thread: { pendingAgain: { kind: resumes.kind, key: resumes.key, runId: run.id } } } : {};
}

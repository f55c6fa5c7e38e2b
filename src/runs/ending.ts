import type { RunStatus } from '../store/model.ts';
import type { AppendInput, RunPatch, RunRow, ThreadPatch } from '../store/store.ts';
import type { ResumingInput } from './model.ts';

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

/** The last write of a run without a result: an `error` event with the number `seq`, and what the run answered waits again. */
export function endingWrite(run: RunRow, seq: number, ending: Ending): AppendInput {
  const { code, message, reason } = ending;
  const data = { thread_id: run.threadId, error: message, code, ...(reason && { reason }) };
  return {
    events: [{ seq, type: 'error', data: JSON.stringify(data) }],
    patch: { ...released(ending.status), errorCode: code, errorMessage: message },
    ...waitsAgain(run),
  };
}

/** The interrupt that `run` answered, as the thread's again; it continues from what this run finished. */
export function waitsAgain(run: RunRow): { thread?: ThreadPatch } {
  const { resumes } = JSON.parse(run.input) as ResumingInput;
  return resumes ? { thread: { pendingAgain: { kind: resumes.kind, key: resumes.key, runId: run.id } } } : {};
}

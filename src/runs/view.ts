import type { RunRow } from '../store/store.ts';
import type { RunView } from './model.ts';

/** A run as the API shows it. */
export function toRunView(run: RunRow): RunView {
  return {
    id: run.id,
    thread_id: run.threadId,
    kind: run.kind,
    status: run.status,
    created_at: new Date(run.createdAt).toISOString(),
    updated_at: new Date(run.updatedAt).toISOString(),
    usage: run.usage,
    ...(run.errorCode ? { error: { code: run.errorCode, message: run.errorMessage ?? '' } } : {}),
  };
}

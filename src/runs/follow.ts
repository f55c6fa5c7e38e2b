import type { Clock } from '../lib/clock.ts';
import type { Store } from '../store/store.ts';
import { frameEvent, frameTransient } from './frame.ts';
import type { StoredEvent } from './model.ts';
import type { RunService } from './service.ts';

const PAGE = 500;
/** How often a run that works in another process is looked at. */
const POLL_MS = 250;

/** The frames of a run after `cursor`: what is in the log, then live until the run ends. */
export async function* followRun(
  options: { store: Store; runs: RunService; clock: Clock },
  runId: string,
  cursor: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let after = cursor;
  const frames = function* (events: StoredEvent[]) {
    for (const event of events) {
      after = event.seq;
      yield frameEvent(runId, event);
    }
  };
  let live = options.runs.live(runId);
  for (;;) {
    live ??= options.runs.live(runId);
    const recent = live?.after(after);
    if (live && recent) {
      yield* frames(recent);
      if (!live.ended) await live.wait(after, signal);
      else if (live.after(after)?.length === 0) {
        if (live.parting)
          yield frameTransient('error', {
            thread_id: live.threadId,
            error: live.parting.message,
            code: live.parting.code,
          });
        return;
      }
      continue;
    }
    // Read the status first: events written before it changed are then seen by the read that follows.
    const run = await options.store.runs.get(runId);
    const stored = await options.store.runs.events(runId, after, PAGE);
    yield* frames(stored);
    if (stored.length > 0 || (!live && options.runs.live(runId))) continue;
    if (!run || (run.status !== 'queued' && run.status !== 'running')) return;
    await options.clock.sleep(POLL_MS, signal);
  }
}

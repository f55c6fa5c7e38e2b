import type { Clock } from '../lib/clock.ts';
import { type RunEvent, readEvent } from '../research/events.ts';
import type { Store } from '../store/store.ts';
import { frameEvent } from './event-frame.ts';
import type { RunService } from './service.ts';

const PAGE = 500;
/** How often a run that works in another process is looked at. */
const POLL_MS = 250;

/** An event of the log, or one that only ends this stream and is not in the log (then it has no `seq`). */
export type FollowedEvent = RunEvent & {
  seq?: number;
  /** The payload as one-line JSON, the same bytes live and replayed. */
  text: string;
};

export interface FollowDeps {
  store: Store;
  runs: RunService;
  clock: Clock;
}

/** The frames of a run after `cursor`: what is in the log, then live until the run ends. */
export async function* followFrames(
  deps: FollowDeps,
  runId: string,
  cursor: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const event of followRun(deps, runId, cursor, signal)) yield frameEvent(runId, event);
}

/** The events of a run after `cursor`: what is in the log, then live until the run ends. */
export async function* followRun(
  deps: FollowDeps,
  runId: string,
  cursor: number,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent> {
  let after = cursor;
  let live = deps.runs.live(runId);
  for (;;) {
    live ??= deps.runs.live(runId);
    const recent = live?.after(after);
    if (live && recent) {
      for (const event of recent) yield event;
      after = recent.at(-1)?.seq ?? after;
      if (!live.ended) await live.wait(after, signal);
      else if (live.after(after)?.length === 0) {
        if (live.parting) yield partingEvent(live.threadId, live.parting);
        return;
      }
      continue;
    }
    // Read the status first: events written before it changed are then seen by the read that follows.
    const run = await deps.store.runs.get(runId);
    const stored = await deps.store.runs.events(runId, after, PAGE);
    for (const { seq, type, data } of stored) yield { ...readEvent({ type, data }), seq, text: data };
    after = stored.at(-1)?.seq ?? after;
    if (stored.length > 0 || (!live && deps.runs.live(runId))) continue;
    if (!run || (run.status !== 'queued' && run.status !== 'running')) return;
    await deps.clock.sleep(POLL_MS, signal);
  }
}

function partingEvent(threadId: string, parting: { code: string; message: string }): FollowedEvent {
  const data = { thread_id: threadId, error: parting.message, code: parting.code };
  return { type: 'error', data, text: JSON.stringify(data) };
}

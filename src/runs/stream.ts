import type { Server } from 'bun';
import { isAbort, toAppError } from '../errors.ts';
import { sseResponse } from '../http/sse.ts';
import type { Clock } from '../lib/clock.ts';
import type { RunRow, Store } from '../store/store.ts';
import { frameEvent } from './event-frame.ts';
import { followFrames } from './follow.ts';
import type { RunService } from './service.ts';

export interface StreamDeps {
  store: Store;
  runs: RunService;
  clock: Clock;
  heartbeatMs: number;
}

/** The SSE answer that follows a run from `after` to its end. */
export function streamRun(
  deps: StreamDeps,
  run: Pick<RunRow, 'id' | 'threadId'>,
  options: { request: Request; server: Server<unknown> | null; after: number; onDisconnect?: () => void },
): Response {
  const gone = new AbortController();
  return sseResponse({
    request: options.request,
    server: options.server,
    frames: followFrames(deps, run.id, options.after, gone.signal),
    heartbeatMs: deps.heartbeatMs,
    headers: runHeaders(run),
    onDisconnect: () => {
      gone.abort(new DOMException('The client went away.', 'AbortError'));
      options.onDisconnect?.();
    },
    errorFrame: (error) =>
      isAbort(error) ? '' : frameEvent(run.id, { type: 'error', text: failureText(run.threadId, error) }),
  });
}

/** The headers that name a run and its thread; a header carries ASCII only, so other characters are percent-encoded. */
export function runHeaders(run: Pick<RunRow, 'id' | 'threadId'>) {
  return { 'x-run-id': run.id, 'x-thread-id': run.threadId.replaceAll(/[^\x20-\x7e]+/gu, encodeURI) };
}

function failureText(threadId: string, error: unknown): string {
  const { code, message } = toAppError(error);
  return JSON.stringify({ thread_id: threadId, error: message, code });
}

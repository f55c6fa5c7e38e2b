import { formatFrame } from '../http/sse.ts';

/**
 * The SSE frame of an event; the same bytes live and replayed. An event without a number is not part of the log: its
 * frame has no id, so a client that reconnects goes on after the last real event.
 */
export function frameEvent(runId: string, event: { seq?: number; type: string; text: string }): string {
  const id = event.seq === undefined ? {} : { id: `${runId}:${event.seq}` };
  return formatFrame({ ...id, event: event.type, data: event.text });
}

/** The sequence number in a `Last-Event-ID` of this run: 0 when absent, undefined when it is not one of this run's ids. */
export function parseLastEventId(runId: string, value: string | null | undefined): number | undefined {
  if (value === null || value === undefined || value === '') return 0;
  const match = /^(?:(.+):)?(\d{1,15})$/.exec(value.trim());
  if (!match || (match[1] !== undefined && match[1] !== runId)) return undefined;
  return Number(match[2]);
}

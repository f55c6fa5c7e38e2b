import type { StoredEvent } from './model.ts';

/** The SSE frame of a stored event; the same bytes live and replayed. */
export function frameEvent(runId: string, event: StoredEvent): string {
  return `id: ${runId}:${event.seq}\nevent: ${event.type}\ndata: ${event.data}\n\n`;
}

/** A frame that is not part of the log: it has no id, so a client that reconnects goes on after the last real event. */
export function frameTransient(type: string, data: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The sequence number in a `Last-Event-ID` of this run: 0 when absent, undefined when it is not one of this run's ids. */
export function parseLastEventId(runId: string, value: string | null | undefined): number | undefined {
  if (value === null || value === undefined || value === '') return 0;
  const match = /^(?:(.+):)?(\d{1,15})$/.exec(value.trim());
  if (!match || (match[1] !== undefined && match[1] !== runId)) return undefined;
  return Number(match[2]);
}

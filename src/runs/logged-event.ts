import type { RunEvent } from '../research/events.ts';
import type { StoredEvent } from '../store/model.ts';

/** Largest payload of one event, bytes; what is left of 512 KiB holds the frame around it. */
const MAX_EVENT_BYTES = 511 * 1024;

/** An event with its number, 1-based and without gaps, as a value and as the one-line JSON that is stored and framed. */
export type LoggedEvent = RunEvent & { seq: number; text: string };

/** Numbers an event and writes its payload; over the size cap, its longest texts are cut with a mark. */
export function logEvent(seq: number, event: RunEvent): LoggedEvent {
  const text = JSON.stringify(event.data);
  if (fits(text)) return { type: event.type, data: event.data, seq, text } as LoggedEvent;
  return { type: event.type, seq, ...cutData(event.data) } as LoggedEvent;
}

/** The row of an event. */
export function toStored({ seq, type, text }: LoggedEvent): StoredEvent {
  return { seq, type, data: text };
}

function fits(text: string): boolean {
  return text.length * 3 < MAX_EVENT_BYTES || Buffer.byteLength(text) <= MAX_EVENT_BYTES;
}

function cutData(whole: RunEvent['data']): { data: RunEvent['data']; text: string } {
  const data = structuredClone(whole);
  let text = '';
  for (let limit = 160_000; limit > 1000; limit = Math.floor(limit / 2)) {
    cutStrings(data, limit);
    text = JSON.stringify(data);
    if (fits(text)) break;
  }
  return { data, text };
}

function cutStrings(value: unknown, limit: number): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry === 'string' && entry.length > limit) {
      (value as Record<string, unknown>)[key] = `${entry.slice(0, limit).toWellFormed()}… [cut]`;
    } else cutStrings(entry, limit);
  }
}

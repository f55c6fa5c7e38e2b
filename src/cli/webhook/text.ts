import type { EventLine } from '../../webhooks/event-record.ts';

/** `a, b`, or `(all)`. */
export function describeEvents(events: unknown): string {
  const list = typeof events === 'string' ? events.split(',') : Array.isArray(events) ? events : [];
  return list.length > 0 ? list.join(', ') : '(all)';
}

/** What happens with an event of the route. */
export function describeMode(record: Record<string, unknown>): string {
  if (record['deliver_only'] === true) return 'direct delivery (no agent run)';
  return record['mode'] === 'research' ? 'agent run (research workflow)' : 'agent run';
}

/** `2026-01-31 10:00:00 push delivered`. */
export function describeLast(line: EventLine): string {
  return `${formatTime(line.createdAt)} ${line.event} ${line.status}${line.reason ? ` (${line.reason})` : ''}`;
}

/** UTC, to the second. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, 19);
}

/** An event as `--json` shows it. */
export function eventJson(line: EventLine): Record<string, unknown> {
  return {
    id: line.id,
    time: new Date(line.createdAt).toISOString(),
    route: line.route,
    event: line.event,
    delivery_id: line.deliveryId,
    status: line.status,
    reason: line.reason,
    attempts: line.attempts,
    run_id: line.runId,
    answer: line.answer,
    replay_of: line.replayOf,
    updated: new Date(line.updatedAt).toISOString(),
  };
}

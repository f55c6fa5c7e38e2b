import type { Database } from 'bun:sqlite';
import type {
  EventLine,
  EventPatch,
  EventStage,
  EventStatus,
  NewEvent,
  StoredWebhookEvent,
} from '../webhooks/event-record.ts';

/** A row of `webhook_events` with its snapshot. */
export interface WebhookRow {
  id: string;
  route: string;
  event: string;
  delivery_id: string;
  status: EventStatus;
  reason: string | null;
  stage: EventStage;
  body: Uint8Array | null;
  payload: string | null;
  origin: string | null;
  snapshot_json: string | null;
  run_id: string | null;
  answer: string | null;
  progress: number;
  attempts: number;
  created_at: number;
  updated_at: number;
  replay_of: string | null;
}

/** Columns of a line of the log; not the payload. */
export const LINE_COLUMNS =
  'id, route, event, delivery_id, status, reason, attempts, run_id, answer, created_at, updated_at, replay_of';

/** Keys of a patch and the columns they set. */
export const PATCH_COLUMNS: readonly [keyof EventPatch, string][] = [
  ['status', 'status'],
  ['reason', 'reason'],
  ['stage', 'stage'],
  ['payload', 'payload'],
  ['answer', 'answer'],
  ['progress', 'progress'],
  ['attempts', 'attempts'],
  ['nextAt', 'next_at'],
  ['runId', 'run_id'],
];

/** Inserts an event and returns its sequence number. */
export function insertEvent(
  db: Database,
  row: { event: NewEvent; now: number; owner: string | null; leaseUntil: number | null; snapshot: number | null },
): number {
  const { event, now } = row;
  return Number(
    db
      .query(
        `INSERT INTO webhook_events (id, route, event, delivery_id, dedupe_key, dedupe_until, status, reason, stage, body,
         origin, snapshot, run_id, owner, lease_until, replay_of, created_at, updated_at, next_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?17, ?17)`,
      )
      .run(
        event.id,
        event.route,
        event.event,
        event.deliveryId,
        event.dedupe?.key ?? null,
        event.dedupe ? now + event.dedupe.ttlMs : null,
        event.status,
        event.reason ?? null,
        event.stage,
        event.body,
        event.origin ? JSON.stringify(event.origin) : null,
        row.snapshot,
        event.runId,
        row.owner,
        row.leaseUntil,
        event.replayOf ?? null,
        now,
      ).lastInsertRowid,
  );
}

/** A row as a line of the log. */
export function toLine(row: WebhookRow): EventLine {
  return {
    id: row.id,
    route: row.route,
    event: row.event,
    deliveryId: row.delivery_id,
    status: row.status,
    reason: row.reason,
    attempts: row.attempts,
    runId: row.run_id,
    answer: row.answer,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    replayOf: row.replay_of,
  };
}

/** A row as the worker needs it. */
export function toEvent(row: WebhookRow): StoredWebhookEvent {
  return {
    ...toLine(row),
    stage: row.stage,
    body: row.body ?? new Uint8Array(0),
    payload: row.payload,
    origin: row.origin ? JSON.parse(row.origin) : undefined,
    snapshot: row.snapshot_json ? JSON.parse(row.snapshot_json) : undefined,
    progress: row.progress,
  };
}

import type { Database } from 'bun:sqlite';
import type { NewEvent } from '../webhooks/event-record.ts';

/** Longer than any signed time is believed. */
const SIGNED_MS = 900_000;

/** An event that has taken the key of a delivery. */
export interface KnownEvent {
  seq: number;
  id: string;
  status: string;
  dedupe_key: string | null;
  dedupe_until: number;
}

type Signed = NonNullable<NonNullable<NewEvent['dedupe']>['signed']>;

/** The event of a row. */
export function findKnown(db: Database, seq: number): KnownEvent | undefined {
  return (
    db
      .query<KnownEvent, [number]>('SELECT seq, id, status, dedupe_key, dedupe_until FROM webhook_events WHERE seq = ?')
      .get(seq) ?? undefined
  );
}

/** The event that came with the same signed bytes. */
export function findSigned(db: Database, { time, digest }: Signed): KnownEvent | undefined {
  const found = db
    .query<{ seq: number }, [number, string]>('SELECT seq FROM webhook_signed WHERE time = ? AND digest = ?')
    .get(time, digest);
  return found ? findKnown(db, found.seq) : undefined;
}

/** Notes which event the signed bytes came with. */
export function noteSigned(db: Database, { time, digest }: Signed, seq: number): void {
  db.query('INSERT OR REPLACE INTO webhook_signed (time, digest, seq) VALUES (?, ?, ?)').run(time, digest, seq);
}

/** Deletes at most `limit` entries whose time is no longer believed; returns how many. */
export function pruneSigned(db: Database, now: number, limit: number): number {
  return db
    .query(
      `DELETE FROM webhook_signed WHERE (time, digest) IN
       (SELECT time, digest FROM webhook_signed WHERE time < ? ORDER BY time LIMIT ?)`,
    )
    .run(Math.floor((now - SIGNED_MS) / 1000), limit).changes;
}

/** A failed event does not count: its sender may try again. */
export function hasFailed({ status }: { status: string }): boolean {
  return status === 'failed' || status === 'dead';
}

import type { Database } from 'bun:sqlite';

/** Keys collected in memory before they are written to their index together. */
const MERGE_AT = 4000;

/**
 * The index of seen deliveries. Keys are digests, so an index entry for each insert would write a random page for each event, more
 * than the event itself. The event's row makes its key durable; the index gets them by the thousand, sorted. What is not
 * in it yet is in memory, and is read from the rows again after a restart or when another process has added rows.
 */
export class DeliveryKeys {
  /** Sequence numbers of rows by key, for rows the index may not have. */
  #pending = new Map<string, number>();
  /** Rows up to here are in the index or in memory; undefined before the first look. */
  #knownSeq: number | undefined;
  #transaction: object | undefined;
  #sweepFrom = '';

  /** Forgets what a transaction added that was rolled back. */
  reset(): void {
    this.#pending = new Map();
    this.#knownSeq = undefined;
    this.#transaction = undefined;
  }

  /** Takes in rows that others have added; does its work once in each transaction. */
  sync(db: Database, transaction: object): void {
    if (this.#transaction === transaction) return;
    this.#transaction = transaction;
    this.#knownSeq ??= db.query<{ seq: number }, []>('SELECT seq FROM webhook_keys_merged').get()?.seq ?? 0;
    const newest = db.query<{ seq: number | null }, []>('SELECT max(seq) AS seq FROM webhook_events').get()?.seq ?? 0;
    if (newest <= this.#knownSeq) return;
    const rows = db
      .query<{ seq: number; dedupe_key: string }, [number]>(
        'SELECT seq, dedupe_key FROM webhook_events WHERE seq > ? AND dedupe_key IS NOT NULL ORDER BY seq',
      )
      .all(this.#knownSeq);
    for (const row of rows) this.#pending.set(row.dedupe_key, row.seq);
    this.#knownSeq = newest;
  }

  /** The row that last took the key; the caller checks that it still does. */
  find(db: Database, key: string): number | undefined {
    return (
      this.#pending.get(key) ??
      db.query<{ seq: number }, [string]>('SELECT seq FROM webhook_keys WHERE key = ?').get(key)?.seq
    );
  }

  /** Notes the row that a transaction has just inserted. */
  add(db: Database, key: string | undefined, seq: number): void {
    this.#knownSeq = seq;
    if (key === undefined) return;
    this.#pending.set(key, seq);
    if (this.#pending.size >= MERGE_AT) this.#merge(db);
  }

  /** Deletes entries without a row that counts, a part of the index at a time; true when the end was reached. */
  sweep(db: Database, now: number, limit: number): boolean {
    const last = db
      .query<{ key: string }, [string, number]>(
        'SELECT key FROM webhook_keys WHERE key > ? ORDER BY key LIMIT 1 OFFSET ?',
      )
      .get(this.#sweepFrom, limit - 1)?.key;
    const range = last === undefined ? 'key > ?1' : 'key > ?1 AND key <= ?2';
    db.query(
      `DELETE FROM webhook_keys WHERE ${range} AND NOT EXISTS
       (SELECT 1 FROM webhook_events e WHERE e.seq = webhook_keys.seq AND e.dedupe_until > ${Math.floor(now)})`,
    ).run(...(last === undefined ? [this.#sweepFrom] : [this.#sweepFrom, last]));
    this.#sweepFrom = last ?? '';
    return last === undefined;
  }

  #merge(db: Database): void {
    const insert = db.query('INSERT OR REPLACE INTO webhook_keys (key, seq) VALUES (?, ?)');
    const keys = [...this.#pending.keys()].sort();
    for (const key of keys) insert.run(key, this.#pending.get(key) as number);
    db.query('INSERT OR REPLACE INTO webhook_keys_merged (id, seq) VALUES (1, ?)').run(this.#knownSeq ?? 0);
    this.#pending = new Map();
  }
}

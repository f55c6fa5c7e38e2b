import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { Clock } from '../lib/clock.ts';
import type {
  AcceptResult,
  EventLine,
  EventPatch,
  NewEvent,
  RouteSnapshot,
  StoredWebhookEvent,
  WebhookStore,
} from '../webhooks/event-record.ts';
import { DeliveryKeys } from './delivery-keys.ts';
import { GroupCommit } from './group-commit.ts';
import schema from './webhook-events.sql' with { type: 'text' };
import { findKnown, findSigned, hasFailed, type KnownEvent, noteSigned, pruneSigned } from './webhook-known.ts';
import { insertEvent, LINE_COLUMNS, PATCH_COLUMNS, toEvent, toLine, type WebhookRow } from './webhook-rows.ts';
import { forgetSchemes, noteScheme, schemesByRoute } from './webhook-schemes.ts';

const LEASE_MS = 60_000;
/** The condition of the work index, letter by letter: SQLite uses a partial index only for a query that repeats it. */
const ACTIVE = "status IN ('queued', 'running', 'claimed')";

export interface SqliteWebhookStoreOptions {
  /** Absolute path of the database file. */
  path: string;
  clock: Clock;
  /** Name of this process on the events it works on. */
  owner: string;
  /** True when a process of that name is surely gone. */
  isDeadOwner(owner: string): boolean;
  lockTimeoutMs?: number;
}

/** The delivery log, the memory of seen deliveries and the queue, in one SQLite file. */
export class SqliteWebhookStore implements WebhookStore {
  readonly #options: SqliteWebhookStoreOptions;
  readonly #commits: GroupCommit;
  readonly #keys = new DeliveryKeys();
  /** Row ids of the route versions written by this process. */
  readonly #snapshots = new WeakMap<RouteSnapshot, number>();

  constructor(options: SqliteWebhookStoreOptions) {
    this.#options = options;
    this.#commits = new GroupCommit({
      ...options,
      name: 'The webhook database',
      durable: true,
      prepare,
      onRollback: () => this.#keys.reset(),
    });
  }

  start(): void {
    this.#commits.start();
  }

  stop(): Promise<void> {
    return this.#commits.stop();
  }

  async accept(event: NewEvent): Promise<AcceptResult> {
    if (event.snapshot && !this.#snapshots.has(event.snapshot)) await this.#storeSnapshot(event.snapshot);
    return this.#commits.write((db, transaction) => {
      const now = this.#options.clock.now();
      const snapshot = (event.snapshot && this.#snapshots.get(event.snapshot)) ?? null;
      const owner = event.status === 'claimed' ? this.#options.owner : null;
      const row = { event, now, owner, leaseUntil: owner ? now + LEASE_MS : null, snapshot };
      this.#keys.sync(db, transaction);
      const { key, signed } = event.dedupe ?? {};
      const byKey = key === undefined ? undefined : this.#findByKey(db, key);
      const known = byKey && byKey.dedupe_until > now ? byKey : undefined;
      if (known && !hasFailed(known)) return { outcome: 'duplicate', id: known.id };
      const repeated = signed && findSigned(db, signed);
      if (repeated && !hasFailed(repeated)) return { outcome: 'duplicate', id: repeated.id };
      const old = known ?? repeated;
      const seq = old?.seq ?? insertEvent(db, row);
      if (signed) noteSigned(db, signed, seq);
      if (old) return this.#retake(db, old.id, row);
      this.#keys.add(db, key, seq);
      return { outcome: 'accepted', id: event.id, runId: event.runId };
    });
  }

  #findByKey(db: Database, key: string): KnownEvent | undefined {
    const seq = this.#keys.find(db, key);
    const known = seq === undefined ? undefined : findKnown(db, seq);
    return known?.dedupe_key === key ? known : undefined;
  }

  /** The sender's retry of an event that failed takes its place. */
  #retake(db: Database, id: string, row: Parameters<typeof insertEvent>[1]): AcceptResult {
    const { event, now, owner, leaseUntil } = row;
    const updated = db
      .query<{ progress: number; attempts: number }, SQLQueryBindings[]>(
        // Parts that arrived before are only skipped when the text is surely the same.
        `UPDATE webhook_events SET progress = CASE WHEN snapshot IS ? AND payload IS NULL THEN progress ELSE 0 END,
         status = ?, reason = NULL, stage = ?, snapshot = ?, run_id = ?, payload = NULL, answer = NULL,
         attempts = CASE WHEN ? THEN attempts ELSE 0 END,
         updated_at = ?, next_at = ?, owner = ?, lease_until = ? WHERE id = ? RETURNING progress, attempts`,
      )
      // Attempts of a queued event are the worker's five; those of a claimed one are its sender's, however many.
      .get(
        row.snapshot,
        event.status,
        event.stage,
        row.snapshot,
        event.runId,
        owner !== null,
        now,
        now,
        owner,
        leaseUntil,
        id,
      );
    return {
      outcome: 'retried',
      id,
      runId: event.runId,
      progress: updated?.progress ?? 0,
      attempts: updated?.attempts ?? 0,
    };
  }

  isSeen(dedupeKey: string): boolean {
    const known = this.#findByKey(this.#commits.db, dedupeKey);
    return known !== undefined && known.dedupe_until > this.#options.clock.now() && !hasFailed(known);
  }

  async update(id: string, patch: EventPatch): Promise<void> {
    await this.#commits.write((db) => {
      const now = this.#options.clock.now();
      const sets = ['updated_at = ?'];
      const values: SQLQueryBindings[] = [now];
      for (const [key, column] of PATCH_COLUMNS) {
        const value = patch[key];
        if (value === undefined) continue;
        sets.push(`${column} = ?`);
        values.push(value);
      }
      // Whoever changes the status gives the event out of its hands.
      if (patch.status && patch.status !== 'running') sets.push('owner = NULL', 'lease_until = NULL');
      db.query(`UPDATE webhook_events SET ${sets.join(', ')} WHERE id = ?`).run(...values, id);
    });
  }

  claim({ skipRoutes }: { skipRoutes: string[] }): Promise<StoredWebhookEvent | undefined> {
    return this.#commits.write((db) => {
      const now = this.#options.clock.now();
      const skip = skipRoutes.length > 0 ? `AND route NOT IN (${skipRoutes.map(() => '?').join(', ')})` : '';
      const found = db
        .query<{ id: string }, SQLQueryBindings[]>(
          `SELECT id FROM webhook_events WHERE status = 'queued' AND ${ACTIVE}
           AND next_at <= ? ${skip} ORDER BY next_at, seq LIMIT 1`,
        )
        .get(now, ...skipRoutes);
      if (!found) return undefined;
      db.query(
        `UPDATE webhook_events SET status = 'running', attempts = attempts + 1, owner = ?, lease_until = ?, updated_at = ?
         WHERE id = ?`,
      ).run(this.#options.owner, now + LEASE_MS, now, found.id);
      return this.get(found.id);
    });
  }

  async heartbeat(): Promise<void> {
    const { clock, owner } = this.#options;
    await this.#commits.write((db) =>
      db
        .query(
          `UPDATE webhook_events SET lease_until = ? WHERE owner = ? AND status IN ('running', 'claimed') AND ${ACTIVE}`,
        )
        .run(clock.now() + LEASE_MS, owner),
    );
  }

  recover(): Promise<number> {
    const { clock, owner, isDeadOwner } = this.#options;
    return this.#commits.write((db) => {
      const now = clock.now();
      const held = db
        .query<{ id: string; owner: string; status: string; lease_until: number }, []>(
          `SELECT id, owner, status, lease_until FROM webhook_events
           WHERE status IN ('running', 'claimed') AND ${ACTIVE}`,
        )
        .all();
      let freed = 0;
      for (const row of held) {
        if (row.owner === owner || (row.lease_until > now && !isDeadOwner(row.owner))) continue;
        // A claimed event was never answered, so its sender comes again; a running one was accepted and must go on.
        const [status, reason] = row.status === 'claimed' ? ['failed', 'interrupted'] : ['queued', null];
        db.query(
          `UPDATE webhook_events SET status = ?, reason = ?, owner = NULL, lease_until = NULL, next_at = ?, updated_at = ?,
           attempts = max(attempts - 1, 0) WHERE id = ?`,
        ).run(status as string, reason as string | null, now, now, row.id);
        freed++;
      }
      return freed;
    });
  }

  nextDue(): number | undefined {
    // `min()` would read every queued row; the index gives the first at once.
    return this.#commits.db
      .query<{ due: number }, []>(
        `SELECT next_at AS due FROM webhook_events WHERE status = 'queued' AND ${ACTIVE} ORDER BY next_at LIMIT 1`,
      )
      .get()?.due;
  }

  get(id: string): StoredWebhookEvent | undefined {
    const row = this.#commits.db
      .query<WebhookRow, [string]>(
        `SELECT e.*, s.json AS snapshot_json FROM webhook_events e LEFT JOIN webhook_snapshots s ON s.id = e.snapshot
         WHERE e.id = ?`,
      )
      .get(id);
    return row ? toEvent(row) : undefined;
  }

  list({ route, limit }: { route?: string; limit: number }): EventLine[] {
    const where = route === undefined ? '' : 'WHERE route = ?';
    return this.#commits.db
      .query<WebhookRow, SQLQueryBindings[]>(
        `SELECT ${LINE_COLUMNS} FROM webhook_events ${where} ORDER BY seq DESC LIMIT ?`,
      )
      .all(...(route === undefined ? [limit] : [route, limit]))
      .map(toLine);
  }

  lastByRoute(routes: string[]): Map<string, EventLine> {
    const query = this.#commits.db.query<WebhookRow, [string]>(
      `SELECT ${LINE_COLUMNS} FROM webhook_events WHERE route = ? ORDER BY seq DESC LIMIT 1`,
    );
    const found = new Map<string, EventLine>();
    for (const route of routes) {
      const row = query.get(route);
      if (row) found.set(route, toLine(row));
    }
    return found;
  }

  prune(before: number, limit: number): Promise<number> {
    return this.#commits.write((db) => {
      const now = this.#options.clock.now();
      this.#keys.sweep(db, now, limit * 10);
      const signed = pruneSigned(db, now, limit);
      // Only the oldest rows are looked at, so that one call never takes long.
      const events = db
        .query(
          `DELETE FROM webhook_events WHERE updated_at < ? AND NOT ${ACTIVE}
           AND seq IN (SELECT seq FROM webhook_events ORDER BY seq LIMIT ?)`,
        )
        .run(before, limit).changes;
      return Math.max(events, signed);
    });
  }

  async noteScheme(route: string, scheme: string): Promise<void> {
    const now = this.#options.clock.now();
    await this.#commits.write((db) => noteScheme(db, route, scheme, now));
  }

  schemesByRoute(): Map<string, string[]> {
    return schemesByRoute(this.#commits.db);
  }

  async forgetSchemes(route: string): Promise<void> {
    await this.#commits.write((db) => forgetSchemes(db, route));
  }

  /** Writes a version of a route once; remembered only when it is on disk. */
  async #storeSnapshot(snapshot: RouteSnapshot): Promise<void> {
    const json = JSON.stringify(snapshot);
    const id = await this.#commits.write((db) => {
      db.query('INSERT OR IGNORE INTO webhook_snapshots (json) VALUES (?)').run(json);
      return db.query<{ id: number }, [string]>('SELECT id FROM webhook_snapshots WHERE json = ?').get(json)?.id;
    });
    if (id !== undefined) this.#snapshots.set(snapshot, id);
  }
}

function prepare(db: Database): void {
  // 16 MB between checkpoints: index pages that change often are written once.
  db.run('PRAGMA wal_autocheckpoint = 2000');
  db.run('PRAGMA cache_size = -8000');
  db.run('PRAGMA journal_size_limit = 67108864');
  db.run(schema);
}

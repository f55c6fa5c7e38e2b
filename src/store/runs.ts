import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { parseJson } from '../lib/json.ts';
import type { Database, Row, SqlValue, Statement } from './database.ts';
import {
  checkVersion,
  type JournalEntry,
  type OnDisconnect,
  type RunStatus,
  type RunUsage,
  STORED_VERSION,
  type StoredEvent,
} from './model.ts';
import type { AppendInput, NewRun, RunPatch, RunRow, RunStore, ThreadPatch } from './store.ts';
import { threadStatements } from './threads.ts';

const EMPTY_USAGE: RunUsage = { input_tokens: 0, output_tokens: 0, by_model: {}, by_agent: {} };

const COLUMNS: Record<keyof RunPatch, string> = {
  status: 'status',
  usage: 'usage',
  errorCode: 'error_code',
  errorMessage: 'error_message',
  cancelRequested: 'cancel_requested',
  finishRequested: 'finish_requested',
  owner: 'owner',
  leaseUntil: 'lease_until',
};

/** Runs and event logs on any SQL engine. */
export class SqlRunStore implements RunStore {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async create(
    run: NewRun,
    options: { inheritJournalFrom?: string; journal?: JournalEntry[]; thread?: ThreadPatch } = {},
  ): Promise<RunRow> {
    const now = this.#clock.now();
    const statements: Statement[] = [
      ...threadStatements(run.threadId, options.thread ?? {}, now),
      {
        sql: `INSERT INTO runs (id, thread_id, kind, status, input, on_disconnect, created_at, updated_at, usage, owner, lease_until, version)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
        params: [
          run.id,
          run.threadId,
          run.kind,
          run.status,
          run.input,
          run.onDisconnect,
          now,
          now,
          JSON.stringify(EMPTY_USAGE),
          run.owner,
          run.leaseUntil,
          STORED_VERSION,
        ],
      },
    ];
    if (options.inheritJournalFrom) {
      statements.push({
        sql: 'INSERT INTO run_journal (run_id, key, value, version) SELECT $1, key, value, version FROM run_journal WHERE run_id = $2',
        params: [run.id, options.inheritJournalFrom],
      });
    }
    statements.push(...(options.journal ?? []).map((entry) => journalStatement(run.id, entry)));
    await this.#db.write(statements);
    return {
      ...run,
      createdAt: now,
      updatedAt: now,
      usage: structuredClone(EMPTY_USAGE),
      errorCode: null,
      errorMessage: null,
      cancelRequested: false,
      finishRequested: false,
      attempts: 0,
      version: STORED_VERSION,
    };
  }

  async get(id: string): Promise<RunRow | undefined> {
    const [row] = await this.#db.read('SELECT * FROM runs WHERE id = $1', [id]);
    return row ? toRun(row) : undefined;
  }

  async list(options: { limit: number; threadId?: string }): Promise<RunRow[]> {
    const rows =
      options.threadId === undefined
        ? await this.#db.read('SELECT * FROM runs ORDER BY created_at DESC, id DESC LIMIT $1', [options.limit])
        : await this.#db.read('SELECT * FROM runs WHERE thread_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2', [
            options.threadId,
            options.limit,
          ]);
    return rows.map(toRun);
  }

  async append(runId: string, input: AppendInput): Promise<void> {
    const now = this.#clock.now();
    const statements: Statement[] = input.events.map((event) => ({
      sql: 'INSERT INTO run_events (run_id, seq, type, data, version) VALUES ($1, $2, $3, $4, $5)',
      params: [runId, event.seq, event.type, event.data, STORED_VERSION],
    }));
    for (const entry of input.journal ?? []) statements.push(journalStatement(runId, entry));
    if (input.patch) statements.push(patchStatement(runId, input.patch, now));
    if (input.thread) {
      const [run] = await this.#db.read('SELECT thread_id FROM runs WHERE id = $1', [runId]);
      if (!run) throw fail('run_missing', 'The run was deleted while it worked.');
      statements.push(...threadStatements(String(run['thread_id']), input.thread, now));
    }
    if (statements.length > 0) await this.#db.write(statements);
  }

  async update(runId: string, patch: RunPatch): Promise<void> {
    await this.#db.write([patchStatement(runId, patch, this.#clock.now())]);
  }

  async events(runId: string, after: number, limit: number): Promise<StoredEvent[]> {
    const rows = await this.#db.read(
      'SELECT seq, type, data, version FROM run_events WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
      [runId, after, limit],
    );
    return rows.map((row) => {
      checkVersion(row['version']);
      return { seq: Number(row['seq']), type: String(row['type']), data: String(row['data']) };
    });
  }

  async lastSeq(runId: string): Promise<number> {
    const [row] = await this.#db.read('SELECT MAX(seq) AS seq FROM run_events WHERE run_id = $1', [runId]);
    return Number(row?.['seq'] ?? 0);
  }

  async journal(runId: string): Promise<Map<string, unknown>> {
    const rows = await this.#db.read('SELECT key, value, version FROM run_journal WHERE run_id = $1', [runId]);
    return new Map(
      rows.map((row) => {
        checkVersion(row['version']);
        return [String(row['key']), parseJson(String(row['value']))];
      }),
    );
  }

  async heartbeat(runId: string, owner: string, leaseUntil: number) {
    const [rows] = await this.#db.write([
      {
        sql: 'UPDATE runs SET lease_until = $1 WHERE id = $2 AND owner = $3 RETURNING cancel_requested, finish_requested',
        params: [leaseUntil, runId, owner],
      },
    ]);
    const row = rows?.[0];
    return row && { cancelRequested: row['cancel_requested'] === 1, finishRequested: row['finish_requested'] === 1 };
  }

  async claimable(options: { now: number; deadOwners: string[]; limit: number }): Promise<RunRow[]> {
    const { sql, params } = claimableQuery(options);
    return (await this.#db.read(sql, params)).map(toRun);
  }

  async owners(): Promise<string[]> {
    const rows = await this.#db.read(
      "SELECT DISTINCT owner FROM runs WHERE status = 'running' AND owner IS NOT NULL",
      [],
    );
    return rows.map((row) => String(row['owner']));
  }

  async claim(run: RunRow, owner: string, leaseUntil: number): Promise<boolean> {
    const [rows] = await this.#db.write([
      {
        sql: `UPDATE runs SET status = 'running', owner = $1, lease_until = $2, attempts = attempts + 1
          WHERE id = $3 AND status = $4 AND attempts = $5 AND COALESCE(owner, '') = $6 RETURNING id`,
        params: [owner, leaseUntil, run.id, run.status, run.attempts, run.owner ?? ''],
      },
    ]);
    return (rows?.length ?? 0) > 0;
  }
}

function claimableQuery(options: { now: number; deadOwners: string[]; limit: number }): Statement {
  const dead = options.deadOwners.map((_, index) => `$${index + 3}`).join(', ');
  return {
    sql: `SELECT * FROM runs WHERE version <= $1 AND (status = 'queued' OR (status = 'running' AND (lease_until < $2${dead ? ` OR owner IN (${dead})` : ''})))
      ORDER BY created_at LIMIT $${options.deadOwners.length + 3}`,
    params: [STORED_VERSION, options.now, ...options.deadOwners, options.limit],
  };
}

function journalStatement(runId: string, entry: JournalEntry): Statement {
  return {
    sql: 'INSERT INTO run_journal (run_id, key, value, version) VALUES ($1, $2, $3, $4) ON CONFLICT (run_id, key) DO UPDATE SET value = excluded.value, version = excluded.version',
    params: [runId, entry.key, JSON.stringify(entry.value), STORED_VERSION],
  };
}

function patchStatement(runId: string, patch: RunPatch, now: number): Statement {
  const params: SqlValue[] = [];
  const sets = Object.entries(patch).map(([key, value]) => {
    params.push(toSql(value));
    return `${COLUMNS[key as keyof RunPatch]} = $${params.length}`;
  });
  params.push(now, runId);
  return {
    sql: `UPDATE runs SET ${[...sets, `updated_at = $${params.length - 1}`].join(', ')} WHERE id = $${params.length}`,
    params,
  };
}

function toSql(value: unknown): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  return JSON.stringify(value);
}

function toRun(row: Row): RunRow {
  const text = (key: string) => (row[key] === null ? null : String(row[key]));
  return {
    id: String(row['id']),
    threadId: String(row['thread_id']),
    kind: String(row['kind']),
    status: row['status'] as RunStatus,
    input: String(row['input']),
    onDisconnect: row['on_disconnect'] as OnDisconnect,
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    usage: JSON.parse(String(row['usage'])),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    cancelRequested: Number(row['cancel_requested']) === 1,
    finishRequested: Number(row['finish_requested']) === 1,
    owner: text('owner'),
    leaseUntil: row['lease_until'] === null ? null : Number(row['lease_until']),
    attempts: Number(row['attempts']),
    version: Number(row['version']),
  };
}

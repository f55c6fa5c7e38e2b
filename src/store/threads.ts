import type { Clock } from '../lib/clock.ts';
import type { Database, Row, Statement } from './database.ts';
import type { PendingInterrupt } from './model.ts';
import type { ThreadMessage, ThreadPatch, ThreadRow, ThreadStore } from './store.ts';

/** Threads on any SQL engine. */
export class SqlThreadStore implements ThreadStore {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async get(id: string): Promise<ThreadRow | undefined> {
    const [thread] = await this.#db.read('SELECT * FROM threads WHERE id = $1', [id]);
    if (!thread) return undefined;
    const messages = await this.#db.read('SELECT * FROM thread_messages WHERE thread_id = $1 ORDER BY position', [id]);
    const [pending] = await this.#db.read('SELECT * FROM pending_interrupts WHERE thread_id = $1', [id]);
    return {
      id,
      createdAt: Number(thread['created_at']),
      updatedAt: Number(thread['updated_at']),
      messages: messages.map(toMessage),
      plan: thread['plan'] === null ? null : JSON.parse(String(thread['plan'])),
      report: thread['report'] === null ? null : String(thread['report']),
      citations: JSON.parse(String(thread['citations'])),
      sources: JSON.parse(String(thread['sources'])),
      pending: pending ? toPending(pending) : null,
    };
  }

  async update(id: string, patch: ThreadPatch): Promise<void> {
    await this.#db.write(threadStatements(id, patch, this.#clock.now()));
  }

  async takePending(id: string): Promise<PendingInterrupt | undefined> {
    const [rows] = await this.#db.write([
      { sql: 'DELETE FROM pending_interrupts WHERE thread_id = $1 RETURNING *', params: [id] },
    ]);
    return rows?.[0] ? toPending(rows[0]) : undefined;
  }

  async delete(id: string): Promise<boolean> {
    const [rows] = await this.#db.write([{ sql: 'DELETE FROM threads WHERE id = $1 RETURNING id', params: [id] }]);
    return (rows?.length ?? 0) > 0;
  }
}

/** The statements that apply `patch`, creating the thread when it does not exist. */
export function threadStatements(id: string, patch: ThreadPatch, now: number): Statement[] {
  const statements: Statement[] = [
    {
      sql: 'INSERT INTO threads (id, created_at, updated_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at',
      params: [id, now, now],
    },
  ];
  const set = (column: string, value: string | null) =>
    statements.push({ sql: `UPDATE threads SET ${column} = $1 WHERE id = $2`, params: [value, id] });
  if (patch.plan !== undefined) set('plan', JSON.stringify(patch.plan));
  if (patch.report !== undefined) set('report', patch.report);
  if (patch.citations !== undefined) set('citations', JSON.stringify(patch.citations));
  if (patch.sources !== undefined) set('sources', JSON.stringify(patch.sources));
  if (patch.replaceMessages) {
    statements.push({ sql: 'DELETE FROM thread_messages WHERE thread_id = $1', params: [id] });
  }
  for (const message of [...(patch.replaceMessages ?? []), ...(patch.appendMessages ?? [])]) {
    statements.push(insertMessage(id, message));
  }
  if (patch.pending !== undefined) {
    statements.push({ sql: 'DELETE FROM pending_interrupts WHERE thread_id = $1', params: [id] });
    if (patch.pending) statements.push(insertPending(id, patch.pending));
  }
  if (patch.pendingAgain) {
    const { sql, params } = insertPending(id, patch.pendingAgain);
    statements.push({ sql: `${sql} ON CONFLICT (thread_id) DO NOTHING`, params });
  }
  return statements;
}

function insertPending(id: string, { runId, kind, key }: PendingInterrupt): Statement {
  return {
    sql: 'INSERT INTO pending_interrupts (thread_id, run_id, kind, key) VALUES ($1, $2, $3, $4)',
    params: [id, runId, kind, key],
  };
}

function insertMessage(id: string, message: ThreadMessage): Statement {
  return {
    sql: `INSERT INTO thread_messages (thread_id, position, role, agent, content, created_at)
      SELECT $1, COALESCE(MAX(position), 0) + 1, $2, $3, $4, $5 FROM thread_messages WHERE thread_id = $6`,
    params: [id, message.role, message.agent ?? null, JSON.stringify(message.content), message.createdAt, id],
  };
}

function toMessage(row: Row): ThreadMessage {
  return {
    role: row['role'] as ThreadMessage['role'],
    content: JSON.parse(String(row['content'])),
    ...(row['agent'] === null ? {} : { agent: String(row['agent']) }),
    createdAt: Number(row['created_at']),
  };
}

function toPending(row: Row): PendingInterrupt {
  return { runId: String(row['run_id']), kind: row['kind'] as PendingInterrupt['kind'], key: String(row['key']) };
}

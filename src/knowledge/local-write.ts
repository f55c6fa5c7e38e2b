import type { Database } from 'bun:sqlite';
import type { ParsedDocument } from './document.ts';
import { toIndexText } from './index-text.ts';

/** What is stored of a document besides its chunks. */
export interface ResourceRow {
  uri: string;
  /** File name or address as it was given. */
  name: string;
  builtin: boolean;
  updatedAt: number;
}

/** Adds a document or replaces the one with its URI; call it in a transaction, so that a reader sees the old or the new one. */
export function putDocument(database: Database, row: ResourceRow, document: ParsedDocument): void {
  const insertResource = database.query<{ id: number }, (string | number | null)[]>(
    `INSERT INTO resources (uri, name, title, description, digest, builtin, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     RETURNING id`,
  );
  const insertChunk = database.query<{ id: number }, (string | number | null)[]>(
    'INSERT INTO chunks (resource_id, content, heading_path, page, start, "end") VALUES (?, ?, ?, ?, ?, ?) RETURNING id',
  );
  const insertIndex = database.query<unknown, [number, string, string]>(
    'INSERT INTO chunk_index (rowid, title, body) VALUES (?, ?, ?)',
  );
  deleteRows(database, row.uri);
  const { id } = insertResource.get(
    row.uri,
    row.name,
    document.title,
    document.description,
    document.digest,
    row.builtin ? 1 : 0,
    row.updatedAt,
  )!;
  for (const chunk of document.chunks) {
    const path = JSON.stringify(chunk.headingPath);
    const inserted = insertChunk.get(id, chunk.content, path, chunk.page ?? null, chunk.start, chunk.end)!;
    const headings = chunk.headingPath.filter((heading) => heading !== document.title);
    insertIndex.run(inserted.id, toIndexText([document.title, ...headings].join('\n')), toIndexText(chunk.content));
  }
}

/** Removes a document; false when there is none. */
export function removeDocument(database: Database, uri: string): boolean {
  return database.transaction(() => deleteRows(database, uri)).immediate();
}

function deleteRows(database: Database, uri: string): boolean {
  const row = database.query<{ id: number }, [string]>('SELECT id FROM resources WHERE uri = ?').get(uri);
  if (!row) return false;
  const ofResource = '(SELECT id FROM chunks WHERE resource_id = ?)';
  database.query(`DELETE FROM chunk_index WHERE rowid IN ${ofResource}`).run(row.id);
  database.query(`DELETE FROM vectors WHERE chunk_id IN ${ofResource}`).run(row.id);
  database.query('DELETE FROM chunks WHERE resource_id = ?').run(row.id);
  database.query('DELETE FROM resources WHERE id = ?').run(row.id);
  return true;
}

import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { openDatabase, withDatabaseErrors } from './local-database.ts';
import {
  allResources,
  builtinDigests,
  countContent,
  findPassages,
  findResource,
  findResources,
  type LocalQuery,
} from './local-read.ts';
import { pendingChunks, putVectors, VectorIndex } from './local-vectors.ts';
import { putDocument, type ResourceRow, removeDocument } from './local-write.ts';
import { serveWorker } from './worker-messages.ts';

let open: { database: Database; file: string; inode: number; vectors: VectorIndex } | undefined;

/** The connection of this thread; opened anew when the file was moved away or replaced. */
function connect(file: string): { database: Database; vectors: VectorIndex } {
  const inode = statSync(file, { throwIfNoEntry: false })?.ino;
  if (open && open.file === file && open.inode === inode) return open;
  open?.database.close();
  open = undefined;
  const database = openDatabase(file);
  open = { database, file, inode: statSync(file).ino, vectors: new VectorIndex() };
  return open;
}

/** An operation on the database; reads see one state of it. */
function read<P extends { file: string }, T>(work: (database: Database, vectors: VectorIndex, payload: P) => T) {
  return (payload: P): T =>
    withDatabaseErrors(payload.file, () => {
      const { database, vectors } = connect(payload.file);
      return database.transaction(() => work(database, vectors, payload))();
    });
}

function write<P extends { file: string }, T>(work: (database: Database, payload: P) => T) {
  return (payload: P): T => withDatabaseErrors(payload.file, () => work(connect(payload.file).database, payload));
}

serveWorker({
  passages: read((database, vectors, query: LocalQuery & { file: string }) => findPassages(database, vectors, query)),
  resources: read((database, vectors, query: LocalQuery & { file: string }) => findResources(database, vectors, query)),
  all: read((database, _vectors, { limit }: { file: string; limit: number }) => allResources(database, limit)),
  find: read((database, _vectors, { uri }: { file: string; uri: string }) => findResource(database, uri)),
  builtins: read((database, _vectors, _payload: { file: string }) => builtinDigests(database)),
  count: read((database, _vectors, _payload: { file: string }) => countContent(database)),
  pending: read((database, _vectors, { model, limit }: { file: string; model: string; limit: number }) =>
    pendingChunks(database, model, limit),
  ),
  put: write((database, { row, document }: { file: string; row: ResourceRow; document: string }) =>
    putDocument(database, row, JSON.parse(document)),
  ),
  remove: write((database, { uri }: { file: string; uri: string }) => removeDocument(database, uri)),
  vectors: write(
    (database, payload: { file: string; model: string; vectors: { id: number; vector: Float32Array }[] }) =>
      putVectors(database, payload.model, payload.vectors),
  ),
  close: () => {
    open?.database.close();
    open = undefined;
  },
});

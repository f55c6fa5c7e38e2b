import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { serveWorker } from '../lib/serve-worker.ts';
import { openDatabase, withDatabaseErrors } from './local-database.ts';
import {
  allResources,
  builtinDigests,
  countContent,
  findPassages,
  findResource,
  findResources,
  type LocalQuery,
  type SearchMemory,
} from './local-read.ts';
import { TermCounts } from './local-search.ts';
import { pendingChunks, putVectors, VectorIndex } from './local-vectors.ts';
import { putDocument, type ResourceRow, removeDocument } from './local-write.ts';

let open: { database: Database; file: string; inode: number; memory: SearchMemory } | undefined;

/** The connection of this thread; opened anew when the file was moved away or replaced. */
function connect(file: string): { database: Database; memory: SearchMemory } {
  const inode = statSync(file, { throwIfNoEntry: false })?.ino;
  if (open && open.file === file && open.inode === inode) return open;
  open?.database.close();
  open = undefined;
  const database = openDatabase(file);
  open = {
    database,
    file,
    inode: statSync(file).ino,
    memory: { counts: new TermCounts(), vectors: new VectorIndex() },
  };
  return open;
}

/** An operation on the database; reads see one state of it. */
function read<P extends { file: string }, T>(work: (database: Database, memory: SearchMemory, payload: P) => T) {
  return (payload: P): T =>
    withDatabaseErrors(payload.file, () => {
      const { database, memory } = connect(payload.file);
      return database.transaction(() => work(database, memory, payload))();
    });
}

function write<P extends { file: string }, T>(work: (database: Database, payload: P) => T) {
  return (payload: P): T => withDatabaseErrors(payload.file, () => work(connect(payload.file).database, payload));
}

interface PutRequest {
  file: string;
  row: ResourceRow;
  /** A `ParsedDocument` as JSON text. */
  document: string;
}

interface WaitingPut {
  request: PutRequest;
  resolve(): void;
  reject(reason: unknown): void;
}

/** Documents that arrived while another one was being written; they share a transaction. */
const puts: WaitingPut[] = [];
const MAX_TRANSACTION_CHARACTERS = 8_000_000;

function writePuts(): void {
  let size = 0;
  let taken = 0;
  while (
    taken < puts.length &&
    (taken === 0 || size + puts[taken]!.request.document.length < MAX_TRANSACTION_CHARACTERS)
  )
    size += puts[taken++]!.request.document.length;
  const batch = puts.splice(0, taken);
  if (batch.length === 0) return;
  if (puts.length > 0) setImmediate(writePuts);
  writeTogether(batch);
}

/** One transaction for all; when that fails, each by itself, so that only the one at fault is refused. */
function writeTogether(batch: WaitingPut[]): void {
  const { file } = batch[0]!.request;
  try {
    withDatabaseErrors(file, () => {
      const { database } = connect(file);
      database
        .transaction(() => {
          for (const { request } of batch) putDocument(database, request.row, JSON.parse(request.document));
        })
        .immediate();
    });
    for (const put of batch) put.resolve();
  } catch (error) {
    if (batch.length === 1) batch[0]!.reject(error);
    else for (const put of batch) writeTogether([put]);
  }
}

const operations = serveWorker({
  passages: read((database, memory, query: LocalQuery & { file: string }) => findPassages(database, memory, query)),
  resources: read((database, memory, query: LocalQuery & { file: string }) => findResources(database, memory, query)),
  all: read((database, _memory, { limit }: { file: string; limit: number }) => allResources(database, limit)),
  find: read((database, _memory, { uri }: { file: string; uri: string }) => findResource(database, uri)),
  builtins: read((database, _memory, _payload: { file: string }) => builtinDigests(database)),
  count: read((database, _memory, _payload: { file: string }) => countContent(database)),
  pending: read((database, _memory, { model, limit }: { file: string; model: string; limit: number }) =>
    pendingChunks(database, model, limit),
  ),
  put: (request: PutRequest) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (puts.push({ request, resolve, reject }) === 1) setImmediate(writePuts);
    return promise;
  },
  remove: write((database, { uri }: { file: string; uri: string }) => removeDocument(database, uri)),
  vectors: write(
    (database, payload: { file: string; model: string; vectors: { id: number; vector: Float32Array }[] }) =>
      putVectors(database, payload.model, payload.vectors),
  ),
  close: () => {
    while (puts.length > 0) writePuts();
    open?.database.close();
    open = undefined;
  },
});

export type LocalOperations = typeof operations;

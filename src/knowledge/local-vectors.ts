import type { Database } from 'bun:sqlite';
import type { ResourceIds, ScoredChunk } from './local-search.ts';

/** A chunk that has no vector of the present model. */
export interface PendingChunk {
  id: number;
  text: string;
}

/** Constant of reciprocal rank fusion (Cormack et al., 2009). */
const RRF_CONSTANT = 60;
/** Vectors up to this size stay in memory between queries. */
const CACHE_BYTES = 256 * 1024 * 1024;

/** The chunks that still need a vector of `model`; vectors of other models count as none. */
export function pendingChunks(database: Database, model: string, limit: number): PendingChunk[] {
  return database
    .query<PendingChunk, [string, number]>(
      `SELECT chunks.id AS id, resources.title || char(10) || chunks.content AS text
       FROM chunks JOIN resources ON resources.id = chunks.resource_id
       LEFT JOIN vectors ON vectors.chunk_id = chunks.id AND vectors.model = ?
       WHERE vectors.chunk_id IS NULL ORDER BY chunks.id LIMIT ?`,
    )
    .all(model, limit);
}

/** Stores vectors, normalised to length 1; a chunk that was removed meanwhile is skipped. */
export function putVectors(database: Database, model: string, vectors: { id: number; vector: Float32Array }[]): void {
  const insert = database.query<unknown, [number, string, Uint8Array, number]>(
    `INSERT OR REPLACE INTO vectors (chunk_id, model, vector)
     SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM chunks WHERE id = ?)`,
  );
  database
    .transaction(() => {
      for (const { id, vector } of vectors) {
        const unit = normalise(vector);
        insert.run(id, model, new Uint8Array(unit.buffer, unit.byteOffset, unit.byteLength), id);
      }
    })
    .immediate();
}

/** Nearest chunks by cosine, brute force, with the vectors kept in memory while nobody writes to the database. */
export class VectorIndex {
  #version = -1;
  #model = '';
  #ids: number[] = [];
  #vectors: Float32Array[] = [];

  search(
    database: Database,
    model: string,
    query: Float32Array,
    limit: number,
    resources?: ResourceIds,
  ): ScoredChunk[] {
    const target = normalise(query);
    const allowed = resources && chunkIdsOf(database, resources);
    const best = new TopList(limit);
    for (const [id, vector] of this.#all(database, model)) {
      if (vector.length === target.length && (!allowed || allowed.has(id))) best.offer(id, dot(vector, target));
    }
    return best.take();
  }

  *#all(database: Database, model: string): Generator<[number, Float32Array]> {
    const { data_version } = database.query<{ data_version: number }, []>('PRAGMA data_version').get()!;
    if (data_version === this.#version && model === this.#model) {
      for (let index = 0; index < this.#ids.length; index++) yield [this.#ids[index]!, this.#vectors[index]!];
      return;
    }
    const ids: number[] = [];
    const vectors: Float32Array[] = [];
    let bytes = 0;
    this.#version = -1;
    const rows = database
      .query<{ id: number; vector: Uint8Array }, [string]>('SELECT chunk_id AS id, vector FROM vectors WHERE model = ?')
      .iterate(model);
    for (const row of rows) {
      const vector = new Float32Array(row.vector.slice().buffer);
      bytes += vector.byteLength;
      if (bytes <= CACHE_BYTES) {
        ids.push(row.id);
        vectors.push(vector);
      }
      yield [row.id, vector];
    }
    if (bytes > CACHE_BYTES) return;
    this.#ids = ids;
    this.#vectors = vectors;
    this.#model = model;
    this.#version = data_version;
  }
}

/** Merges rankings by reciprocal rank: what several of them place high comes first. */
export function fuseRankings(rankings: ScoredChunk[][], limit: number): ScoredChunk[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings)
    for (const [index, { id }] of ranking.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RRF_CONSTANT + index + 1));
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, limit);
}

class TopList {
  readonly #limit: number;
  #items: ScoredChunk[] = [];
  #floor = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(id: number, score: number): void {
    if (score <= this.#floor) return;
    this.#items.push({ id, score });
    if (this.#items.length >= this.#limit * 2 + 16) this.#prune();
  }

  take(): ScoredChunk[] {
    this.#prune();
    return this.#items;
  }

  #prune(): void {
    this.#items.sort((a, b) => b.score - a.score);
    this.#items.length = Math.min(this.#items.length, this.#limit);
    if (this.#items.length === this.#limit) this.#floor = this.#items.at(-1)!.score;
  }
}

function chunkIdsOf(database: Database, resources: number[]): Set<number> {
  const rows = database
    .query<{ id: number }, [string]>('SELECT id FROM chunks WHERE resource_id IN (SELECT value FROM json_each(?))')
    .all(JSON.stringify(resources));
  return new Set(rows.map((row) => row.id));
}

function normalise(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length > 0 ? vector.map((value) => value / length) : vector;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += a[index]! * b[index]!;
  return sum;
}

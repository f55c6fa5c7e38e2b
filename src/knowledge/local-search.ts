import type { Database } from 'bun:sqlite';

/** A chunk and how well it answers; higher is better. */
export interface ScoredChunk {
  id: number;
  score: number;
}

/** Restricts a search to some resources; absent means everything. */
export type ResourceIds = number[] | undefined;

/** Title counts twice. */
const RANK = 'bm25(chunk_index, 2.0, 1.0)';
/** Up to this many matching chunks are all ranked (about 1 µs each). */
const EXACT_ROWS = 10_000;
/** Beyond that, what picks candidates may match this many … */
const LEAD_ROWS = 4_000;
/** … of which so many are ranked by all terms … */
const CANDIDATES = 300;
/** … and with so many no further way to find some is tried. */
const ENOUGH = 100;
/** Matches of the terms that are looked through for the final scores. */
const SCORED_ROWS = 50_000;

/** What a connection knows of the sizes of things; it steers the search and may lag behind while the collection grows. */
export class TermCounts {
  #version = -1;
  #total = 0;
  #countedAt = 0;
  #counts = new Map<string, number>();

  /** Number of chunks; counted again after a commit of another connection. */
  total(database: Database): number {
    const { data_version } = database.query<{ data_version: number }, []>('PRAGMA data_version').get()!;
    if (data_version !== this.#version) {
      this.#total = database.query<{ total: number }, []>('SELECT count(*) AS total FROM chunks').get()!.total;
      this.#version = data_version;
    }
    return this.#total;
  }

  /** The terms that occur, rarest first. */
  count(database: Database, terms: string[], total: number): Counted[] {
    if (Math.abs(total - this.#countedAt) > this.#countedAt / 10 || this.#counts.size > 20_000) {
      this.#counts.clear();
      this.#countedAt = total;
    }
    return terms
      .map((term) => ({ term, count: this.#counts.get(term) ?? this.#countOne(database, term) }))
      .filter((each) => each.count > 0)
      .sort((a, b) => a.count - b.count);
  }

  #countOne(database: Database, term: string): number {
    const { n } = database
      .query<{ n: number }, [string]>('SELECT count(*) AS n FROM chunk_index WHERE chunk_index MATCH ?')
      .get(term)!;
    if (n > 0) this.#counts.set(term, n);
    return n;
  }
}

/**
 * The best chunks for quoted FTS5 terms joined by OR, ranked by BM25 over the whole collection.
 *
 * Where the terms match more chunks than can be ranked in time, the rare terms (which carry the score) pick candidates,
 * then frequent terms together; only the candidates get a full score. What can be missed is a chunk that holds a
 * part of the frequent terms and none of the rare ones.
 */
export function searchText(
  database: Database,
  counts: TermCounts,
  terms: string[],
  limit: number,
  resources?: ResourceIds,
): ScoredChunk[] {
  if (terms.length === 0 || resources?.length === 0) return [];
  const scope = resources ? inScope(database, resources) : undefined;
  const total = counts.total(database);
  if ((scope?.size ?? total) <= EXACT_ROWS) return rank(database, anyOf(terms), limit, scope);
  const counted = counts.count(database, terms, total);
  const rows = counted.reduce((sum, each) => sum + each.count, 0);
  if (counted.length === 0) return [];
  if (rows <= EXACT_ROWS) return rank(database, anyOf(counted.map((each) => each.term)), limit, scope);

  const candidates = new Set<number>();
  for (const lead of leadsOf(counted, total)) {
    for (const { id } of rank(database, lead, Math.max(CANDIDATES, limit), scope)) candidates.add(id);
    if (candidates.size >= Math.max(ENOUGH, limit)) break;
  }
  return scoreAll(database, [...candidates], weightyTerms(counted, total))
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, limit);
}

interface Counted {
  term: string;
  count: number;
}

/** Expressions that pick candidates, the most telling first, each with few enough matches. */
function* leadsOf(terms: Counted[], total: number): Generator<string> {
  let rows = 0;
  let rare = 0;
  while (rare < terms.length && rows + terms[rare]!.count <= LEAD_ROWS) rows += terms[rare++]!.count;
  if (rare > 0) yield anyOf(terms.slice(0, rare).map((each) => each.term));
  const frequent = terms.slice(rare);
  if (frequent.length === 0) return;
  let together = 1;
  for (rows = frequent[0]!.count; together < frequent.length && rows > LEAD_ROWS; together++)
    rows *= frequent[together]!.count / total;
  const all = frequent.slice(0, together).map((each) => each.term);
  yield all.join(' AND ');
  if (together > 1) yield all[0]!;
}

/** The terms that make up a score, rarest first and as many as can be looked through in time. */
function weightyTerms(terms: Counted[], total: number): string[] {
  const weighty: string[] = [];
  let scanned = 0;
  for (const { term, count } of terms) {
    scanned += count;
    // A term in more than half of all chunks has no weight in BM25.
    if (weighty.length > 0 && (scanned > SCORED_ROWS || count > total / 2)) break;
    weighty.push(term);
  }
  return weighty;
}

/** The scores of some chunks; other matching rows are skipped before they cost anything. */
function scoreAll(database: Database, chunks: number[], terms: string[]): ScoredChunk[] {
  return database
    .query<ScoredChunk, [string, string]>(
      `SELECT rowid AS id, -${RANK} AS score FROM chunk_index
       WHERE chunk_index MATCH ? AND +rowid IN (SELECT value FROM json_each(?))`,
    )
    .all(anyOf(terms), JSON.stringify(chunks));
}

interface Scope {
  size: number;
  first: number;
  last: number;
  ids: string;
}

function inScope(database: Database, resources: number[]): Scope {
  const ids = JSON.stringify(resources);
  const { size, first, last } = database
    .query<{ size: number; first: number | null; last: number | null }, [string]>(
      `SELECT count(*) AS size, min(id) AS first, max(id) AS last FROM chunks
       WHERE resource_id IN (SELECT value FROM json_each(?))`,
    )
    .get(ids)!;
  return { size, first: first ?? 0, last: last ?? -1, ids };
}

/** The newest rows go first where a frequent expression has more of them than the budget. */
function rank(database: Database, expression: string, limit: number, scope: Scope | undefined): ScoredChunk[] {
  const filter = scope
    ? `AND rowid BETWEEN ? AND ? AND +rowid IN
         (SELECT id FROM chunks WHERE resource_id IN (SELECT value FROM json_each(?)))`
    : '';
  const values = scope ? [scope.first, scope.last, scope.ids] : [];
  return database
    .query<ScoredChunk, (string | number)[]>(
      `SELECT id, score FROM
         (SELECT rowid AS id, -${RANK} AS score FROM chunk_index WHERE chunk_index MATCH ? ${filter}
          ORDER BY rowid DESC LIMIT ${EXACT_ROWS})
       ORDER BY score DESC, id LIMIT ?`,
    )
    .all(expression, ...values, limit);
}

function anyOf(terms: string[]): string {
  return terms.join(' OR ');
}

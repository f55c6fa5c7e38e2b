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
/** Beyond that, the rare terms that pick the candidates may match this many chunks … */
const LEAD_ROWS = 4_000;
/** … and the frequent terms that then complete the scores this many. */
const REST_ROWS = 60_000;
/** Best chunks by the rare terms that are ranked again by all terms. */
const CANDIDATES = 300;

/** How many chunks hold each term; only steers the search, so it may lag behind while the collection grows. */
export class TermCounts {
  #total = 0;
  #counts = new Map<string, number>();

  /** The terms that occur, rarest first. */
  count(database: Database, terms: string[], total: number): Counted[] {
    if (Math.abs(total - this.#total) > this.#total / 10 || this.#counts.size > 20_000) {
      this.#counts.clear();
      this.#total = total;
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
 * Where the terms match more chunks than can be ranked in time, the rare terms (which carry the score) choose the
 * candidates and only those get the share of the frequent terms. BM25 is a sum over terms, so a candidate's score is
 * what ranking everything would give it; only a chunk that holds frequent terms alone can be missed.
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
  const { total } = database.query<{ total: number }, []>('SELECT count(*) AS total FROM chunks').get()!;
  if (total <= EXACT_ROWS) return rank(database, anyOf(terms), limit, scope);
  const counted = counts.count(database, terms, total);
  if (counted.length === 0) return [];
  const rows = counted.reduce((sum, each) => sum + each.count, 0);
  if (rows <= EXACT_ROWS) return rank(database, anyOf(counted.map((each) => each.term)), limit, scope);

  const { lead, rest } = chooseLead(counted, total);
  const candidates = new Map<number, number>();
  for (const { id, score } of rank(database, lead, Math.max(CANDIDATES, limit), scope)) candidates.set(id, score);
  addScores(database, candidates, rest);
  return [...candidates]
    .map(([id, score]) => ({ id, score }))
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, limit);
}

interface Counted {
  term: string;
  count: number;
}

/**
 * The expression that picks candidates, and the terms it leaves out. As many rare terms as stay within the budget; when
 * even the rarest is too frequent, the chunks that hold several of them together (bm25 adds up what an AND matches too).
 */
function chooseLead(terms: Counted[], total: number): { lead: string; rest: string[] } {
  let rows = 0;
  let taken = 0;
  while (taken < terms.length && rows + terms[taken]!.count <= LEAD_ROWS) rows += terms[taken++]!.count;
  let lead = anyOf(terms.slice(0, taken).map((each) => each.term));
  if (taken === 0) {
    rows = terms[0]!.count;
    for (taken = 1; taken < terms.length && rows > LEAD_ROWS; taken++) rows *= terms[taken]!.count / total;
    const together = terms.slice(0, taken).map((each) => each.term);
    lead = together.join(' AND ');
  }
  const rest: string[] = [];
  let scanned = 0;
  for (const { term, count } of terms.slice(taken)) {
    scanned += count;
    // A term in more than half of all chunks has no weight in BM25.
    if (scanned > REST_ROWS || count > total / 2) break;
    rest.push(term);
  }
  return { lead, rest };
}

/** Adds the share of `terms` to chunks that are already candidates; other rows are skipped before they cost anything. */
function addScores(database: Database, candidates: Map<number, number>, terms: string[]): void {
  if (terms.length === 0 || candidates.size === 0) return;
  const rows = database
    .query<ScoredChunk, [string, string]>(
      `SELECT rowid AS id, -${RANK} AS score FROM chunk_index
       WHERE chunk_index MATCH ? AND +rowid IN (SELECT value FROM json_each(?))`,
    )
    .all(anyOf(terms), JSON.stringify([...candidates.keys()]));
  for (const { id, score } of rows) candidates.set(id, candidates.get(id)! + score);
}

interface Scope {
  first: number;
  last: number;
  ids: string;
}

function inScope(database: Database, resources: number[]): Scope {
  const ids = JSON.stringify(resources);
  const { first, last } = database
    .query<{ first: number | null; last: number | null }, [string]>(
      `SELECT min(id) AS first, max(id) AS last FROM chunks
       WHERE resource_id IN (SELECT value FROM json_each(?))`,
    )
    .get(ids)!;
  return { first: first ?? 0, last: last ?? -1, ids };
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

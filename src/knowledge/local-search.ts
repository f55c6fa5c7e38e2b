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
/** Best chunks by the rare terms that are ranked again by all terms. */
const CANDIDATES = 300;

/**
 * The best chunks for quoted FTS5 terms joined by OR, ranked by BM25 over the whole collection.
 *
 * Where the terms match more chunks than can be ranked in time, the rare terms (which carry the score) choose the
 * candidates and only those get the share of the frequent terms. BM25 is a sum over terms, so a candidate's score is
 * exactly what ranking everything would give it; only a chunk that holds frequent terms alone can be missed.
 */
export function searchText(database: Database, terms: string[], limit: number, resources?: ResourceIds): ScoredChunk[] {
  if (terms.length === 0 || resources?.length === 0) return [];
  const scope = resources ? inScope(database, resources) : undefined;
  if (countMatches(database, anyOf(terms), EXACT_ROWS + 1) <= EXACT_ROWS)
    return rank(database, anyOf(terms), limit, scope);

  const total = database.query<{ n: number }, []>('SELECT count(*) AS n FROM chunks').get()!.n;
  const counted = terms.map((term) => ({ term, count: countMatches(database, term, total) }));
  const known = counted.filter((each) => each.count > 0).sort((a, b) => a.count - b.count);
  const { lead, rest } = chooseLead(known, total);
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
  while (taken < terms.length && rows + terms[taken]!.count <= EXACT_ROWS / 2) rows += terms[taken++]!.count;
  let lead = anyOf(terms.slice(0, taken).map((each) => each.term));
  if (taken === 0) {
    rows = terms[0]!.count;
    for (taken = 1; taken < terms.length && rows > EXACT_ROWS / 2; taken++) rows *= terms[taken]!.count / total;
    lead = terms
      .slice(0, taken)
      .map((each) => each.term)
      .join(' AND ');
  }
  // A term in more than half of all chunks has no weight in BM25.
  const rest = terms.slice(taken).filter((each) => each.count <= total / 2);
  return { lead, rest: rest.map((each) => each.term) };
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

function countMatches(database: Database, expression: string, atMost: number): number {
  return database
    .query<{ n: number }, [string, number]>(
      'SELECT count(*) AS n FROM (SELECT 1 FROM chunk_index WHERE chunk_index MATCH ? LIMIT ?)',
    )
    .get(expression, atMost)!.n;
}

function anyOf(terms: string[]): string {
  return terms.join(' OR ');
}

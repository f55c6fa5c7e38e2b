import type { Database } from 'bun:sqlite';
import { toQueryTerms } from './index-text.ts';
import { type ScoredChunk, searchText, type TermCounts } from './local-search.ts';
import { fuseRankings, type VectorIndex } from './local-vectors.ts';
import type { Passage, Resource } from './model.ts';
import { slugify } from './slug.ts';

/** A question with, where an embedding model is configured, its vector. */
export interface LocalQuery {
  text: string;
  limit: number;
  /** URIs to narrow to. */
  resources?: string[] | undefined;
  embedding?: { model: string; vector: Float32Array } | undefined;
}

/** What a connection remembers between searches. */
export interface SearchMemory {
  counts: TermCounts;
  vectors: VectorIndex;
}

/** Most chunks that are looked at to find different resources. */
const MAX_DEPTH = 5_000;
/** Fewest chunks each ranking gives to the fusion. */
const FUSION_DEPTH = 100;

/** The passages that answer the query, best first. */
export function findPassages(database: Database, memory: SearchMemory, query: LocalQuery): Passage[] {
  return loadPassages(database, findChunks(database, memory, query, query.limit));
}

/**
 * The resources that answer the query by their best passage, then those whose title or name contains the query; the
 * user's own before the built-in ones.
 */
export function findResources(database: Database, memory: SearchMemory, query: LocalQuery): Resource[] {
  const found = new Map<number, ResourceRow>();
  const { total } = database.query<{ total: number }, []>('SELECT count(*) AS total FROM resources').get()!;
  const enough = Math.min(query.limit, total);
  for (let depth = query.limit * 4; ; depth *= 8) {
    const chunks = findChunks(database, memory, query, depth);
    for (const row of resourcesOf(database, chunks)) if (!found.has(row.id)) found.set(row.id, row);
    if (chunks.length < depth || found.size >= enough || depth * 8 > MAX_DEPTH) break;
  }
  if (found.size < enough)
    for (const row of resourcesNamed(database, query.text, query.limit)) if (!found.has(row.id)) found.set(row.id, row);
  const rows = [...found.values()].sort((a, b) => a.builtin - b.builtin);
  return rows.slice(0, query.limit).map(toResource);
}

/** All resources: the user's own, newest first, then the built-in ones in their order. */
export function allResources(database: Database, limit: number): Resource[] {
  return database
    .query<ResourceRow, [number]>(
      `${SELECT_RESOURCE} ORDER BY builtin, iif(builtin, 0, -updated_at), iif(builtin, id, -id) LIMIT ?`,
    )
    .all(limit)
    .map(toResource);
}

/** Digests by URI of the built-in resources. */
export function builtinDigests(database: Database): Record<string, string> {
  const rows = database
    .query<{ uri: string; digest: string }, []>('SELECT uri, digest FROM resources WHERE builtin = 1')
    .all();
  return Object.fromEntries(rows.map((row) => [row.uri, row.digest]));
}

/** The stored resource with its digest. */
export function findResource(database: Database, uri: string): (Resource & { digest: string }) | undefined {
  const row = database.query<ResourceRow & { digest: string }, [string]>(`${SELECT_RESOURCE} WHERE uri = ?`).get(uri);
  return row ? { ...toResource(row), digest: row.digest } : undefined;
}

/** Number of resources and chunks. */
export function countContent(database: Database): { resources: number; chunks: number } {
  return database
    .query<{ resources: number; chunks: number }, []>(
      'SELECT (SELECT count(*) FROM resources) AS resources, (SELECT count(*) FROM chunks) AS chunks',
    )
    .get()!;
}

interface ResourceRow {
  id: number;
  uri: string;
  title: string;
  description: string | null;
  builtin: number;
}

const SELECT_RESOURCE = 'SELECT id, uri, title, description, builtin, digest FROM resources';

function findChunks(database: Database, memory: SearchMemory, query: LocalQuery, limit: number): ScoredChunk[] {
  const scope = query.resources && resourceIds(database, query.resources);
  const terms = toQueryTerms(query.text);
  if (!query.embedding) return searchText(database, memory.counts, terms, limit, scope);
  const depth = Math.max(limit, FUSION_DEPTH);
  const { model, vector } = query.embedding;
  const near = scope?.length === 0 ? [] : memory.vectors.search(database, model, vector, depth, scope);
  return fuseRankings([searchText(database, memory.counts, terms, depth, scope), near], limit);
}

/** Ids of the resources at these addresses; a passage address (`…#page=3`) names its resource. */
function resourceIds(database: Database, uris: string[]): number[] {
  const plain = JSON.stringify(uris.map((uri) => uri.replace(/#.*$/s, '')));
  return database
    .query<{ id: number }, [string]>('SELECT id FROM resources WHERE uri IN (SELECT value FROM json_each(?))')
    .all(plain)
    .map((row) => row.id);
}

function resourcesOf(database: Database, chunks: ScoredChunk[]): ResourceRow[] {
  const rows = database
    .query<ResourceRow & { chunk: number }, [string]>(
      `SELECT chunks.id AS chunk, resources.id AS id, uri, title, description, builtin
       FROM json_each(?) JOIN chunks ON chunks.id = value JOIN resources ON resources.id = chunks.resource_id`,
    )
    .all(JSON.stringify(chunks.map((chunk) => chunk.id)));
  const byChunk = new Map(rows.map((row) => [row.chunk, row]));
  return chunks.flatMap((chunk) => byChunk.get(chunk.id) ?? []);
}

function resourcesNamed(database: Database, text: string, limit: number): ResourceRow[] {
  const part = text.trim().toLowerCase();
  if (part === '' || part.length > 200) return [];
  return database
    .query<ResourceRow, [string, string, number]>(
      `${SELECT_RESOURCE} WHERE instr(lower(title), ?) > 0 OR (builtin = 0 AND instr(lower(name), ?) > 0)
       ORDER BY builtin, updated_at DESC, id DESC LIMIT ?`,
    )
    .all(part, part, limit);
}

function toResource(row: ResourceRow): Resource {
  return { uri: row.uri, title: row.title, description: row.description };
}

function loadPassages(database: Database, chunks: ScoredChunk[]): Passage[] {
  const rows = database
    .query<ChunkRow, [string]>(
      `SELECT chunks.id AS id, uri, title, content, heading_path, page, start, "end"
       FROM json_each(?) JOIN chunks ON chunks.id = value JOIN resources ON resources.id = chunks.resource_id`,
    )
    .all(JSON.stringify(chunks.map((chunk) => chunk.id)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return chunks.flatMap(({ id, score }) => {
    const row = byId.get(id);
    return row ? [toPassage(row, score)] : [];
  });
}

interface ChunkRow {
  id: number;
  uri: string;
  title: string;
  content: string;
  heading_path: string;
  page: number | null;
  start: number;
  end: number;
}

function toPassage(row: ChunkRow, score: number): Passage {
  const headingPath: string[] = JSON.parse(row.heading_path);
  const anchor = row.page === null ? slugify(headingPath.at(-1) ?? '') : `page=${row.page}`;
  return {
    uri: anchor ? `${row.uri}#${anchor}` : row.uri,
    resourceUri: row.uri,
    title: row.title,
    content: row.content,
    score,
    headingPath,
    ...(row.page === null ? {} : { page: row.page }),
    start: row.start,
    end: row.end,
  };
}

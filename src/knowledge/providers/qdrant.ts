import { type AppError, fail } from '../../errors.ts';
import type { Embedder } from '../../models/model.ts';
import type { ReadLimits } from '../document-reader.ts';
import type { KnowledgeProvider, Passage } from '../model.ts';
import { matchResources } from './match-resources.ts';
import { createProviderClient, type ProviderCall, type ProviderNeeds, refusedStatus } from './provider-client.ts';
import { numberOf, recordOf, recordsOf } from './read-json.ts';
import { bestOf } from './search-datasets.ts';
import { chunkId, VectorDocuments } from './vector-documents.ts';
import { readRecord, storedNames, toPassage, toResources, type VectorRecord } from './vector-record.ts';

export interface QdrantOptions extends ProviderNeeds {
  baseUrl: string;
  apiKey?: string | undefined;
  collection: string;
  topK?: number | undefined;
  embedder: Embedder | undefined;
  limits: ReadLimits;
}

/** A vector store with its life cycle. */
export interface VectorKnowledge extends KnowledgeProvider {
  ingest: NonNullable<KnowledgeProvider['ingest']>;
  remove: NonNullable<KnowledgeProvider['remove']>;
  stop(): void;
}

const LABEL = 'Qdrant';
const SCROLL = 256;
/** Points looked at for a listing; a larger collection is listed in part. */
const MAX_SCROLLED = 20_000;
const BATCH = 64;
const LISTED = ['url', 'doc_id', 'title', 'description', 'created_at', 'metadata'];

/** Qdrant by its REST API: one collection, whose points are the passages of documents. */
export function createQdrant(options: QdrantOptions): VectorKnowledge {
  const { collection, clock } = options;
  const documents = new VectorDocuments(LABEL, options.embedder, options.limits);
  const client = createProviderClient({
    ...options,
    provider: LABEL,
    headers: options.apiKey ? { 'api-key': options.apiKey } : {},
  });
  const root = `/collections/${encodeURIComponent(collection)}`;
  const scheme = `qdrant://${encodeURIComponent(collection)}/`;

  const call = async (request: Omit<ProviderCall, 'method'> & { method?: ProviderCall['method'] }) => {
    try {
      return (await client({ method: 'POST', ...request, path: root + request.path }))['result'];
    } catch (error) {
      throw explain(error, collection);
    }
  };

  const scroll = async (limit: number, signal: AbortSignal): Promise<VectorRecord[]> => {
    const records: VectorRecord[] = [];
    const uris = new Set<string>();
    let offset: unknown;
    for (let seen = 0; seen < MAX_SCROLLED && uris.size < limit; seen += SCROLL) {
      const body = { limit: SCROLL, with_payload: LISTED, with_vector: false, ...(offset == null ? {} : { offset }) };
      const page = recordOf(await call({ path: '/points/scroll', body, signal }));
      for (const point of recordsOf(page['points'])) {
        const record = readRecord(recordOf(point['payload']), point['id'], scheme);
        records.push(record);
        uris.add(record.uri);
      }
      offset = page['next_page_offset'];
      if (offset == null) break;
    }
    return records;
  };

  const ensureCollection = async (size: number, signal: AbortSignal): Promise<void> => {
    const exists = await client({ method: 'GET', path: root, signal }).then(
      () => true,
      (error: unknown) => {
        if (refusedStatus(error) === 404) return false;
        throw error;
      },
    );
    if (exists) return;
    await call({ method: 'PUT', path: '', body: { vectors: { size, distance: 'Cosine' } }, signal });
    for (const field of ['url', 'doc_id'])
      await call({ method: 'PUT', path: '/index', body: { field_name: field, field_schema: 'keyword' }, signal });
  };

  return {
    name: 'qdrant',
    stop: () => documents.stop(),
    async listResources({ query, limit, signal }) {
      return matchResources(toResources(await scroll(Infinity, signal)), query, limit);
    },
    async retrieve(query, { resources, limit, signal }): Promise<Passage[]> {
      signal.throwIfAborted();
      if (query.trim() === '') return [];
      const vector = await documents.embedQuery(query, signal);
      const body = {
        query: vector,
        limit: options.topK ?? limit,
        with_payload: true,
        ...(resources ? { filter: filterOf(resources) } : {}),
      };
      const points = recordsOf(recordOf(await call({ path: '/points/query', body, signal }))['points']);
      const passages = points.flatMap((point) =>
        toPassage(readRecord(recordOf(point['payload']), point['id'], scheme), numberOf(point['score'])),
      );
      return bestOf(passages, limit);
    },
    async hasContent() {
      return (await scroll(1, new AbortController().signal)).length > 0;
    },
    async ingest(document, signal) {
      const { title, description, digest, chunks } = await documents.read(document, signal);
      const url = scheme + encodeURIComponent(document.name);
      await ensureCollection(chunks[0]!.vector.length, signal);
      const points = chunks.map(({ content, headingPath, page, vector }, index) => ({
        id: chunkId(url, index),
        vector: [...vector],
        payload: {
          doc_id: document.name,
          url,
          title,
          description,
          content,
          heading_path: headingPath,
          ...(page === undefined ? {} : { page }),
          chunk: index,
          digest,
          created_at: clock.now(),
        },
      }));
      for (let start = 0; start < points.length; start += BATCH) {
        const body = { points: points.slice(start, start + BATCH) };
        await call({ method: 'PUT', path: '/points', query: { wait: 'true' }, body, signal });
      }
      // Afterwards, so that the document is never away: the last pieces of a longer version.
      const stale = {
        must: [{ key: 'url', match: { value: url } }],
        must_not: [{ key: 'digest', match: { value: digest } }],
      };
      await call({ path: '/points/delete', query: { wait: 'true' }, body: { filter: stale }, signal });
      return { uri: url, title, description };
    },
    async remove(uri) {
      const signal = new AbortController().signal;
      const filter = filterOf([uri]);
      const { count } = recordOf(await call({ path: '/points/count', body: { filter, exact: true }, signal }));
      if (numberOf(count) === 0) return false;
      await call({ path: '/points/delete', query: { wait: 'true' }, body: { filter }, signal });
      return true;
    },
  };
}

function filterOf(uris: string[]) {
  const any = [...new Set(uris.flatMap(storedNames))];
  return { should: ['url', 'doc_id'].map((key) => ({ key, match: { any } })) };
}

/** Says what the usual refusals of a vector store mean. */
function explain(error: unknown, collection: string): unknown {
  const status = refusedStatus(error);
  const refused = (message: string): AppError =>
    fail('upstream_rejected', message, { cause: (error as AppError).cause });
  if (status === 404)
    return refused(`${LABEL} has no collection "${collection}" (HTTP 404); it is made with the first document added.`);
  if (status === 400)
    return refused(
      `${LABEL} refused the request (HTTP 400); models.embedding must be the model that the collection "${collection}" was made with.`,
    );
  return error;
}

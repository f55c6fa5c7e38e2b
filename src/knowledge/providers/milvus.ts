import { fail } from '../../errors.ts';
import { trimEnd } from '../../lib/trim.ts';
import type { Embedder } from '../../models/model.ts';
import type { ReadLimits } from '../document-reader.ts';
import type { Passage } from '../model.ts';
import { matchResources } from './match-resources.ts';
import { createProviderClient, type ProviderNeeds } from './provider-client.ts';
import type { VectorKnowledge } from './qdrant.ts';
import { numberOf, recordOf, recordsOf } from './read-json.ts';
import { bestOf } from './search-datasets.ts';
import { chunkId, VectorDocuments } from './vector-documents.ts';
import { readRecord, storedNames, toPassage, toResources, type VectorRecord } from './vector-record.ts';

export interface MilvusOptions extends ProviderNeeds {
  baseUrl: string;
  /** `user:password`, or an API key. */
  token?: string | undefined;
  collection: string;
  topK?: number | undefined;
  /** Names of the fields in the collection. */
  fields: { id: string; vector: string; content: string; title: string; url: string };
  embedder: Embedder | undefined;
  limits: ReadLimits;
}

const LABEL = 'Milvus';
const PAGE = 1000;
/** Milvus looks no further: offset and limit together. */
const MAX_WINDOW = 16_384;
const BATCH = 64;
/** Lengths of text fields, in bytes. */
const TEXT_BYTES = { id: 512, content: 65_535, title: 512, url: 1024 };
/** Codes in the body of an answer whose HTTP status is 200 (Milvus, pkg/util/merr). */
const CREDENTIAL_CODES = new Set([1400, 1401, 1402, 1800]);
const UNKNOWN_COLLECTION = 100;
const LIMIT_CODES = new Set([8, 9, 10]);
const SERVER_CODES = new Set([1, 2, 3, 4, 5, 6, 7]);

/** Milvus and Zilliz Cloud by the RESTful API v2: one collection, whose entities are the passages of documents. */
export function createMilvus(options: MilvusOptions): VectorKnowledge {
  const { collection, fields, clock } = options;
  const documents = new VectorDocuments(LABEL, options.embedder, options.limits);
  const client = createProviderClient({
    ...options,
    provider: LABEL,
    headers: options.token ? { authorization: `Bearer ${options.token}` } : {},
  });
  const scheme = `milvus://${collection}/`;

  const call = async (path: string, body: Record<string, unknown>, signal: AbortSignal): Promise<unknown> => {
    const answer = await client({
      method: 'POST',
      path: `/v2/vectordb${path}`,
      body: { collectionName: collection, ...body },
      signal,
    });
    const code = numberOf(answer['code']);
    // Older servers say 200 for success.
    if (code === 0 || code === 200) return answer['data'];
    throw refusal(code, collection);
  };

  const toRecord = (entity: Record<string, unknown>): VectorRecord =>
    readRecord(
      { ...entity, url: entity[fields.url], title: entity[fields.title], content: entity[fields.content] },
      entity[fields.id],
      scheme,
    );

  const list = async (limit: number, signal: AbortSignal): Promise<VectorRecord[]> => {
    const records: VectorRecord[] = [];
    for (let offset = 0; offset + PAGE <= MAX_WINDOW && records.length < limit; offset += PAGE) {
      const body = { filter: '', outputFields: listedFields(fields), limit: PAGE, offset };
      const entities = recordsOf(await call('/entities/query', body, signal));
      records.push(...entities.map(toRecord));
      if (entities.length < PAGE) break;
    }
    return records;
  };

  const ensureCollection = async (dimension: number, signal: AbortSignal): Promise<void> => {
    if (recordOf(await call('/collections/has', {}, signal))['has'] === true) return;
    const text = (name: 'id' | 'content' | 'title' | 'url') => ({
      fieldName: fields[name],
      dataType: 'VarChar',
      elementTypeParams: { max_length: String(TEXT_BYTES[name]) },
    });
    const vector = { dataType: 'FloatVector', elementTypeParams: { dim: String(dimension) } };
    const body = {
      schema: {
        autoId: false,
        enableDynamicField: true,
        fields: [
          { ...text('id'), isPrimary: true },
          { fieldName: fields.vector, ...vector },
          text('content'),
          text('title'),
          text('url'),
        ],
      },
      indexParams: [
        {
          fieldName: fields.vector,
          indexName: fields.vector,
          metricType: 'COSINE',
          params: { index_type: 'AUTOINDEX' },
        },
      ],
      // What was added is found at once.
      params: { consistencyLevel: 'Strong' },
    };
    await call('/collections/create', body, signal);
  };

  return {
    name: 'milvus',
    stop: () => documents.stop(),
    async listResources({ query, limit, signal }) {
      return matchResources(toResources(await list(Infinity, signal)), query, limit);
    },
    async retrieve(query, { resources, limit, signal }): Promise<Passage[]> {
      signal.throwIfAborted();
      if (query.trim() === '') return [];
      const vector = await documents.embedQuery(query, signal);
      const body = {
        data: [vector],
        annsField: fields.vector,
        limit: options.topK ?? limit,
        outputFields: ['*'],
        ...(resources ? { filter: filterOf(resources, fields) } : {}),
      };
      const entities = recordsOf(await call('/entities/search', body, signal));
      const scores = similarities(entities.map((entity) => numberOf(entity['distance'])));
      const passages = entities.flatMap((entity, index) => toPassage(toRecord(entity), scores[index]!));
      return bestOf(passages, limit);
    },
    async hasContent() {
      return (await list(1, new AbortController().signal)).length > 0;
    },
    async ingest(document, signal) {
      const { title, description, digest, chunks } = await documents.read(document, signal);
      const url = scheme + encodeURIComponent(document.name);
      await ensureCollection(chunks[0]!.vector.length, signal);
      const data = chunks.map(({ content, headingPath, page, vector }, index) => ({
        [fields.id]: chunkId(url, index),
        [fields.vector]: [...vector],
        [fields.content]: cutToBytes(content, TEXT_BYTES.content),
        [fields.title]: cutToBytes(title, TEXT_BYTES.title),
        [fields.url]: cutToBytes(url, TEXT_BYTES.url),
        doc_id: document.name,
        description: description ?? '',
        heading_path: headingPath,
        ...(page === undefined ? {} : { page }),
        digest,
        created_at: clock.now(),
      }));
      for (let start = 0; start < data.length; start += BATCH)
        await call('/entities/upsert', { data: data.slice(start, start + BATCH) }, signal);
      // Afterwards, so that the document is never away: the last pieces of a longer version.
      const stale = `${fields.url} == ${JSON.stringify(url)} and digest != ${JSON.stringify(digest)}`;
      await call('/entities/delete', { filter: stale }, signal);
      return { uri: url, title, description };
    },
    async remove(uri) {
      const signal = new AbortController().signal;
      const filter = filterOf([uri], fields);
      const found = recordsOf(await call('/entities/query', { filter, outputFields: [fields.id], limit: 1 }, signal));
      if (found.length === 0) return false;
      await call('/entities/delete', { filter }, signal);
      return true;
    },
  };
}

/** Everything but the text and the vector. */
function listedFields(fields: MilvusOptions['fields']): string[] {
  return [fields.id, fields.title, fields.url, 'description', 'created_at'];
}

function filterOf(uris: string[], fields: MilvusOptions['fields']): string {
  const names = JSON.stringify([...new Set(uris.flatMap(storedNames))]);
  return `${fields.url} in ${names} or ${fields.id} in ${names}`;
}

/** Distances as scores: entities come best first, so rising numbers are distances and falling ones similarities. */
function similarities(distances: number[]): number[] {
  const isDistance = distances.length > 1 && distances[0]! < distances.at(-1)!;
  return isDistance ? distances.map((distance) => 1 / (1 + Math.max(distance, 0))) : distances;
}

function cutToBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  return encoded.length <= bytes ? text : trimEnd(encoded.subarray(0, bytes).toString(), /\uFFFD/);
}

function refusal(code: number, collection: string) {
  if (CREDENTIAL_CODES.has(code))
    return fail('upstream_rejected', `${LABEL} refused the credentials (code ${code}).`, { retryable: false });
  if (code === UNKNOWN_COLLECTION) {
    const message = `${LABEL} has no collection "${collection}" (code ${code}); it is made with the first document added.`;
    return fail('upstream_rejected', message, { retryable: false });
  }
  if (LIMIT_CODES.has(code))
    return fail('upstream_rate_limited', `${LABEL} limits the rate of requests (code ${code}).`, {
      retryable: true,
    });
  if (SERVER_CODES.has(code))
    return fail('upstream_unavailable', `${LABEL} failed (code ${code}).`, { retryable: true });
  const message = `${LABEL} refused the request (code ${code}); models.embedding must be the model that the collection "${collection}" was made with, and the fields those of knowledge.milvus.`;
  return fail('upstream_rejected', message, { retryable: false });
}

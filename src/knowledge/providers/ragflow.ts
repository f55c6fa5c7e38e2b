import { fail } from '../../errors.ts';
import type { KnowledgeProvider, Passage, Resource } from '../model.ts';
import { matchResources } from './match-resources.ts';
import { createProviderClient, type ProviderNeeds } from './provider-client.ts';
import { formatRagUri, parseRagUri } from './rag-uri.ts';
import { numberOf, recordOf, recordsOf, textOf } from './read-json.ts';
import { searchDatasets } from './search-datasets.ts';

export interface RagflowOptions extends ProviderNeeds {
  /** Configuration name and name for people; MOI speaks the same API. */
  name: string;
  label: string;
  baseUrl: string;
  apiKey: string;
  /** Chunks asked for. */
  pageSize?: number | undefined;
  crossLanguages?: string[] | undefined;
  /** Sent as `limit` with listings, which MOI understands. */
  listLimit?: number | undefined;
}

interface Dataset {
  resource: Resource;
  id: string;
  /** Datasets of different models cannot be searched together. */
  embeddingModel: string;
  isEmpty: boolean;
}

interface Target {
  datasets: string[];
  documents: string[];
}

const LIST_PAGE = 100;
const MAX_PAGES = 10;
const MAX_QUERY = 4000;
/** Codes in the body of an answer whose HTTP status is 200 (RAGFlow HTTP API reference). */
const PERMISSION_CODES = new Set([108, 109, 401, 403]);
const SERVER_CODES = new Set([100, 105, 500]);

/** RAGFlow by its HTTP API: datasets are resources, chunks are passages. */
export function createRagflow(options: RagflowOptions): KnowledgeProvider {
  const { name, label } = options;
  const client = createProviderClient({
    ...options,
    provider: label,
    headers: { authorization: `Bearer ${options.apiKey}` },
  });

  /** The `data` of an answer; a refusal comes with status 200 and a code. */
  const call = async (request: Parameters<typeof client>[0]): Promise<unknown> => {
    const { code, data } = await client(request);
    const status = numberOf(code);
    if (status === 0) return data;
    if (PERMISSION_CODES.has(status))
      throw fail('upstream_rejected', `${label} refused the credentials or the request (code ${status}).`);
    if (SERVER_CODES.has(status)) throw fail('upstream_unavailable', `${label} failed (code ${status}).`);
    throw fail('upstream_rejected', `${label} refused the request (code ${status}).`);
  };

  // The API's own filter by name wants the exact name and fails when there is none: names are matched here.
  const listDatasets = async (limit: number, signal: AbortSignal): Promise<Dataset[]> => {
    const datasets = new Map<string, Dataset>();
    for (let page = 1; page <= MAX_PAGES && datasets.size < limit; page++) {
      const query: Record<string, string> = { page: String(page), page_size: String(LIST_PAGE) };
      if (options.listLimit) query['limit'] = String(options.listLimit);
      const items = recordsOf(await call({ method: 'GET', path: '/api/v1/datasets', query, signal }));
      const known = datasets.size;
      for (const item of items) {
        const dataset = toDataset(item);
        if (dataset) datasets.set(dataset.id, dataset);
      }
      if (items.length < LIST_PAGE || datasets.size === known) break;
    }
    return [...datasets.values()].slice(0, options.listLimit ?? limit);
  };

  /** Selected datasets and selected documents are different questions: a document filter holds for all datasets. */
  const targetsOf = async (resources: string[] | undefined, signal: AbortSignal): Promise<Target[]> => {
    if (resources) {
      const selected = resources.map(parseRagUri).filter((address) => address !== undefined);
      const whole = selected.filter((address) => address.document === undefined);
      const parts = selected.filter((address) => address.document !== undefined);
      const datasetsOf = (addresses: typeof selected) => [...new Set(addresses.map(({ dataset }) => dataset))];
      const targets = [
        { datasets: datasetsOf(whole), documents: [] },
        { datasets: datasetsOf(parts), documents: parts.map(({ document }) => document!) },
      ];
      return targets.filter(({ datasets }) => datasets.length > 0);
    }
    const byModel = new Map<string, string[]>();
    for (const { id, embeddingModel, isEmpty } of await listDatasets(LIST_PAGE * MAX_PAGES, signal))
      if (!isEmpty) byModel.set(embeddingModel, [...(byModel.get(embeddingModel) ?? []), id]);
    return [...byModel.values()].map((datasets) => ({ datasets, documents: [] }));
  };

  const search = async (query: string, target: Target, limit: number, signal: AbortSignal): Promise<Passage[]> => {
    const body = {
      question: query.slice(0, MAX_QUERY),
      dataset_ids: target.datasets,
      ...(target.documents.length > 0 ? { document_ids: target.documents } : {}),
      page: 1,
      page_size: options.pageSize ?? limit,
      ...(options.crossLanguages?.length ? { cross_languages: options.crossLanguages } : {}),
    };
    const data = recordOf(await call({ method: 'POST', path: '/api/v1/retrieval', body, signal }));
    const names = new Map(recordsOf(data['doc_aggs']).map((doc) => [doc['doc_id'], textOf(doc['doc_name'])]));
    return recordsOf(data['chunks']).flatMap((chunk) => {
      const content = textOf(chunk['content']);
      const document = textOf(chunk['document_id']);
      const dataset = textOf(chunk['dataset_id']) ?? textOf(chunk['kb_id']) ?? target.datasets[0];
      if (!content || !dataset) return [];
      const page = numberOf((chunk['positions'] as unknown[][] | undefined)?.[0]?.[0]);
      return {
        uri: formatRagUri({ dataset, ...(document ? { document } : {}) }),
        resourceUri: formatRagUri({ dataset }),
        title: names.get(document) ?? textOf(chunk['document_keyword']) ?? label,
        content,
        score: numberOf(chunk['similarity']),
        headingPath: [],
        ...(page > 0 ? { page } : {}),
      };
    });
  };

  return {
    name,
    async listResources({ query, limit, signal }) {
      const text = query?.trim();
      const datasets = await listDatasets(text ? LIST_PAGE * MAX_PAGES : limit, signal);
      const resources = datasets.map((dataset) => dataset.resource);
      return matchResources(resources, query, limit);
    },
    async retrieve(query, { resources, limit, signal }) {
      signal.throwIfAborted();
      if (query.trim() === '') return [];
      const targets = await targetsOf(resources, signal);
      return searchDatasets(targets, { limit, signal }, (target) => search(query, target, limit, signal));
    },
    async hasContent() {
      return (await listDatasets(1, new AbortController().signal)).length > 0;
    },
  };
}

function toDataset(item: Record<string, unknown>): Dataset | undefined {
  const id = textOf(item['id']);
  if (id === undefined) return undefined;
  const resource = {
    uri: formatRagUri({ dataset: id }),
    title: textOf(item['name']) ?? id,
    description: textOf(item['description']) ?? null,
  };
  return { id, resource, embeddingModel: textOf(item['embedding_model']) ?? '', isEmpty: item['chunk_count'] === 0 };
}

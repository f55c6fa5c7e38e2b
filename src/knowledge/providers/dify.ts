import { fail } from '../../errors.ts';
import type { KnowledgeProvider, Passage, Resource } from '../model.ts';
import { matchResources } from './match-resources.ts';
import { createProviderClient, type ProviderNeeds, refusedStatus } from './provider-client.ts';
import { formatRagUri, parseRagUri } from './rag-uri.ts';
import { numberOf, recordOf, recordsOf, textOf } from './read-json.ts';
import { searchDatasets } from './search-datasets.ts';

export interface DifyOptions extends ProviderNeeds {
  baseUrl: string;
  apiKey: string;
}

const LABEL = 'Dify';
const LIST_PAGE = 100;
const MAX_PAGES = 10;
/** Dify refuses longer questions. */
const MAX_QUERY = 250;
/** Knowledge bases that are searched when none is selected. */
const MAX_SEARCHED = 20;

/** Dify by its knowledge API: knowledge bases are resources, segments are passages. */
export function createDify(options: DifyOptions): KnowledgeProvider {
  const client = createProviderClient({
    ...options,
    provider: LABEL,
    headers: { authorization: `Bearer ${options.apiKey}` },
  });

  const list = async (limit: number, signal: AbortSignal): Promise<{ id: string; resource: Resource }[]> => {
    const datasets: { id: string; resource: Resource }[] = [];
    for (let page = 1; page <= MAX_PAGES && datasets.length < limit; page++) {
      const query = { page: String(page), limit: String(LIST_PAGE) };
      const answer = await client({ method: 'GET', path: '/datasets', query, signal });
      for (const item of recordsOf(answer['data'])) {
        const id = textOf(item['id']);
        if (id === undefined) continue;
        const title = textOf(item['name']) ?? id;
        const description = textOf(item['description']) ?? null;
        datasets.push({ id, resource: { uri: formatRagUri({ dataset: id }), title, description } });
      }
      if (answer['has_more'] !== true) break;
    }
    return datasets;
  };

  const ask = async (dataset: string, body: unknown, signal: AbortSignal) => {
    try {
      return await client({ method: 'POST', path: `/datasets/${encodeURIComponent(dataset)}/retrieve`, body, signal });
    } catch (error) {
      if (refusedStatus(error) !== 404) throw error;
      const message = `${LABEL} does not know the selected knowledge base (HTTP 404).`;
      throw fail('upstream_rejected', message, { cause: error });
    }
  };

  const search = async (query: string, dataset: string, limit: number, signal: AbortSignal): Promise<Passage[]> => {
    const question = [...query].slice(0, MAX_QUERY).join('');
    const hybrid = {
      search_method: 'hybrid_search',
      reranking_enable: false,
      weights: {
        weight_type: 'customized',
        keyword_setting: { keyword_weight: 0.3 },
        vector_setting: { vector_weight: 0.7 },
      },
      top_k: limit,
      score_threshold_enabled: false,
    };
    const answer = await ask(dataset, { query: question, retrieval_model: hybrid }, signal).catch((error: unknown) => {
      // A knowledge base without an embedding model cannot do hybrid search; then it is searched as it is set up.
      if (refusedStatus(error) !== 400) throw error;
      return ask(dataset, { query: question }, signal);
    });
    return recordsOf(answer['records']).flatMap((record) => {
      const segment = recordOf(record['segment']);
      const content = textOf(segment['content']);
      if (content === undefined) return [];
      const document = recordOf(segment['document']);
      const id = textOf(document['id']) ?? textOf(segment['document_id']);
      return {
        uri: formatRagUri({ dataset, ...(id ? { document: id } : {}) }),
        resourceUri: formatRagUri({ dataset }),
        title: textOf(document['name']) ?? LABEL,
        content,
        score: numberOf(record['score']),
        headingPath: [],
      };
    });
  };

  return {
    name: 'dify',
    async listResources({ query, limit, signal }) {
      const text = query?.trim();
      const resources = (await list(text ? LIST_PAGE * MAX_PAGES : limit, signal)).map(({ resource }) => resource);
      return matchResources(resources, query, limit);
    },
    async retrieve(query, { resources, limit, signal }) {
      signal.throwIfAborted();
      if (query.trim() === '') return [];
      const selected = resources?.map(parseRagUri).filter((address) => address !== undefined);
      const all = async () => (await list(MAX_SEARCHED, signal)).slice(0, MAX_SEARCHED).map(({ id }) => id);
      const datasets = selected ? [...new Set(selected.map(({ dataset }) => dataset))] : await all();
      const found = await searchDatasets(datasets, { limit: limit * datasets.length, signal }, (dataset) =>
        search(query, dataset, limit, signal),
      );
      // The API has no filter by document.
      const isWanted = ({ uri, resourceUri }: Passage) =>
        !resources || resources.includes(resourceUri) || resources.includes(uri);
      return found.filter(isWanted).slice(0, limit);
    },
    async hasContent() {
      return (await list(1, new AbortController().signal)).length > 0;
    },
  };
}

import { fail } from '../../errors.ts';
import type { KnowledgeProvider, Passage, Resource } from '../model.ts';
import { matchResources } from './match-resources.ts';
import { createProviderClient, type ProviderNeeds } from './provider-client.ts';
import { formatRagUri, parseRagUri, type RagAddress } from './rag-uri.ts';
import { numberOf, recordOf, recordsOf, textOf } from './read-json.ts';
import { searchDatasets } from './search-datasets.ts';
import { signVolcengine } from './volcengine-signature.ts';

export interface VikingDbOptions extends ProviderNeeds {
  /** Host of the API; https unless it says otherwise. */
  apiUrl: string;
  accessKey: string;
  secretKey: string;
  region: string;
  retrievalSize?: number | undefined;
}

const LABEL = 'VikingDB';
const SERVICE = 'air';
const MAX_QUERY = 8000;
/** Most the API gives for one question. */
const MAX_LIMIT = 200;
const MAX_SEARCHED = 20;
/** Codes of the knowledge base API (Volcengine, "error codes of the knowledge base"). */
const CREDENTIAL_CODES = new Set([1000001, 1000002]);
const UNKNOWN_CODES = new Set([1000005, 1000006]);
const LIMIT_CODE = 1000029;
const SERVER_CODE = 1000028;

/** The knowledge base of Volcengine VikingDB: collections are resources, calls are signed with an access key. */
export function createVikingDb(options: VikingDbOptions): KnowledgeProvider {
  const { apiUrl, accessKey, secretKey, region, clock } = options;
  const client = createProviderClient({
    ...options,
    provider: LABEL,
    baseUrl: /^https?:\/\//.test(apiUrl) ? apiUrl : `https://${apiUrl}`,
    headers: (call) => signVolcengine({ ...call, accessKey, secretKey, region, service: SERVICE, now: clock.now() }),
  });

  const call = async (path: string, body: unknown, signal: AbortSignal): Promise<Record<string, unknown>> => {
    const { code, data } = await client({ method: 'POST', path, body, signal });
    const number = numberOf(code);
    if (number === 0) return recordOf(data);
    if (CREDENTIAL_CODES.has(number)) throw refused('refused the credentials or the request', number);
    if (UNKNOWN_CODES.has(number)) throw refused('does not know the selected knowledge base', number);
    if (number === LIMIT_CODE)
      throw fail('upstream_rate_limited', `${LABEL} limits the rate of requests (code ${number}).`);
    if (number === SERVER_CODE) throw fail('upstream_unavailable', `${LABEL} failed (code ${number}).`);
    throw refused('refused the request', number);
  };

  const list = async (signal: AbortSignal): Promise<{ id: string; resource: Resource }[]> => {
    const data = await call('/api/knowledge/collection/list', {}, signal);
    return recordsOf(data['collection_list']).flatMap((item) => {
      const id = textOf(item['resource_id']);
      if (id === undefined) return [];
      const title = textOf(item['collection_name']) ?? id;
      const description = textOf(item['description']) ?? null;
      return { id, resource: { uri: formatRagUri({ dataset: id }), title, description } };
    });
  };

  const search = async (
    query: string,
    { dataset, document }: RagAddress,
    limit: number,
    signal: AbortSignal,
  ): Promise<Passage[]> => {
    const filter = { doc_filter: { op: 'must', field: 'doc_id', conds: [document] } };
    const body = {
      resource_id: dataset,
      query: query.slice(0, MAX_QUERY),
      limit: Math.min(options.retrievalSize ?? limit, MAX_LIMIT),
      dense_weight: 0.5,
      ...(document === undefined ? {} : { query_param: filter }),
      pre_processing: { need_instruction: true, rewrite: false },
      post_processing: { rerank_switch: true, chunk_diffusion_count: 0, chunk_group: true },
    };
    const data = await call('/api/knowledge/collection/search_knowledge', body, signal);
    return recordsOf(data['result_list']).flatMap((item) => {
      const content = textOf(item['content']);
      if (content === undefined) return [];
      const info = recordOf(item['doc_info']);
      const id = textOf(info['doc_id']);
      const heading = textOf(item['chunk_title']);
      return {
        uri: formatRagUri({ dataset, ...(id ? { document: id } : {}) }),
        resourceUri: formatRagUri({ dataset }),
        title: textOf(info['doc_name']) ?? textOf(info['title']) ?? LABEL,
        content,
        score: numberOf(item['rerank_score'] ?? item['score']),
        headingPath: heading ? [heading] : [],
      };
    });
  };

  return {
    name: 'vikingdb_knowledge_base',
    async listResources({ query, limit, signal }) {
      const resources = (await list(signal)).map(({ resource }) => resource);
      return matchResources(resources, query, limit);
    },
    async retrieve(query, { resources, limit, signal }) {
      signal.throwIfAborted();
      if (query.trim() === '') return [];
      const all = async () =>
        (await list(signal)).slice(0, MAX_SEARCHED).map(({ id }): RagAddress => ({ dataset: id }));
      const targets = resources ? resources.map(parseRagUri).filter((address) => address !== undefined) : await all();
      return searchDatasets(targets, { limit, signal }, (target) => search(query, target, limit, signal));
    },
    async hasContent() {
      return (await list(new AbortController().signal)).length > 0;
    },
  };
}

function refused(what: string, code: number) {
  return fail('upstream_rejected', `${LABEL} ${what} (code ${code}).`);
}

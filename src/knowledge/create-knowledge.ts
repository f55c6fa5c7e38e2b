import type { Config } from '../config/schema.ts';
import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { withoutTrailingSlashes } from '../lib/trim.ts';
import type { Embedder } from '../models/model.ts';
import { createLocalKnowledge } from './local.ts';
import type { KnowledgeProvider } from './model.ts';
import { createDify } from './providers/dify.ts';
import { createMilvus } from './providers/milvus.ts';
import { createQdrant } from './providers/qdrant.ts';
import { createRagflow } from './providers/ragflow.ts';
import { createVikingDb } from './providers/vikingdb.ts';

export interface CreateKnowledgeOptions {
  config: Config['knowledge'];
  /** Agent home, absolute. */
  home: string;
  /** Present when an embedding model is configured. */
  embedder: Embedder | undefined;
  fetch: typeof fetch;
  log: Logger;
  clock: Clock;
}

/** The configured knowledge base with its life cycle. */
export interface Knowledge extends KnowledgeProvider {
  /** Ends what works in the background; idempotent. */
  stop(): Promise<void>;
}

/** The knowledge base that `knowledge.provider` names; its settings are checked with the configuration. */
export function createKnowledgeProvider(options: CreateKnowledgeOptions): Knowledge {
  if (options.config.provider === 'local') return createLocalKnowledge(options);
  return asKnowledge(createExternal(options));
}

function createExternal({
  config,
  embedder,
  fetch,
  clock,
}: CreateKnowledgeOptions): KnowledgeProvider & { stop?(): void } {
  const needs = { fetch, clock, timeoutMs: config.timeout_seconds * 1000 };
  switch (config.provider) {
    case 'ragflow': {
      const { api_url, api_key, page_size, cross_languages } = config.ragflow;
      const names = { name: 'ragflow', label: 'RAGFlow' };
      const baseUrl = needed(api_url, 'RAGFLOW_API_URL');
      const apiKey = needed(api_key, 'RAGFLOW_API_KEY');
      return createRagflow({
        ...needs,
        ...names,
        baseUrl,
        apiKey,
        pageSize: page_size,
        crossLanguages: cross_languages,
      });
    }
    case 'moi': {
      const { api_url, api_key, retrieval_size, list_limit, cross_languages } = config.moi;
      return createRagflow({
        ...needs,
        name: 'moi',
        label: 'MOI',
        baseUrl: `${withoutTrailingSlashes(needed(api_url, 'MOI_API_URL'))}/byoa`,
        apiKey: needed(api_key, 'MOI_API_KEY'),
        pageSize: retrieval_size,
        listLimit: list_limit,
        crossLanguages: cross_languages,
      });
    }
    case 'dify': {
      const { api_url, api_key } = config.dify;
      return createDify({
        ...needs,
        baseUrl: needed(api_url, 'DIFY_API_URL'),
        apiKey: needed(api_key, 'DIFY_API_KEY'),
      });
    }
    case 'vikingdb_knowledge_base': {
      const { api_url, api_ak, api_sk, region, retrieval_size } = config.vikingdb_knowledge_base;
      return createVikingDb({
        ...needs,
        apiUrl: needed(api_url, 'VIKINGDB_KNOWLEDGE_BASE_API_URL'),
        accessKey: needed(api_ak, 'VIKINGDB_KNOWLEDGE_BASE_API_AK'),
        secretKey: needed(api_sk, 'VIKINGDB_KNOWLEDGE_BASE_API_SK'),
        region,
        retrievalSize: retrieval_size,
      });
    }
    case 'qdrant': {
      const { location, api_key, collection, top_k } = config.qdrant;
      const baseUrl = needed(location, 'QDRANT_LOCATION');
      return createQdrant({ ...needs, baseUrl, apiKey: api_key, collection, topK: top_k, embedder, limits: config });
    }
    default: {
      const { uri, user, password, token, collection, top_k, ...names } = config.milvus;
      return createMilvus({
        ...needs,
        baseUrl: uri,
        token: token ?? (user ? `${user}:${password ?? ''}` : undefined),
        collection,
        topK: top_k,
        fields: {
          id: names.id_field,
          vector: names.vector_field,
          content: names.content_field,
          title: names.title_field,
          url: names.url_field,
        },
        embedder,
        limits: config,
      });
    }
  }
}

/** What all external knowledge bases share. */
function asKnowledge(provider: KnowledgeProvider & { stop?(): void }): Knowledge {
  return {
    ...provider,
    // An empty selection selects everything.
    retrieve: (query, { resources, ...rest }) =>
      provider.retrieve(query, { ...rest, ...(resources?.length ? { resources } : {}) }),
    // A knowledge base that cannot be asked is not empty: whoever searches it hears why.
    hasContent: () => provider.hasContent().catch(() => true),
    stop: async () => provider.stop?.(),
  };
}

/** The configuration was checked before; this is for callers that built one by hand. */
function needed(value: string | undefined, variable: string): string {
  if (value !== undefined) return value;
  throw fail('config_invalid', `${variable} is not set.`);
}

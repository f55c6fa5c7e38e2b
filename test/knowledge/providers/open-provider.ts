import { createKnowledgeProvider, type Knowledge } from '../../../src/knowledge/create-knowledge.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLogger } from '../../../src/lib/log.ts';
import type { Embedder } from '../../../src/models/model.ts';
import {
  PROVIDER_KEY,
  type ProviderServer,
  type StoredDocument,
  startDify,
  startMilvus,
  startQdrant,
  startRagflow,
  startVikingDb,
  VIKING_KEYS,
  wordEmbedder,
} from '../../helpers/provider-servers.ts';
import { defaultConfig } from '../../helpers/test-server.ts';

export const PROVIDERS = ['ragflow', 'moi', 'dify', 'vikingdb_knowledge_base', 'qdrant', 'milvus'] as const;
export type ExternalProvider = (typeof PROVIDERS)[number];

/** Names for people, as errors have them. */
export const LABELS: Record<ExternalProvider, string> = {
  ragflow: 'RAGFlow',
  moi: 'MOI',
  dify: 'Dify',
  vikingdb_knowledge_base: 'VikingDB',
  qdrant: 'Qdrant',
  milvus: 'Milvus',
};

export interface OpenOptions {
  documents?: StoredDocument[];
  /** Another key than the server wants. */
  key?: string;
  embedder?: Embedder | undefined;
  timeoutSeconds?: number;
  collection?: string;
}

export interface OpenedProvider<Server extends ProviderServer = ProviderServer> extends AsyncDisposable {
  provider: Knowledge;
  server: Server;
}

/** A provider in front of a local server that speaks its wire and holds the documents. */
export async function openProvider(name: ExternalProvider, options: OpenOptions = {}): Promise<OpenedProvider> {
  const { documents = [], key = PROVIDER_KEY, collection = 'docs' } = options;
  const config = defaultConfig().knowledge;
  config.provider = name;
  config.timeout_seconds = options.timeoutSeconds ?? 5;
  const server = startServerOf(name, documents);
  Object.assign(config.ragflow, { api_url: server.url, api_key: key });
  Object.assign(config.moi, { api_url: server.url, api_key: key });
  Object.assign(config.dify, { api_url: `${server.url}/v1`, api_key: key });
  Object.assign(config.qdrant, { location: server.url, api_key: key, collection });
  Object.assign(config.milvus, { uri: `${server.url}/`, user: 'root', password: key, collection });
  Object.assign(config.vikingdb_knowledge_base, {
    api_url: server.url,
    api_ak: VIKING_KEYS.accessKey,
    api_sk: key === PROVIDER_KEY ? VIKING_KEYS.secretKey : key,
  });
  const embedder = 'embedder' in options ? options.embedder : wordEmbedder();
  const provider = createKnowledgeProvider({
    config,
    home: '/nonexistent',
    embedder,
    fetch,
    log: silentLogger,
    clock: systemClock,
  });
  if (provider.ingest && embedder && collection === 'docs') {
    const signal = new AbortController().signal;
    for (const { id, text } of documents)
      await provider.ingest({ name: `${id}.md`, bytes: new TextEncoder().encode(text) }, signal);
  }
  return {
    provider,
    server,
    async [Symbol.asyncDispose]() {
      await provider.stop();
      await server[Symbol.asyncDispose]();
    },
  };
}

function startServerOf(name: ExternalProvider, documents: StoredDocument[]): ProviderServer {
  switch (name) {
    case 'ragflow':
      return startRagflow(documents);
    case 'moi':
      return startRagflow(documents, '/byoa');
    case 'dify':
      return startDify(documents);
    case 'vikingdb_knowledge_base':
      return startVikingDb(documents);
    case 'qdrant':
      return startQdrant();
    default:
      return startMilvus();
  }
}

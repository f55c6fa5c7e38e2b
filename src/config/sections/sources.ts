import { type TProperties, Type } from '../../schema.ts';

const engine = <T extends TProperties>(description: string, properties: T) =>
  Type.Object(properties, { default: {}, description });
const baseUrl = (value: string, env: string[] = []) =>
  Type.String({ default: value, env, description: 'Base URL of the service.' });
const key = (env: string[], description = 'API key.') =>
  Type.Optional(Type.String({ minLength: 1, secret: true, env, description }));

/** Web search. */
export const SearchSection = Type.Object(
  {
    engines: Type.Optional(
      Type.Array(Type.String(), {
        env: ['SEARCH_API'],
        description:
          'Engines in the order they are tried; absent: the first with a key, then duckduckgo, then wikipedia.',
      }),
    ),
    timeout_seconds: Type.Number({
      default: 10,
      exclusiveMinimum: 0,
      unit: 'seconds',
      description: 'Longest wait for one engine.',
    }),
    cooldown_seconds: Type.Number({
      default: 60,
      minimum: 0,
      unit: 'seconds',
      description: 'Rest of an engine after a failure.',
    }),
    tavily: engine('Tavily.', {
      api_key: key(['TAVILY_API_KEY']),
      base_url: baseUrl('https://api.tavily.com', ['TAVILY_BASE_URL']),
    }),
    brave_search: engine('Brave Search.', {
      api_key: key(['BRAVE_SEARCH_API_KEY']),
      base_url: baseUrl('https://api.search.brave.com', ['BRAVE_SEARCH_BASE_URL']),
    }),
    serper: engine('Serper.', {
      api_key: key(['SERPER_API_KEY']),
      base_url: baseUrl('https://google.serper.dev', ['SERPER_BASE_URL']),
    }),
    searx: engine('SearXNG.', {
      base_url: Type.Optional(
        Type.String({ env: ['SEARX_HOST', 'SEARX_BASE_URL'], description: 'Address of your SearXNG instance.' }),
      ),
    }),
    duckduckgo: engine('DuckDuckGo.', { base_url: baseUrl('https://html.duckduckgo.com', ['DUCKDUCKGO_BASE_URL']) }),
    arxiv: engine('arXiv.', { base_url: baseUrl('https://export.arxiv.org', ['ARXIV_BASE_URL']) }),
    wikipedia: engine('Wikipedia.', { base_url: baseUrl('https://en.wikipedia.org', ['WIKIPEDIA_BASE_URL']) }),
  },
  { default: {}, description: 'Web search engines.' },
);

/** Reading pages, and what may be reached. */
export const CrawlSection = Type.Object(
  {
    allow_private_network: Type.Boolean({
      default: false,
      env: ['AGENT_ALLOW_PRIVATE_NETWORK'],
      description: 'Let the crawler and MCP reach private and loopback addresses; only on a network you trust.',
    }),
    known_urls: Type.Union([Type.Literal('auto'), Type.Literal('always'), Type.Literal('off')], {
      default: 'auto',
      env: ['CRAWL_KNOWN_URLS'],
      description:
        'When a model opens only addresses that a search returned or that the user or owner wrote. `auto`: in runs that an event started or that use private documents.',
    }),
    timeout_seconds: Type.Number({
      default: 10,
      exclusiveMinimum: 0,
      unit: 'seconds',
      description: 'Longest time for one page, redirects included.',
    }),
    max_bytes: Type.Integer({
      default: 5242880,
      minimum: 1024,
      unit: 'bytes',
      description: 'Largest page after decompression.',
    }),
    max_concurrency: Type.Integer({
      default: 8,
      minimum: 1,
      maximum: 64,
      description: 'Pages fetched at once in this process.',
    }),
    jina_api_key: key(['JINA_API_KEY'], 'Set to read pages through the Jina reader.'),
    jina_base_url: baseUrl('https://r.jina.ai', ['JINA_BASE_URL']),
  },
  { default: {}, description: 'Reading web pages.' },
);

/** Private documents. */
export const KnowledgeSection = Type.Object(
  {
    provider: Type.String({
      default: 'local',
      env: ['RAG_PROVIDER'],
      description: 'local, ragflow, dify, qdrant, milvus, vikingdb_knowledge_base or moi.',
    }),
    handbook: Type.Boolean({ default: true, description: 'Make the built-in handbook searchable as knowledge.' }),
    max_file_bytes: Type.Integer({
      default: 10485760,
      minimum: 1024,
      unit: 'bytes',
      description: 'Largest uploaded document.',
    }),
    read_timeout_seconds: Type.Number({
      default: 60,
      exclusiveMinimum: 0,
      maximum: 3600,
      unit: 'seconds',
      description: 'Longest time to read one document; the process that reads it is killed then.',
    }),
    read_memory_bytes: Type.Integer({
      default: 1073741824,
      minimum: 134217728,
      unit: 'bytes',
      description: 'Memory of the process that reads a document (Linux).',
    }),
    path: Type.String({ default: 'knowledge.db', description: 'Index of the local store, relative to the home.' }),
  },
  { default: {}, description: 'Private documents as knowledge (RAG).' },
);

import { OneOf, type TProperties, Type } from '../../schema.ts';

/** The knowledge bases there are; the first is built in. */
const KNOWLEDGE_PROVIDERS = ['local', 'ragflow', 'dify', 'qdrant', 'milvus', 'vikingdb_knowledge_base', 'moi'] as const;
type KnowledgeProviderName = (typeof KNOWLEDGE_PROVIDERS)[number];

const section = <T extends TProperties>(description: string, properties: T) =>
  Type.Object(properties, { default: {}, description });
const address = (env: string, description: string) =>
  Type.Optional(Type.String({ pattern: '^https?://', env: [env], description }));
const key = (env: string[], description = 'API key.') =>
  Type.Optional(Type.String({ minLength: 1, secret: true, env, description }));
const size = (env: string[], description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, env, description }));
const languages = (env: string) =>
  Type.Optional(
    Type.Array(Type.String(), { env: [env], description: 'Languages a question is translated to before the search.' }),
  );
const field = (value: string, env: string, description: string) =>
  Type.String({ default: value, pattern: '^[A-Za-z_][A-Za-z0-9_]*$', env: [env], description });
const collection = (env: string) =>
  Type.String({ default: 'documents', pattern: '^[A-Za-z0-9_-]+$', env: [env], description: 'Collection.' });

/** What external knowledge bases need, below `knowledge`; the variables are those of DeerFlow 1.x. */
export const KNOWLEDGE_PROVIDER_KEYS = {
  provider: OneOf(KNOWLEDGE_PROVIDERS, {
    default: 'local',
    env: ['RAG_PROVIDER'],
    description: 'Where private documents are searched.',
  }),
  timeout_seconds: Type.Number({
    default: 15,
    exclusiveMinimum: 0,
    maximum: 300,
    unit: 'seconds',
    description: 'Longest wait for an external knowledge base.',
  }),
  ragflow: section('RAGFlow.', {
    api_url: address('RAGFLOW_API_URL', 'Address of the server, for example http://localhost:9380.'),
    api_key: key(['RAGFLOW_API_KEY']),
    page_size: size(['RAGFLOW_PAGE_SIZE', 'RAGFLOW_RETRIEVAL_SIZE'], 'Chunks asked for; absent: as many as needed.'),
    cross_languages: languages('RAGFLOW_CROSS_LANGUAGES'),
  }),
  dify: section('Dify.', {
    api_url: address('DIFY_API_URL', 'Address of the API with its version, for example https://api.dify.ai/v1.'),
    api_key: key(['DIFY_API_KEY'], 'Knowledge API key (dataset-…).'),
  }),
  qdrant: section('Qdrant.', {
    location: address('QDRANT_LOCATION', 'Address of the server, for example http://localhost:6333.'),
    api_key: key(['QDRANT_API_KEY']),
    collection: collection('QDRANT_COLLECTION'),
    top_k: size(['QDRANT_TOP_K'], 'Passages asked for; absent: as many as needed.'),
  }),
  milvus: section('Milvus or Zilliz Cloud.', {
    uri: Type.String({
      default: 'http://localhost:19530',
      pattern: '^https?://',
      env: ['MILVUS_URI'],
      description: 'Address of the server; files of Milvus Lite cannot be read.',
    }),
    user: Type.Optional(Type.String({ env: ['MILVUS_USER'], description: 'User.' })),
    password: key(['MILVUS_PASSWORD'], 'Password.'),
    token: key(['MILVUS_TOKEN'], 'Token or API key, instead of user and password.'),
    collection: collection('MILVUS_COLLECTION'),
    top_k: size(['MILVUS_TOP_K'], 'Passages asked for; absent: as many as needed.'),
    id_field: field('id', 'MILVUS_ID_FIELD', 'Field of the primary key.'),
    vector_field: field('embedding', 'MILVUS_VECTOR_FIELD', 'Field of the vector.'),
    content_field: field('content', 'MILVUS_CONTENT_FIELD', 'Field of the text.'),
    title_field: field('title', 'MILVUS_TITLE_FIELD', 'Field of the title.'),
    url_field: field('url', 'MILVUS_URL_FIELD', 'Field of the address.'),
  }),
  vikingdb_knowledge_base: section('Knowledge base of Volcengine VikingDB.', {
    api_url: Type.Optional(
      Type.String({
        minLength: 1,
        env: ['VIKINGDB_KNOWLEDGE_BASE_API_URL'],
        description: 'Host of the API, for example api-knowledgebase.mlp.cn-beijing.volces.com.',
      }),
    ),
    api_ak: key(['VIKINGDB_KNOWLEDGE_BASE_API_AK'], 'Access key.'),
    api_sk: key(['VIKINGDB_KNOWLEDGE_BASE_API_SK'], 'Secret key.'),
    retrieval_size: size(['VIKINGDB_KNOWLEDGE_BASE_RETRIEVAL_SIZE'], 'Passages asked for; absent: as many as needed.'),
    region: Type.String({
      default: 'cn-north-1',
      env: ['VIKINGDB_KNOWLEDGE_BASE_REGION'],
      description: 'Region in the signature.',
    }),
  }),
  moi: section('MatrixOne Intelligence.', {
    api_url: address('MOI_API_URL', 'Address of the cluster, for example https://cluster.matrixonecloud.cn.'),
    api_key: key(['MOI_API_KEY']),
    retrieval_size: size(['MOI_RETRIEVAL_SIZE'], 'Chunks asked for; absent: as many as needed.'),
    list_limit: size(['MOI_LIST_LIMIT'], 'Resources listed at most.'),
    cross_languages: languages('MOI_CROSS_LANGUAGES'),
  }),
};

/** What a provider cannot do without, with the variable that sets it. */
const NEEDED: Partial<Record<KnowledgeProviderName, Record<string, string>>> = {
  ragflow: { api_url: 'RAGFLOW_API_URL', api_key: 'RAGFLOW_API_KEY' },
  dify: { api_url: 'DIFY_API_URL', api_key: 'DIFY_API_KEY' },
  qdrant: { location: 'QDRANT_LOCATION' },
  vikingdb_knowledge_base: {
    api_url: 'VIKINGDB_KNOWLEDGE_BASE_API_URL',
    api_ak: 'VIKINGDB_KNOWLEDGE_BASE_API_AK',
    api_sk: 'VIKINGDB_KNOWLEDGE_BASE_API_SK',
  },
  moi: { api_url: 'MOI_API_URL', api_key: 'MOI_API_KEY' },
};

/** The settings of the chosen provider that are missing: dotted below `knowledge`, with their variable. */
export function missingProviderSettings(knowledge: { provider: string }): { key: string; variable: string }[] {
  const needed = NEEDED[knowledge.provider as KnowledgeProviderName] ?? {};
  const settings = ((knowledge as Record<string, unknown>)[knowledge.provider] ?? {}) as Record<string, unknown>;
  return Object.entries(needed)
    .filter(([name]) => settings[name] === undefined)
    .map(([name, variable]) => ({ key: `${knowledge.provider}.${name}`, variable }));
}

import { type TSchema, Type } from '../../schema.ts';

const endpoint = (envRole?: string, extra: Record<string, string[]> = {}): Record<string, TSchema> => {
  const env = (key: string) => (envRole ? { env: [`${envRole}_MODEL__${key}`, ...(extra[key] ?? [])] } : {});
  return {
    model: Type.Optional(
      Type.String({
        minLength: 1,
        ...env('model'),
        description: 'Model name as the provider knows it; required with a base_url.',
      }),
    ),
    base_url: Type.Optional(
      Type.String({
        minLength: 1,
        ...env('base_url'),
        description: 'OpenAI-compatible base URL, ending before `/chat/completions`.',
      }),
    ),
    api_key: Type.Optional(
      Type.String({ secret: true, ...env('api_key'), description: 'API key; may be empty for local servers.' }),
    ),
    max_tokens: Type.Optional(
      Type.Integer({ minimum: 1, unit: 'tokens', ...env('max_tokens'), description: 'Longest answer asked for.' }),
    ),
    temperature: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 2,
        ...env('temperature'),
        description: 'Sampling temperature; absent leaves the provider default.',
      }),
    ),
    timeout: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        unit: 'seconds',
        ...env('timeout'),
        description: 'Longest wait for the first or the next piece of an answer (default 120).',
      }),
    ),
    max_retries: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10,
        ...env('max_retries'),
        description: 'Further attempts on a failure before the first token (default 3).',
      }),
    ),
    context_window: Type.Optional(
      Type.Integer({
        minimum: 512,
        unit: 'tokens',
        ...env('context_window'),
        description:
          'Tokens that fit in one call; absent uses a table by model name and what the provider says. Set it for Ollama (4096 is assumed there, its default).',
      }),
    ),
  };
};

/**
 * One endpoint of a fallback chain; keys left out are taken from the role (the API key only when the host is the same).
 */
const ModelEndpoint = Type.Object(endpoint());

const role = (env: string, description: string, extra?: Record<string, string[]>) =>
  Type.Optional(
    Type.Object(
      {
        ...endpoint(env, extra),
        fallback: Type.Optional(
          Type.Array(ModelEndpoint, { description: 'Endpoints tried in order when this one fails.' }),
        ),
      },
      { description },
    ),
  );

export interface EndpointConfig {
  model?: string;
  base_url?: string;
  api_key?: string;
  max_tokens?: number;
  temperature?: number;
  timeout?: number;
  max_retries?: number;
  context_window?: number;
}
export interface RoleConfig extends EndpointConfig {
  fallback?: EndpointConfig[];
}
export interface ModelsConfig {
  basic?: RoleConfig;
  reasoning?: RoleConfig;
  vision?: RoleConfig;
  code?: RoleConfig;
  embedding?: EndpointConfig;
}

/** Models by role; none configured means the embedded extractive engine. */
export const ModelsSection = Type.Unsafe<ModelsConfig>(
  Type.Object(
    {
      basic: role('BASIC', 'The model of every agent that has no other.', {
        model: ['OPENAI_MODEL'],
        base_url: ['OPENAI_BASE_URL'],
        api_key: ['OPENAI_API_KEY'],
      }),
      reasoning: role(
        'REASONING',
        'Planner model when a request enables deep thinking; base_url and api_key default to those of basic.',
      ),
      vision: role('VISION', 'Model for messages with images; base_url and api_key default to those of basic.'),
      code: role('CODE', 'Model of the coder agent; base_url and api_key default to those of basic.'),
      embedding: Type.Optional(
        Type.Object(endpoint('EMBEDDING'), {
          description: 'Embedding model; turns knowledge search into hybrid search.',
        }),
      ),
    },
    { default: {}, description: 'Language models by role.' },
  ),
);

import { fail } from '../errors.ts';
import { withoutTrailingSlashes } from '../lib/trim.ts';

/** Where a model is served and how to be let in. */
export interface Endpoint {
  /** Without query and trailing slash. */
  baseUrl: string;
  /** Query of every request (Azure's `api-version`). */
  query: Record<string, string>;
  /** Host and port, for messages. */
  host: string;
  headers: Record<string, string>;
}

/** OpenAI's own address, used when a key is given without a base URL. */
export const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** Azure's last general version of the deployment API; newer resources use `/openai/v1`, which needs none. */
const AZURE_API_VERSION = '2024-10-21';
const AZURE_HOST = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.com$/;

/** Reads a configured base URL: people paste it with a trailing slash, a query, or with `/chat/completions`. */
export function resolveEndpoint(baseUrl: string | undefined, apiKey: string | undefined): Endpoint {
  const text = baseUrl ?? OPENAI_BASE_URL;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw fail('config_invalid', 'The base_url of a model must be an http or https URL');
  const url = new URL(text);
  const isAzure = AZURE_HOST.test(url.hostname);
  let path = withoutTrailingSlashes(url.pathname).replace(/\/(?:chat\/completions|embeddings)$/, '');
  if (isAzure && path === '') path = '/openai/v1';
  const query = Object.fromEntries(url.searchParams);
  if (isAzure && path.includes('/deployments/')) query['api-version'] ??= AZURE_API_VERSION;
  return {
    baseUrl: `${url.origin}${path}`,
    query,
    host: url.host,
    headers: apiKey ? (isAzure ? { 'api-key': apiKey } : { authorization: `Bearer ${apiKey}` }) : {},
  };
}

import type { EndpointConfig, ModelsConfig, RoleConfig } from '../config/sections/models.ts';
import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { OPENAI_BASE_URL, resolveEndpoint } from './endpoint.ts';
import { MODEL_ROLES, type Model, type ModelRole, type Models } from './model.ts';
import { OpenAiModel } from './openai.ts';
import { initialQuirks, type Quirks } from './quirks.ts';
import { type Link, ResilientModel } from './resilient.ts';
import { WatchedModel } from './watched-model.ts';

/** What the configured models are built from. */
export interface ModelsNeeds {
  config: ModelsConfig;
  fetch: typeof fetch;
  clock: Clock;
  log: Logger;
  /** The engine that answers when no basic model is configured. */
  extractive: Model;
  random?: () => number;
}

/** Asked of OpenAI when only a key is configured. */
const DEFAULT_MODEL = 'gpt-4o-mini';
const DEFAULT_TIMEOUT_SECONDS = 120;
const DEFAULT_RETRIES = 3;

/**
 * The models by role with their retries and fallback chains. Nothing is loaded or called before the first request.
 * Throws `config_invalid` when a role names a server but no model.
 */
export function createModels(needs: ModelsNeeds): Models {
  const { config, log } = needs;
  const quirks = new Map<string, Quirks>();
  const configured = new Map<ModelRole, { model: Model; names: string[] }>();
  for (const role of MODEL_ROLES) {
    const own = config[role];
    if (!own || isEmpty(own)) continue;
    const chain = chainOf(role, own, config.basic ?? {});
    const links = chain.map((endpoint) => link(endpoint, needs, quirks)) as [Link, ...Link[]];
    const names = [...new Set(chain.map((endpoint) => endpoint.model))];
    configured.set(role, { model: new WatchedModel(new ResilientModel(links, needs), log), names });
  }
  let isNoticed = false;

  const get = (role: ModelRole): Model | undefined => {
    const own = configured.get(role)?.model;
    if (own || role === 'vision') return own;
    if (role === 'reasoning' && !isNoticed) {
      isNoticed = true;
      log.info('No reasoning model is configured: the basic model takes its place');
    }
    return configured.get('basic')?.model ?? needs.extractive;
  };

  return {
    get: get as Models['get'],
    has: (role) => configured.has(role),
    names: () => ({
      basic: [needs.extractive.name],
      ...Object.fromEntries([...configured].map(([role, { names }]) => [role, names])),
    }),
  };
}

type NamedEndpoint = EndpointConfig & { model: string };

/** The endpoints of a role in the order they are tried. */
function chainOf(role: ModelRole, own: RoleConfig, basic: RoleConfig): NamedEndpoint[] {
  const { fallback, ...first } = role === 'basic' ? own : inherit(own, basic);
  const head = { ...first, model: modelName(role, first) };
  const rest = (fallback ?? []).map((endpoint) => {
    const full = { max_tokens: head.max_tokens, temperature: head.temperature, ...inherit(endpoint, head) };
    return { ...full, model: full.model ?? head.model };
  });
  return [head, ...rest];
}

/** Fills the address from `parent`; its key only goes to the host it belongs to. */
function inherit<T extends EndpointConfig>(own: T, parent: EndpointConfig): T {
  const base_url = own.base_url ?? parent.base_url;
  const isSameHost = hostOf(base_url) === hostOf(parent.base_url);
  return {
    timeout: parent.timeout,
    max_retries: parent.max_retries,
    ...own,
    base_url,
    api_key: own.api_key ?? (isSameHost ? parent.api_key : undefined),
  };
}

function modelName(role: ModelRole, endpoint: EndpointConfig): string {
  if (endpoint.model) return endpoint.model;
  if (hostOf(endpoint.base_url) === hostOf(OPENAI_BASE_URL)) return DEFAULT_MODEL;
  throw fail(
    'config_invalid',
    `models.${role}.model is missing: ${hostOf(endpoint.base_url)} has to be told which model to use`,
  );
}

function link(endpoint: NamedEndpoint, needs: ModelsNeeds, quirks: Map<string, Quirks>): Link {
  const resolved = resolveEndpoint(endpoint.base_url, endpoint.api_key);
  const key = `${resolved.baseUrl} ${endpoint.model}`;
  const shared = quirks.get(key) ?? initialQuirks(resolved.host);
  quirks.set(key, shared);
  const model = new OpenAiModel(
    {
      model: endpoint.model,
      endpoint: resolved,
      maxTokens: endpoint.max_tokens,
      temperature: endpoint.temperature,
      timeoutMs: (endpoint.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1_000,
      contextWindow: endpoint.context_window,
      quirks: shared,
    },
    needs,
  );
  return { model, retries: endpoint.max_retries ?? DEFAULT_RETRIES };
}

function isEmpty(role: RoleConfig): boolean {
  return !role.model && !role.base_url && !role.api_key;
}

function hostOf(baseUrl = OPENAI_BASE_URL): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

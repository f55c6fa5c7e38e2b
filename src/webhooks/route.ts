import { isRecord } from '../lib/json.ts';
import type { RouteSnapshot } from './event-record.ts';
import { compileFilters, type FilterTools, type RouteFilter } from './filters.ts';
import { secretVariable } from './secret.ts';
import type { WebhookSettings } from './settings.ts';
import { INSECURE_NO_AUTH, parseScheme, type SchemeName } from './signatures.ts';

interface RouteSecret {
  value: string;
  /** End of a rotation's overlap, milliseconds since the epoch. */
  expiresAt?: number;
}

/** A route that may receive events. */
export interface Route {
  name: string;
  source: 'static' | 'dynamic';
  enabled: boolean;
  description: string;
  /** Empty: all. */
  events: ReadonlySet<string>;
  secrets: readonly RouteSecret[];
  scheme?: SchemeName;
  filter?: RouteFilter;
  /** Requests a minute; 0 is no limit. */
  rateLimit: number;
  retryOnScriptFailure: boolean;
  /** What an event keeps of the route. */
  work: RouteSnapshot;
  /** Faults that do not stop the route. */
  warnings: string[];
}

export interface RouteContext {
  source: 'static' | 'dynamic';
  settings: WebhookSettings;
  /** The listener is bound to a loopback name, so `INSECURE_NO_AUTH` is allowed. */
  isLoopback: boolean;
  /** What `${NAME}` in a secret stands for. */
  variables: Record<string, string | undefined>;
  filterTools: FilterTools;
}

export type CompiledRoute =
  | { ok: true; route: Route }
  /** `insecure`: it would be open to everyone who reaches the listener. */
  | { ok: false; reason: string; code?: 'insecure' };

/** Reads a record of the file or of `config.yaml`; the reason when it is no usable route. */
export function compileRoute(name: string, record: unknown, context: RouteContext): CompiledRoute {
  if (!isRecord(record)) return { ok: false, reason: 'is not an object' };
  const events = textList(record['events']);
  const skills = textList(record['skills']);
  if (!events || !skills)
    return { ok: false, reason: `has ${events ? 'skills' : 'events'} that are not a list of texts` };
  for (const key of ['prompt', 'script', 'deliver', 'scheme', 'mode'])
    if (isPresent(record[key]) && typeof record[key] !== 'string')
      return { ok: false, reason: `has a ${key} that is not text` };
  if (isPresent(record['deliver_extra']) && !isRecord(record['deliver_extra']))
    return { ok: false, reason: 'has a deliver_extra that is not an object' };
  const scheme = isPresent(record['scheme']) ? parseScheme(record['scheme'] as string) : undefined;
  if (isPresent(record['scheme']) && !scheme) return { ok: false, reason: 'has an unknown scheme' };
  const secrets = readSecrets(record, context);
  if (secrets.some(({ value }) => !value.isWellFormed()))
    return { ok: false, reason: 'has a secret that is not valid Unicode (half of a surrogate pair)' };
  if (secrets.length === 0) return { ok: false, reason: 'has no usable secret' };
  if (!context.isLoopback && secrets.some((secret) => secret.value === INSECURE_NO_AUTH))
    return { ok: false, code: 'insecure', reason: `uses ${INSECURE_NO_AUTH} on a host that is not loopback` };
  const work = readWork(record, skills, context);
  if (work.deliverOnly && work.deliver === 'log')
    return { ok: false, reason: 'has deliver_only without a real deliver target' };
  const filter = hasFilters(record['filters']) ? compileFilters(record['filters'], context.filterTools) : undefined;
  const limit = numberOf(record['rate_limit']);
  return {
    ok: true,
    route: {
      name,
      source: context.source,
      enabled: record['enabled'] !== false,
      description: typeof record['description'] === 'string' ? record['description'] : '',
      events: new Set(events),
      secrets,
      ...(scheme ? { scheme } : {}),
      ...(filter ? { filter } : {}),
      rateLimit: limit !== undefined && limit >= 0 ? limit : context.settings.rateLimit,
      retryOnScriptFailure: record['retry_on_script_failure'] === true,
      work,
      warnings: filter ? [...filter.problems] : [],
    },
  };
}

function readWork(record: Record<string, unknown>, skills: string[], context: RouteContext): RouteSnapshot {
  const text = (key: string) => (typeof record[key] === 'string' && record[key].trim() ? record[key] : undefined);
  const extra = isRecord(record['deliver_extra']) ? record['deliver_extra'] : {};
  const chatId = record['deliver_chat_id'];
  const script = text('script');
  const prompt = text('prompt');
  const timeout = numberOf(record['script_timeout_seconds']);
  const rawLimit = numberOf(record['raw_limit']);
  const maxConcurrency = numberOf(record['max_concurrency']);
  // Tools beyond reading are granted by whoever can edit config.yaml, not by the file a command writes.
  const isStatic = context.source === 'static';
  const toolsets = isStatic ? textList(record['toolsets']) : undefined;
  const approvedTools = isStatic ? textList(record['approved_tools']) : undefined;
  return {
    ...(prompt ? { prompt } : {}),
    skills,
    deliver: text('deliver')?.trim().toLowerCase() ?? 'log',
    deliverExtra: isPresent(chatId) && !Object.hasOwn(extra, 'chat_id') ? { ...extra, chat_id: chatId } : extra,
    deliverOnly: record['deliver_only'] === true,
    ...(script ? { script } : {}),
    rawLimit: rawLimit && rawLimit > 0 ? rawLimit : context.settings.rawLimit,
    scriptTimeoutMs: timeout && timeout > 0 ? timeout * 1000 : context.settings.scriptTimeoutMs,
    mode: record['mode'] === 'research' ? 'research' : 'quick',
    ...(toolsets?.length ? { toolsets } : {}),
    ...(approvedTools?.length ? { approvedTools } : {}),
    ...(typeof record['knowledge'] === 'boolean' ? { knowledge: record['knowledge'] } : {}),
    ...(maxConcurrency && maxConcurrency > 0 ? { maxConcurrency } : {}),
  };
}

/** Own secrets when the record names any, else the global one: an empty own secret never falls back. */
function readSecrets(record: Record<string, unknown>, { settings, variables }: RouteContext): RouteSecret[] {
  const hasOwn = Object.hasOwn(record, 'secret') || Object.hasOwn(record, 'secrets');
  const given = hasOwn
    ? [record['secret'], ...(Array.isArray(record['secrets']) ? record['secrets'] : [])]
    : [settings.secret];
  const found = new Map<string, RouteSecret>();
  for (const entry of given) {
    const raw = isRecord(entry) ? entry['secret'] : entry;
    if (typeof raw !== 'string') continue;
    const variable = secretVariable(raw);
    const value = variable ? (variables[variable] ?? '') : raw;
    if (value.trim() === '' || found.has(value)) continue;
    const expiresAt = isRecord(entry) ? Date.parse(String(entry['expires_at'])) : Number.NaN;
    found.set(value, Number.isNaN(expiresAt) ? { value } : { value, expiresAt });
  }
  return [...found.values()];
}

/** A list of texts, or one text with commas; undefined when it is something else. */
function textList(value: unknown): string[] | undefined {
  if (!isPresent(value)) return [];
  const items = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) return undefined;
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

function hasFilters(value: unknown): boolean {
  return isPresent(value) && !(Array.isArray(value) && value.length === 0);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

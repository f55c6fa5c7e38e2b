import { fail } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import { createSecret } from './secret.ts';
import type { AcceptedScheme } from './signatures.ts';
import type { SubscriptionRecord } from './subscription-file.ts';
import { SCHEME_WORDS, schemeOf } from './suggest-scheme.ts';

/** What a user asks for; undefined keeps what is stored. */
export interface SubscribeRequest {
  prompt?: string;
  events?: string[];
  description?: string;
  skills?: string[];
  deliver?: string;
  chatId?: string;
  deliverExtra?: Record<string, string>;
  secret?: string;
  script?: string;
  deliverOnly?: boolean;
  filters?: unknown;
  scheme?: string;
  rateLimit?: number;
  knowledge?: boolean;
}

/**
 * The record to store for a request: the stored one with the given keys set, everything else as it was. Throws when the result
 * could not be served.
 */
export function buildRecord(stored: unknown, request: SubscribeRequest, now: Date): SubscriptionRecord {
  const old = isRecord(stored) ? stored : {};
  const extra = { ...(isRecord(old['deliver_extra']) ? old['deliver_extra'] : {}), ...request.deliverExtra };
  if (request.chatId !== undefined) extra['chat_id'] = request.chatId;
  const scheme = request.scheme === undefined ? undefined : readScheme(request.scheme);
  const record: SubscriptionRecord = {
    ...old,
    description: request.description ?? old['description'] ?? '',
    events: request.events ?? old['events'] ?? [],
    secret: request.secret ?? usableSecret(old['secret']) ?? createSecret(),
    prompt: request.prompt ?? old['prompt'] ?? '',
    skills: request.skills ?? old['skills'] ?? [],
    deliver: request.deliver ?? old['deliver'] ?? 'log',
    ...(Object.keys(extra).length > 0 ? { deliver_extra: extra } : {}),
    ...(request.deliverOnly === undefined ? {} : { deliver_only: request.deliverOnly }),
    ...(request.script === undefined ? {} : { script: request.script }),
    ...(request.filters === undefined ? {} : { filters: request.filters }),
    ...(scheme && scheme !== 'none' ? { scheme } : {}),
    ...(request.rateLimit === undefined ? {} : { rate_limit: request.rateLimit }),
    ...(request.knowledge === undefined ? {} : { knowledge: request.knowledge }),
    created_at: old['created_at'] ?? now.toISOString(),
  };
  if (scheme === 'none') delete record['scheme'];
  // A secret the user sets ends a rotation: the former ones must not stay valid.
  if (request.secret !== undefined) delete record['secrets'];
  if (record['deliver_only'] === true && record['deliver'] === 'log')
    throw fail(
      'deliver_only_needs_target',
      '--deliver-only requires --deliver to be a real target (telegram, slack, webhook, …), not log.',
    );
  return record;
}

/** The scheme a user names; `none` takes the choice back. Throws `unknown_scheme`. */
export function readScheme(text: string): AcceptedScheme {
  const scheme = text.trim().toLowerCase() === 'none' ? 'none' : schemeOf(text);
  if (scheme) return scheme;
  throw fail(
    'unknown_scheme',
    `Unknown scheme '${text}'; known are ${SCHEME_WORDS.join(', ')}, and none for any of them.`,
  );
}

function usableSecret(stored: unknown): string | undefined {
  return typeof stored === 'string' && stored.trim() !== '' ? stored : undefined;
}

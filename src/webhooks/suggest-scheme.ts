import { INSECURE_NO_AUTH, parseScheme, SCHEME_NAMES, type SchemeName } from './signatures.ts';

/** Senders by the name people give them, and their scheme. */
const SENDERS: readonly [name: string, scheme: SchemeName][] = [
  ['github', 'github'],
  ['gitlab', 'gitlab'],
  ['forgejo', 'forgejo'],
  ['codeberg', 'forgejo'],
  ['gitea', 'gitea'],
  ['stripe', 'stripe'],
  ['slack', 'slack'],
  ['linear', 'linear'],
  ['shopify', 'shopify'],
  ['svix', 'svix'],
  ['clerk', 'svix'],
  ['resend', 'svix'],
  ['grafana', 'bearer'],
  ['alertmanager', 'bearer'],
  ['prometheus', 'bearer'],
];

/** Event types that only one provider has. */
const EVENTS: readonly [pattern: RegExp, scheme: SchemeName][] = [
  [/ Hook$|^(?:merge_request|tag_push|wiki_page|pipeline)$/, 'gitlab'],
  [/^(?:pull_request|issues|issue_comment|workflow_(?:run|job)|check_(?:run|suite)|repository_dispatch)/, 'github'],
  [/^(?:payment_intent|charge|invoice|checkout\.session|customer\.subscription|payout|setup_intent)\./, 'stripe'],
  [/^(?:orders|products|customers|carts|checkouts|fulfillments|inventory_levels|app)\/[a-z_]+$/, 'shopify'],
  [/^(?:event_callback|url_verification|block_actions|view_submission|slash_commands?)$/, 'slack'],
  [/^(?:Issue|IssueLabel|Cycle|Project|ProjectUpdate|Reaction)$/, 'linear'],
];

/** A scheme by its own name, or by the name of a sender (`grafana`, `clerk`); undefined when neither is known. */
export function schemeOf(text: string): SchemeName | undefined {
  const name = text.trim().toLowerCase();
  return parseScheme(text) ?? SENDERS.find(([sender]) => sender === name)?.[1];
}

/** What `--scheme` takes, for messages. */
export const SCHEME_WORDS = [...new Set([...SCHEME_NAMES, ...SENDERS.map(([sender]) => sender)])];

/** The scheme that a subscription probably needs, by its name and its events; undefined when they tell nothing. */
export function suggestScheme(name: string, record: Record<string, unknown>): SchemeName | undefined {
  const secret = record['secret'];
  if (secret === INSECURE_NO_AUTH) return undefined;
  const words = name.split(/[-_]/);
  const byName = SENDERS.find(([sender]) => words.includes(sender))?.[1];
  if (byName) return byName;
  const events: unknown[] = Array.isArray(record['events']) ? record['events'] : [];
  const found = new Set(events.flatMap((event) => EVENTS.find(([pattern]) => pattern.test(String(event)))?.[1] ?? []));
  if (found.size === 1) return [...found][0];
  return found.size === 0 && typeof secret === 'string' && secret.startsWith('whsec_') ? 'standard' : undefined;
}

import { isRecord } from '../lib/json.ts';

/** Headers that name the event, in the order they are asked. */
const EVENT_HEADERS = [
  'x-github-event',
  'x-gitea-event',
  'x-forgejo-event',
  'x-gitlab-event',
  'x-shopify-topic',
  'linear-event',
] as const;

const EVENT_FIELDS = ['event_type', 'type', 'event'] as const;

export interface EventType {
  name: string;
  /** A second name that `events` may list: GitLab's `object_kind` (`merge_request` for `Merge Request Hook`). */
  alias?: string;
}

/** The type of an event: a sender's header, else `event_type`, `type` or `event` of the body, else `unknown`. */
export function readEventType(headers: Headers, payload: Record<string, unknown>): EventType {
  for (const header of EVENT_HEADERS) {
    const name = headers.get(header)?.trim();
    if (!name) continue;
    const kind = header === 'x-gitlab-event' ? ownText(payload, 'object_kind') : undefined;
    return kind ? { name, alias: kind } : { name };
  }
  for (const field of EVENT_FIELDS) {
    const name = ownText(payload, field);
    if (name) return { name };
  }
  return { name: 'unknown' };
}

/** True when `events` is empty or lists the type, letter by letter. */
export function isWantedEvent(events: ReadonlySet<string>, type: EventType): boolean {
  return events.size === 0 || events.has(type.name) || (type.alias !== undefined && events.has(type.alias));
}

function ownText(payload: Record<string, unknown>, key: string): string | undefined {
  const value = isRecord(payload) && Object.hasOwn(payload, key) ? payload[key] : undefined;
  return typeof value === 'string' && value.trim() ? value.trim() : undefined;
}

import { isRecord } from '../lib/json.ts';
import { providerOf } from './providers.ts';
import type { AcceptedScheme } from './signatures.ts';

/** Fields of a body that name the event, in the order they are asked. */
export const EVENT_FIELDS = ['event_type', 'type', 'event'] as const;

export interface EventType {
  name: string;
  /** A second name that `events` may list: GitLab's `object_kind` (`merge_request` for `Merge Request Hook`). */
  alias?: string;
}

/**
 * The type of an event: the header of the scheme's own provider, which GitHub and its like do not sign, or `event_type`, `type` or
 * `event` of the body, which comes first where the provider names its events there; else `unknown`.
 */
export function readEventType(headers: Headers, payload: Record<string, unknown>, scheme: AcceptedScheme): EventType {
  const provider = providerOf(scheme);
  const signed = provider.isEventInBody ? fieldType(payload) : undefined;
  return signed ?? headerType(headers, payload, provider.eventHeaders) ?? fieldType(payload) ?? { name: 'unknown' };
}

/** True when `events` is empty or lists the type, letter by letter. */
export function isWantedEvent(events: ReadonlySet<string>, type: EventType): boolean {
  return events.size === 0 || events.has(type.name) || (type.alias !== undefined && events.has(type.alias));
}

function headerType(
  headers: Headers,
  payload: Record<string, unknown>,
  names: readonly string[] = [],
): EventType | undefined {
  for (const header of names) {
    const name = headers.get(header)?.trim();
    if (!name) continue;
    const kind = header === 'x-gitlab-event' ? ownText(payload, 'object_kind') : undefined;
    return kind ? { name, alias: kind } : { name };
  }
  return undefined;
}

function fieldType(payload: Record<string, unknown>): EventType | undefined {
  for (const field of EVENT_FIELDS) {
    const name = ownText(payload, field);
    if (name) return { name };
  }
  return undefined;
}

function ownText(payload: Record<string, unknown>, key: string): string | undefined {
  const value = isRecord(payload) && Object.hasOwn(payload, key) ? payload[key] : undefined;
  return typeof value === 'string' && value.trim() ? value.trim() : undefined;
}

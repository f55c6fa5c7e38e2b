import { EVENT_FIELDS } from './event-type.ts';
import { providerOf } from './providers.ts';
import { TEST_HEADER } from './schemes-seen.ts';
import { signRequest } from './sign.ts';
import type { SchemeName } from './signatures.ts';

/** An event as `agent webhook test` shows it to a route, without its signature. */
export interface TestEvent {
  headers: Record<string, string>;
  payload: Record<string, unknown>;
}

/** True when senders of the scheme name the event in the body, not in a header. */
export function isEventInBody(scheme: SchemeName): boolean {
  const provider = providerOf(scheme);
  return provider.isEventInBody === true || !provider.eventHeaders;
}

/** Names the event where senders of the scheme name it: in their header, else in the body. */
export function nameEvent(scheme: SchemeName, payload: Record<string, unknown>, event: string): TestEvent {
  const header = providerOf(scheme).eventHeaders?.[0];
  const headers = header ? { [header]: event } : {};
  if (!isEventInBody(scheme)) return { headers, payload };
  const field = EVENT_FIELDS.find((name) => typeof payload[name] === 'string') ?? 'type';
  return { headers, payload: { ...payload, [field]: event } };
}

/** A test event as its sender would post it. Every one is a delivery of its own, though its payload was sent before. */
export function buildTestRequest(
  scheme: SchemeName,
  secret: string,
  event: { headers: Record<string, string>; body: string; nowMs: number },
): { headers: Record<string, string>; body: string } {
  const id = `test-${crypto.randomUUID()}`;
  const idHeader = providerOf(scheme).idHeaders?.[0];
  // Ids that are not signed count for nothing, and JSON ignores white space: it carries a random number.
  const body = event.body + whiteSpace(crypto.getRandomValues(new Uint8Array(6)));
  return {
    body,
    headers: {
      'content-type': 'application/json',
      [TEST_HEADER]: '1',
      ...(idHeader ? { [idHeader]: id } : {}),
      ...event.headers,
      ...signRequest(scheme, secret, { body, id, nowMs: event.nowMs }),
    },
  };
}

function whiteSpace(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll('0', ' ').replaceAll('1', '\t');
}

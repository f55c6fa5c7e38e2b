/** Headers that name a delivery, in the order they are asked. */
const ID_HEADERS = [
  'x-github-delivery',
  'x-gitea-delivery',
  'svix-id',
  'webhook-id',
  'x-gitlab-event-uuid',
  'linear-delivery',
  'idempotency-key',
  'x-request-id',
] as const;

const MAX_ID_LENGTH = 200;
/** A sender without ids that sends the same body again within this time is taken to repeat itself. */
export const ANONYMOUS_WINDOW_MS = 60_000;

export interface DeliveryId {
  /** As shown to people and senders. */
  id: string;
  /** Set when the sender gave no id: it holds only this long. */
  windowMs?: number;
  /** The key of idempotency: a digest of route, id and body together. */
  key: string;
}

/** The sender's id of a delivery, bound to the route and to the body. */
export function readDeliveryId(
  headers: Headers,
  payload: Record<string, unknown>,
  body: Uint8Array,
  route: string,
): DeliveryId {
  const id = senderId(headers, payload);
  const key = new Bun.CryptoHasher('sha256')
    .update(`${route}\0${id ?? ''}\0`)
    .update(body)
    .digest('base64url')
    .slice(0, 24);
  if (!id) return { id: `sha256-${key}`, windowMs: ANONYMOUS_WINDOW_MS, key };
  return { id: id.length > MAX_ID_LENGTH ? `sha256-${key}` : id, key };
}

function senderId(headers: Headers, payload: Record<string, unknown>): string | undefined {
  for (const header of ID_HEADERS) {
    const id = headers.get(header)?.trim();
    if (id) return id;
  }
  // Stripe names its events in the signed body.
  if (!headers.has('stripe-signature') || !Object.hasOwn(payload, 'id')) return undefined;
  return typeof payload['id'] === 'string' ? payload['id'].trim() || undefined : undefined;
}

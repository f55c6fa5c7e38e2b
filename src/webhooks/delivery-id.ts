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
  /** The key of idempotency: route, id and body together. */
  key: string;
}

/** The sender's id of a delivery, bound to the route and to the digest of the body. */
export function readDeliveryId(
  headers: Headers,
  payload: Record<string, unknown>,
  body: Uint8Array,
  route: string,
): DeliveryId {
  const digest = new Bun.CryptoHasher('sha256').update(body).digest('base64url');
  let id: string | undefined;
  for (const header of ID_HEADERS) {
    id = headers.get(header)?.trim();
    if (id) break;
  }
  if (!id && headers.has('stripe-signature') && Object.hasOwn(payload, 'id') && typeof payload['id'] === 'string')
    id = payload['id'].trim();
  if (!id) return { id: `sha256-${digest}`, windowMs: ANONYMOUS_WINDOW_MS, key: keyOf(route, '', digest) };
  const shown = id.length > MAX_ID_LENGTH ? `sha256-${sha256(id)}` : id;
  return { id: shown, key: keyOf(route, id, digest) };
}

function keyOf(route: string, id: string, digest: string): string {
  return sha256(`${route}\0${id}\0${digest}`).slice(0, 24);
}

function sha256(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('base64url');
}

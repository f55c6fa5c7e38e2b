import { providerOf } from './providers.ts';
import { type AcceptedScheme, signedTime, WEBHOOK_TOLERANCE_SECONDS } from './signatures.ts';

const MAX_ID_LENGTH = 200;
/** A sender without ids that sends the same body again within this time is taken to repeat itself. */
const ANONYMOUS_WINDOW_MS = 60_000;
/** As long a signed timestamp may be believed, from one end of the tolerance to the other. */
const REPLAY_WINDOW_MS = 2 * WEBHOOK_TOLERANCE_SECONDS * 1000;

export interface DeliveryId {
  /** As shown to people and senders. */
  id: string;
  /** The key of idempotency, a digest. */
  key: string;
  /** How long the key is remembered. */
  ttlMs: number;
  /** What was signed, where the id was not signed beside the timestamp: it counts once, whatever id is shown with it. */
  signed?: { time: number; digest: string };
}

export interface DeliveryInput {
  scheme: AcceptedScheme;
  headers: Headers;
  payload: Record<string, unknown>;
  body: Uint8Array;
  route: string;
  /** How long an id is remembered. */
  ttlMs: number;
}

/**
 * What tells one delivery from another: the id that the accepted scheme signs, else the one of its provider's own headers. An id
 * that is not signed proves nothing, so what was signed decides then: the body alone, or timestamp and body.
 */
export function readDeliveryId(input: DeliveryInput): DeliveryId {
  const { scheme, headers, route, ttlMs } = input;
  const provider = providerOf(scheme);
  const signedHeader = provider.signedIdHeader && headers.get(provider.signedIdHeader)?.trim();
  const id = signedHeader || fieldOf(input, provider.idFields) || headerOf(headers, provider.idHeaders);
  const time = signedTime(scheme, headers);
  const isBodyAlone = time === undefined && !provider.isToken;
  const key = digest(`${route}\0${isBodyAlone ? '' : (id ?? '')}\0`, input.body);
  const isShown = id !== undefined && id.length <= MAX_ID_LENGTH && !id.includes('\0');
  return {
    id: isShown ? id : `sha256-${key}`,
    key,
    // A short memory of ids must not forget one whose signature is still believed.
    ttlMs: signedHeader ? Math.max(ttlMs, REPLAY_WINDOW_MS) : id ? ttlMs : ANONYMOUS_WINDOW_MS,
    ...(time === undefined || signedHeader ? {} : { signed: { time, digest: digest(`${route}\0\0`, input.body) } }),
  };
}

function digest(prefix: string, body: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(prefix).update(body).digest('base64url').slice(0, 24);
}

function headerOf(headers: Headers, names: readonly string[] = []): string | undefined {
  for (const name of names) {
    const id = headers.get(name)?.trim();
    if (id) return id;
  }
  return undefined;
}

function fieldOf({ payload }: DeliveryInput, names: readonly string[] = []): string | undefined {
  for (const name of names) {
    const id = Object.hasOwn(payload, name) ? payload[name] : undefined;
    if (typeof id === 'string' && id.trim()) return id.trim();
  }
  return undefined;
}

import { timingSafeEqual } from 'node:crypto';

/** Oldest and newest signed timestamp that is believed; equal to it still passes. */
export const WEBHOOK_TOLERANCE_SECONDS = 300;
/** A secret that turns verification off; honoured on loopback listeners only. */
export const INSECURE_NO_AUTH = 'INSECURE_NO_AUTH';

export interface SignatureInput {
  headers: Headers;
  /** The body exactly as received. */
  body: Uint8Array;
  nowMs: number;
}

interface Scheme {
  /** The header whose presence commits the request to this scheme. */
  header: string;
  /** True when `value` (printable ASCII) is a signature by `secret`. */
  verify(value: string, input: SignatureInput, secret: string): boolean;
}

/**
 * Every way of signing we know, in the order in which the headers are looked for.
 * Sources: standardwebhooks.com, docs.svix.com, docs.stripe.com/webhooks, api.slack.com/authentication, linear.app/developers,
 * docs.github.com/webhooks, docs.gitea.com, shopify.dev/docs/apps/webhooks, docs.gitlab.com/user/project/integrations.
 */
const SCHEMES = {
  svix: { header: 'svix-signature', verify: (value, input, secret) => standard('svix', value, input, secret) },
  standard: {
    header: 'webhook-signature',
    verify: (value, input, secret) => standard('webhook', value, input, secret),
  },
  stripe: { header: 'stripe-signature', verify: stripe },
  slack: {
    header: 'x-slack-signature',
    verify(value, input, secret) {
      const time = input.headers.get('x-slack-request-timestamp') ?? '';
      return isFresh(time, input.nowMs) && isEqual(value, `v0=${hmac(secret, 'hex', `v0:${time}:`, input.body)}`);
    },
  },
  linear: { header: 'linear-signature', verify: hexOfBody },
  github: {
    header: 'x-hub-signature-256',
    verify: (value, input, secret) => isEqual(value, `sha256=${hmac(secret, 'hex', input.body)}`),
  },
  gitea: { header: 'x-gitea-signature', verify: hexOfBody },
  forgejo: { header: 'x-forgejo-signature', verify: hexOfBody },
  shopify: {
    header: 'x-shopify-hmac-sha256',
    verify: (value, input, secret) => isEqual(value, hmac(secret, 'base64', input.body)),
  },
  gitlab: { header: 'x-gitlab-token', verify: (value, _input, secret) => isSameToken(value, secret) },
  generic_v2: {
    header: 'x-webhook-signature-v2',
    verify(value, input, secret) {
      const time = input.headers.get('x-webhook-timestamp') ?? '';
      return isFresh(time, input.nowMs) && isEqual(value, hmac(secret, 'hex', `${time}.`, input.body));
    },
  },
  generic_v1: { header: 'x-webhook-signature', verify: hexOfBody },
  bearer: {
    header: 'authorization',
    verify(value, _input, secret) {
      const token = /^bearer +(\S.*)$/i.exec(value)?.[1];
      return token !== undefined && isSameToken(token, secret);
    },
  },
} as const satisfies Record<string, Scheme>;

export type SchemeName = keyof typeof SCHEMES;

/** Names a route's `scheme` may have. */
export const SCHEME_NAMES = Object.keys(SCHEMES) as SchemeName[];

/** The scheme that proved a request; `none` on a route that is open to everyone on this machine. */
export type AcceptedScheme = SchemeName | 'none';

const IN_ORDER = Object.entries(SCHEMES) as [SchemeName, Scheme][];

/** A scheme by the name a user writes (`GitHub`, `generic-v2`, `standard-webhooks`); undefined when unknown. */
export function parseScheme(text: string): SchemeName | undefined {
  const name = text
    .trim()
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^standard_webhooks$/, 'standard')
    .replace(/^v([12])$/, 'generic_v$1');
  return Object.hasOwn(SCHEMES, name) ? (name as SchemeName) : undefined;
}

export type SignatureVerdict = { ok: true; scheme: SchemeName } | { ok: false; code: 'missing' | 'mismatch' };

/**
 * Checks a request against the secrets of its route. The first scheme whose header is present decides and there is no
 * fall-through, so a request cannot choose a weaker proof than the one it shows. `pinned` allows one scheme only.
 */
export function verifySignature(
  input: SignatureInput,
  secrets: readonly string[],
  pinned?: SchemeName,
): SignatureVerdict {
  for (const [name, scheme] of IN_ORDER) {
    if (pinned && name !== pinned) continue;
    const value = input.headers.get(scheme.header);
    if (value === null) continue;
    // Signatures and tokens are printable ASCII; anything else cannot be right and must not reach the decoders.
    const isClean = value !== '' && !/[^\x20-\x7e]/.test(value);
    const isValid = isClean && secrets.some((secret) => secret !== '' && scheme.verify(value, input, secret));
    return isValid ? { ok: true, scheme: name } : { ok: false, code: 'mismatch' };
  }
  return { ok: false, code: 'missing' };
}

/** The time, in seconds, that an accepted request of a scheme signed beside its body; undefined for schemes without one. */
export function signedTime(scheme: AcceptedScheme, headers: Headers): number | undefined {
  if (scheme === 'stripe') return Number(stripeTime(stripePairs(headers.get('stripe-signature') ?? '')));
  if (scheme === 'slack') return Number(headers.get('x-slack-request-timestamp'));
  if (scheme === 'generic_v2') return Number(headers.get('x-webhook-timestamp'));
  if (scheme === 'standard') return Number(headers.get('webhook-timestamp'));
  if (scheme === 'svix') return Number(headers.get('svix-timestamp'));
  return undefined;
}

/** The HMAC-SHA256 of the parts one after the other. */
export function hmac(key: string | Uint8Array, encoding: 'hex' | 'base64', ...parts: (string | Uint8Array)[]): string {
  const hasher = new Bun.CryptoHasher('sha256', key);
  for (const part of parts) hasher.update(part);
  return hasher.digest(encoding);
}

/** The signing key in a Standard Webhooks secret: the bytes after `whsec_`, or the text itself. */
export function standardKey(secret: string): string | Uint8Array {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
}

/**
 * An id without braces, quotes, `=` and `&`: an id of `{"title":"x` or `payload=x` would make what another scheme signed, a body
 * that holds `.<timestamp>.`, a signature of this one. The specification wants ids that no user controls.
 */
const STANDARD_ID = /^[\w.:@/+~|#$!*-]+$/;

function standard(prefix: 'svix' | 'webhook', value: string, input: SignatureInput, secret: string): boolean {
  const id = input.headers.get(`${prefix}-id`);
  const time = input.headers.get(`${prefix}-timestamp`) ?? '';
  const key = standardKey(secret);
  if (!id || !STANDARD_ID.test(id) || key.length === 0 || !isFresh(time, input.nowMs)) return false;
  const expected = `v1,${hmac(key, 'base64', `${id}.${time}.`, input.body)}`;
  return value.split(' ').some((part) => isEqual(part, expected));
}

function stripe(value: string, input: SignatureInput, secret: string): boolean {
  const pairs = stripePairs(value);
  const time = stripeTime(pairs);
  if (!isFresh(time, input.nowMs)) return false;
  const expected = hmac(secret, 'hex', `${time}.`, input.body);
  return pairs.some(([key, signature]) => key === 'v1' && isEqual(signature ?? '', expected));
}

function stripePairs(value: string): string[][] {
  return value.split(',').map((part) => part.trim().split('=', 2));
}

function stripeTime(pairs: string[][]): string {
  return pairs.find(([key]) => key === 't')?.[1] ?? '';
}

function hexOfBody(value: string, input: SignatureInput, secret: string): boolean {
  return isEqual(value, hmac(secret, 'hex', input.body));
}

function isFresh(timestamp: string, nowMs: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(Math.floor(nowMs / 1000) - Number(timestamp)) <= WEBHOOK_TOLERANCE_SECONDS;
}

/** Constant time for texts of one length; the length of a signature is no secret. */
function isEqual(actual: string, expected: string): boolean {
  return actual.length === expected.length && timingSafeEqual(Buffer.from(actual), Buffer.from(expected));
}

/** Compares digests, so that not even the length of a token leaks. */
function isSameToken(actual: string, expected: string): boolean {
  const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest();
  return timingSafeEqual(digest(actual), digest(expected));
}

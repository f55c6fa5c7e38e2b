import type { SchemeName } from './signatures.ts';

const HEX = /^[0-9a-fA-F]{64}$/;
const STANDARD = /(?:^| )v1,[A-Za-z0-9+/]{43}=(?: |$)/;

/** How a signature over the body looks; undefined for a scheme that shows its secret and needs no body. */
const SHAPES: Record<SchemeName, { header: string; shape: RegExp } | undefined> = {
  github: { header: 'x-hub-signature-256', shape: /^sha256=[0-9a-fA-F]{64}$/ },
  svix: { header: 'svix-signature', shape: STANDARD },
  standard: { header: 'webhook-signature', shape: STANDARD },
  stripe: { header: 'stripe-signature', shape: /v1=[0-9a-fA-F]{64}/ },
  slack: { header: 'x-slack-signature', shape: /^v0=[0-9a-fA-F]{64}$/ },
  linear: { header: 'linear-signature', shape: HEX },
  gitea: { header: 'x-gitea-signature', shape: HEX },
  forgejo: { header: 'x-forgejo-signature', shape: HEX },
  shopify: { header: 'x-shopify-hmac-sha256', shape: /^[A-Za-z0-9+/]{43}=$/ },
  generic_v2: { header: 'x-webhook-signature-v2', shape: HEX },
  generic_v1: { header: 'x-webhook-signature', shape: HEX },
  gitlab: undefined,
  bearer: undefined,
};
const ALL = Object.values(SHAPES);

/**
 * True when a request shows what could be a signature over its body. Otherwise the headers alone decide, and the body
 * need not be read: either they show the secret itself, or nothing that could be right.
 */
export function maySignBody(headers: Pick<Headers, 'get'>, pinned: SchemeName | undefined): boolean {
  for (const scheme of pinned ? [SHAPES[pinned]] : ALL) {
    const value = scheme && headers.get(scheme.header);
    if (value && scheme.shape.test(value)) return true;
  }
  return false;
}

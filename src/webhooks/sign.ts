import { hmac, type SchemeName, standardKey } from './signatures.ts';

/** The headers that sign a body as a sender of the scheme would; used by `agent webhook test`. */
export function signRequest(
  scheme: SchemeName,
  secret: string,
  request: { body: string; id: string; nowMs: number },
): Record<string, string> {
  const time = String(Math.floor(request.nowMs / 1000));
  const hex = () => hmac(secret, 'hex', request.body);
  const standard = () => `v1,${hmac(standardKey(secret), 'base64', `${request.id}.${time}.`, request.body)}`;
  switch (scheme) {
    case 'svix':
      return { 'svix-id': request.id, 'svix-timestamp': time, 'svix-signature': standard() };
    case 'standard':
      return { 'webhook-id': request.id, 'webhook-timestamp': time, 'webhook-signature': standard() };
    case 'stripe':
      return { 'stripe-signature': `t=${time},v1=${hmac(secret, 'hex', `${time}.`, request.body)}` };
    case 'slack':
      return {
        'x-slack-request-timestamp': time,
        'x-slack-signature': `v0=${hmac(secret, 'hex', `v0:${time}:`, request.body)}`,
      };
    case 'linear':
      return { 'linear-signature': hex() };
    case 'github':
      return { 'x-hub-signature-256': `sha256=${hex()}` };
    case 'gitea':
      return { 'x-gitea-signature': hex() };
    case 'forgejo':
      return { 'x-forgejo-signature': hex() };
    case 'shopify':
      return { 'x-shopify-hmac-sha256': hmac(secret, 'base64', request.body) };
    case 'gitlab':
      return { 'x-gitlab-token': secret };
    case 'generic_v2':
      return {
        'x-webhook-timestamp': time,
        'x-webhook-signature-v2': hmac(secret, 'hex', `${time}.`, request.body),
      };
    case 'generic_v1':
      return { 'x-webhook-signature': hex() };
    case 'bearer':
      return { authorization: `Bearer ${secret}` };
  }
}

import { createHmac } from 'node:crypto';
import { unescape as decode } from 'node:querystring';
import type { TargetSettings } from '../../config/sections/platforms.ts';
import { type DeliveryFailure, isFailure, refusal } from '../failure.ts';
import { statusFailure } from '../http.ts';
import type { DeliveryRequest } from '../model.ts';
import { addressSecrets } from '../redact.ts';
import { routeAddress } from '../route-address.ts';
import { missingOf, type Target, type TargetTools } from '../target.ts';

/**
 * A signed POST to a service of the user's (standardwebhooks.com): `webhook-id` is the delivery id, the same in every
 * attempt, so that the receiver can drop repetitions. Body: `{type: "message", timestamp, data: {content}}`. The host is
 * the owner's: in the configuration, in the route, or one that is listed.
 */
export function createWebhookTarget(
  settings: TargetSettings['outgoing_webhook'],
  { guardedHttp, clock }: TargetTools,
): Target {
  return {
    missing: missingOf({ OUTGOING_WEBHOOK_SECRET: settings.secret }),
    secrets: [settings.secret, settings.secret?.replace(/^whsec_/, ''), ...addressSecrets(settings.url)],
    prepare: async (request) => {
      const address = addressOf(settings, request);
      if (isFailure(address)) return address;
      const { url, authorization } = withoutCredentials(address);
      return {
        parts: [request.content],
        send: async (part) => {
          const now = clock.now();
          const seconds = Math.floor(now / 1000);
          const body = JSON.stringify({
            type: 'message',
            timestamp: new Date(now).toISOString(),
            data: { content: part.text },
          });
          const signature = createHmac('sha256', keyOf(settings.secret ?? ''))
            .update(`${part.id}.${seconds}.${body}`)
            .digest('base64');
          const answer = await guardedHttp({
            service: 'The webhook receiver',
            url,
            headers: {
              ...(authorization ? { authorization } : {}),
              'webhook-id': part.id,
              'webhook-timestamp': String(seconds),
              'webhook-signature': `v1,${signature}`,
            },
            body,
            signal: part.signal,
          });
          return isFailure(answer) ? answer : (statusFailure('The webhook receiver', answer) ?? { ok: true });
        },
      };
    },
  };
}

function addressOf(
  settings: TargetSettings['outgoing_webhook'],
  { extra, extraTemplate }: DeliveryRequest,
): string | DeliveryFailure {
  const key = ['url', 'chat_id'].find((name) => extra[name]?.trim());
  const rendered = (key ? extra[key] : settings.url)?.trim();
  if (!rendered)
    return refusal(
      'target_not_configured',
      "Delivery target 'webhook' has no destination: give url on the route or set OUTGOING_WEBHOOK_URL.",
    );
  const written = key ? extraTemplate?.[key] : rendered;
  const template = typeof written === 'string' ? written.trim() : undefined;
  return routeAddress({ target: 'webhook', template, rendered, allowedHosts: settings.allowed_hosts });
}

/** A login in the address goes into the header that it stands for; the guard takes no address with one. */
function withoutCredentials(address: string): { url: string; authorization?: string } {
  const url = new URL(address);
  if (!url.username && !url.password) return { url: address };
  // Unlike decodeURIComponent it takes a stray percent sign as it is.
  const login = `${decode(url.username)}:${decode(url.password)}`;
  url.username = '';
  url.password = '';
  return { url: url.href, authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret, 'utf8');
}

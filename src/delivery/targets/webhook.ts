import { createHmac } from 'node:crypto';
import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isFailure, refusal } from '../failure.ts';
import { isHttpUrl, statusFailure } from '../http.ts';
import { addressSecrets } from '../redact.ts';
import { missingOf, type Target, type TargetTools } from '../target.ts';

/**
 * A signed POST to a service of the user's (standardwebhooks.com): `webhook-id` is the delivery id, the same in every
 * attempt, so that the receiver can drop repetitions. Body: `{type: "message", timestamp, data: {content}}`.
 */
export function createWebhookTarget(
  settings: TargetSettings['outgoing_webhook'],
  { http, clock }: TargetTools,
): Target {
  return {
    missing: missingOf({ OUTGOING_WEBHOOK_SECRET: settings.secret }),
    secrets: [settings.secret, settings.secret?.replace(/^whsec_/, ''), ...addressSecrets(settings.url)],
    prepare: async ({ content, extra }) => {
      const url = (extra['url'] || extra['chat_id'] || settings.url)?.trim();
      if (!url)
        return refusal(
          'target_not_configured',
          "Delivery target 'webhook' has no destination: give url on the route or set OUTGOING_WEBHOOK_URL.",
        );
      if (!isHttpUrl(url))
        return refusal(
          'target_bad_destination',
          "The url of delivery target 'webhook' must be an http or https address.",
        );
      return {
        parts: [content],
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
          const answer = await http({
            service: 'The webhook receiver',
            url,
            headers: {
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

function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret, 'utf8');
}

import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isRecord } from '../../lib/json.ts';
import { whatsappDialect } from '../dialects.ts';
import { isFailure } from '../failure.ts';
import { badAnswer, bodyFailure, type HttpAnswer, joinUrl, statusFailure } from '../http.ts';
import { createMarkdownRenderer } from '../markdown.ts';
import type { DeliveryResult } from '../model.ts';
import { splitSlowly } from '../split.ts';
import { destinationOf, missingOf, type Target, type TargetTools } from '../target.ts';

const LIMIT = 4096;
/** Error codes of the Cloud API that mean "slower" and "later", whatever the HTTP status is. */
const RATE_LIMIT_CODES = [4, 80007, 130429, 131048, 131056, 133016];
const TRANSIENT_CODES = [1, 2, 131000, 131016, 131057];

/** Text messages of the WhatsApp Business Cloud API (developers.facebook.com/docs/whatsapp/cloud-api). */
export function createWhatsAppTarget(settings: TargetSettings['whatsapp'], { http }: TargetTools): Target {
  return {
    missing: missingOf({
      WHATSAPP_CLOUD_ACCESS_TOKEN: settings.access_token,
      WHATSAPP_CLOUD_PHONE_NUMBER_ID: settings.phone_number_id,
    }),
    secrets: [settings.access_token],
    prepare: async ({ content, extra }) => {
      const to = destinationOf(extra, {
        target: 'whatsapp',
        keys: ['chat_id', 'to'],
        fallback: settings.home_channel,
        fallbackName: 'WHATSAPP_CLOUD_HOME_CHANNEL',
        pattern: /^\+?[1-9]\d{4,14}$/,
        expected: 'a number with country code',
      });
      if (isFailure(to)) return to;
      const render = await createMarkdownRenderer(whatsappDialect);
      const sender = encodeURIComponent(settings.phone_number_id ?? '');
      return {
        parts: await splitSlowly(content, {
          limit: LIMIT,
          measure: (text) => Math.max(text.length, render(text).length),
        }),
        send: async (part) => {
          const answer = await http({
            service: 'WhatsApp',
            url: joinUrl(settings.base_url, `/${settings.api_version}/${sender}/messages`),
            headers: { authorization: `Bearer ${settings.access_token}` },
            body: {
              messaging_product: 'whatsapp',
              recipient_type: 'individual',
              to: to.replace(/^\+/, ''),
              type: 'text',
              text: { preview_url: false, body: render(part.text) },
            },
            signal: part.signal,
          });
          return isFailure(answer) ? answer : judge(answer);
        },
      };
    },
  };
}

function judge(answer: HttpAnswer): DeliveryResult {
  const error = answer.json?.['error'];
  if (isRecord(error)) {
    const code = Number(error['code']);
    const detail = `${typeof error['message'] === 'string' ? error['message'] : 'no reason given'} (code ${code})`;
    const rateLimited = RATE_LIMIT_CODES.includes(code) || answer.status === 429;
    const wait = answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs };
    const retryable = TRANSIENT_CODES.includes(code) || answer.status >= 500;
    return bodyFailure('WhatsApp', detail, { retryable, rateLimited, ...wait });
  }
  const failure = statusFailure('WhatsApp', answer);
  if (failure) return failure;
  return Array.isArray(answer.json?.['messages']) ? { ok: true } : badAnswer('WhatsApp', answer);
}

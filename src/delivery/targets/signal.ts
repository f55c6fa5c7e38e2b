import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isFailure } from '../failure.ts';
import { joinUrl, statusFailure } from '../http.ts';
import { splitText } from '../split.ts';
import { destinationOf, missingOf, type Target, type TargetTools } from '../target.ts';

/** Signal turns longer texts into an attachment. */
const LIMIT = 2000;

/** Messages through the signal-cli REST API (`POST /v2/send`). */
export function createSignalTarget(settings: TargetSettings['signal'], { http }: TargetTools): Target {
  return {
    missing: missingOf({ SIGNAL_HTTP_URL: settings.base_url, SIGNAL_ACCOUNT: settings.account }),
    secrets: [],
    prepare: async ({ content, extra }) => {
      const recipient = destinationOf(extra, {
        target: 'signal',
        keys: ['chat_id', 'recipient', 'to'],
        fallback: settings.home_channel,
        fallbackName: 'SIGNAL_HOME_CHANNEL',
        pattern: /^(?:\+\d{5,15}|group\.[\w+/=-]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|u:[\w.]{3,40})$/i,
        expected: 'a number in E.164 form, a group id (group.…), a UUID or a username (u:…)',
      });
      if (isFailure(recipient)) return recipient;
      return {
        parts: splitText(content, { limit: LIMIT }),
        send: async (part) => {
          const answer = await http({
            service: 'Signal',
            url: joinUrl(settings.base_url, '/v2/send'),
            body: { number: settings.account, recipients: [recipient], message: part.text, text_mode: 'normal' },
            signal: part.signal,
          });
          if (isFailure(answer)) return answer;
          const error = answer.json?.['error'];
          const detail = typeof error === 'string' ? error : undefined;
          // Older versions answer 400 to Signal's own rate limit.
          const rateLimited = answer.status === 400 && /rate limit/i.test(detail ?? '');
          return statusFailure('Signal', answer, { rateLimited, ...(detail ? { detail } : {}) }) ?? { ok: true };
        },
      };
    },
  };
}

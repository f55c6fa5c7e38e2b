import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isFailure } from '../failure.ts';
import { joinUrl, statusFailure } from '../http.ts';
import { splitText } from '../split.ts';
import { destinationOf, missingOf, type Target, type TargetTools } from '../target.ts';

const LIMIT = 1600;
/** Every part costs money. */
const MAX_PARTS = 20;

/** SMS through Twilio's Messages resource (twilio.com/docs/messaging/api/message-resource). */
export function createSmsTarget(settings: TargetSettings['sms'], { http }: TargetTools): Target {
  const sender = settings.phone_number?.trim() ?? '';
  const basic = Buffer.from(`${settings.account_sid}:${settings.auth_token}`).toString('base64');
  return {
    missing: missingOf({
      TWILIO_ACCOUNT_SID: settings.account_sid,
      TWILIO_AUTH_TOKEN: settings.auth_token,
      TWILIO_PHONE_NUMBER: settings.phone_number,
    }),
    secrets: [settings.auth_token, basic],
    prepare: async ({ content, extra }) => {
      const to = destinationOf(extra, {
        target: 'sms',
        keys: ['chat_id', 'to', 'phone_number'],
        fallback: settings.home_channel,
        fallbackName: 'SMS_HOME_CHANNEL',
        pattern: /^\+[1-9]\d{4,14}$/,
        expected: 'a number in E.164 form (+15551234567)',
      });
      if (isFailure(to)) return to;
      const account = encodeURIComponent(settings.account_sid ?? '');
      return {
        parts: splitText(content, { limit: LIMIT, maxParts: MAX_PARTS }),
        send: async (part) => {
          const answer = await http({
            service: 'Twilio',
            url: joinUrl(settings.base_url, `/2010-04-01/Accounts/${account}/Messages.json`),
            headers: { authorization: `Basic ${basic}` },
            body: new URLSearchParams({
              To: to,
              [sender.startsWith('MG') ? 'MessagingServiceSid' : 'From']: sender,
              Body: part.text,
            }),
            signal: part.signal,
          });
          if (isFailure(answer)) return answer;
          const { json } = answer;
          const detail =
            typeof json?.['message'] === 'string' ? `${json['message']} (code ${json['code']})` : undefined;
          return statusFailure('Twilio', answer, detail ? { detail } : {}) ?? { ok: true };
        },
      };
    },
  };
}

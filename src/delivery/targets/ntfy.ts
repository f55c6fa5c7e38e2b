import type { TargetSettings } from '../../config/sections/platforms.ts';
import { withoutControls } from '../../lib/escape-controls.ts';
import { isFailure } from '../failure.ts';
import { joinUrl, statusFailure } from '../http.ts';
import { shortId } from '../ids.ts';
import { splitText, utf8Length } from '../split.ts';
import { destinationOf, missingOf, type Target, type TargetTools } from '../target.ts';

/** Bytes of UTF-8; ntfy turns longer texts into an attachment. */
const LIMIT = 4096;

/** Push notifications of an ntfy topic (docs.ntfy.sh/publish, publish as JSON). */
export function createNtfyTarget(settings: TargetSettings['ntfy'], { http }: TargetTools): Target {
  const authorization = authorizationOf(settings.token);
  return {
    missing: missingOf({ NTFY_SERVER_URL: settings.base_url }),
    secrets: [settings.token, authorization?.replace(/^\w+ /, '')],
    prepare: async ({ content, extra }) => {
      const topic = destinationOf(extra, {
        target: 'ntfy',
        keys: ['chat_id', 'topic'],
        fallback: settings.home_channel,
        fallbackName: 'NTFY_TOPIC',
        pattern: /^[\w-]{1,64}$/,
        expected: 'a topic of letters, digits, _ and -',
      });
      if (isFailure(topic)) return topic;
      const title = withoutControls(extra['title'] ?? '');
      const priority = /^[1-5]$/.test(extra['priority'] ?? '') ? { priority: Number(extra['priority']) } : {};
      const tags = extra['tags']?.split(',').map((tag) => tag.trim());
      return {
        parts: splitText(content, { limit: LIMIT, measure: utf8Length }),
        send: async (part) => {
          const answer = await http({
            service: 'ntfy',
            url: joinUrl(settings.base_url, '/'),
            headers: authorization ? { authorization } : {},
            body: {
              topic,
              message: part.text,
              ...(title ? { title } : {}),
              ...priority,
              ...(tags ? { tags } : {}),
              ...(settings.markdown ? { markdown: true } : {}),
              // Newer servers replace the notification of the same sequence instead of showing it twice.
              sequence_id: shortId(part.id, 32),
            },
            signal: part.signal,
          });
          if (isFailure(answer)) return answer;
          const detail = answer.json?.['error'];
          return statusFailure('ntfy', answer, typeof detail === 'string' ? { detail } : {}) ?? { ok: true };
        },
      };
    },
  };
}

function authorizationOf(token: string | undefined): string | undefined {
  if (!token?.trim()) return undefined;
  return token.includes(':') ? `Basic ${Buffer.from(token).toString('base64')}` : `Bearer ${token}`;
}

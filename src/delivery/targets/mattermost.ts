import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isFailure, refusal } from '../failure.ts';
import { joinUrl, statusFailure } from '../http.ts';
import { splitText } from '../split.ts';
import { destinationOf, missingOf, type Target, type TargetTools } from '../target.ts';

const LIMIT = 16_383;

/** Posts of a Mattermost bot (developers.mattermost.com/api-documentation, create a post). */
export function createMattermostTarget(settings: TargetSettings['mattermost'], { http, clock }: TargetTools): Target {
  return {
    missing: missingOf({ MATTERMOST_URL: settings.base_url, MATTERMOST_TOKEN: settings.token }),
    secrets: [settings.token],
    prepare: async ({ content, extra }) => {
      const channel = destinationOf(extra, {
        target: 'mattermost',
        keys: ['chat_id', 'channel_id', 'channel'],
        fallback: settings.home_channel,
        fallbackName: 'MATTERMOST_HOME_CHANNEL',
        pattern: /^[a-z0-9]{5,40}$/i,
        expected: 'a channel id',
      });
      if (isFailure(channel)) return channel;
      const root = (extra['root_id'] || extra['thread_id'])?.trim();
      if (root && !/^[a-z0-9]{5,40}$/i.test(root))
        return refusal('target_bad_destination', "The root_id of delivery target 'mattermost' must be a post id.");
      return {
        parts: splitText(withoutMassMentions(content), { limit: LIMIT }),
        send: async (part) => {
          const answer = await http({
            service: 'Mattermost',
            url: joinUrl(settings.base_url, '/api/v4/posts'),
            headers: { authorization: `Bearer ${settings.token}` },
            body: { channel_id: channel, message: part.text, ...(root ? { root_id: root } : {}) },
            signal: part.signal,
          });
          if (isFailure(answer)) return answer;
          const detail = answer.json?.['message'];
          const reset = Number(answer.headers.get('x-ratelimit-reset'));
          const failure = statusFailure('Mattermost', answer, {
            ...(typeof detail === 'string' ? { detail } : {}),
            ...(answer.retryAfterMs === undefined && reset > 0 ? { retryAfterMs: resetMs(reset, clock.now()) } : {}),
          });
          return failure ?? { ok: true };
        },
      };
    },
  };
}

/** Mattermost gives seconds left, or in newer versions a time since the epoch. */
function resetMs(reset: number, now: number): number {
  return reset > 1e9 ? Math.max(0, reset * 1000 - now) : reset * 1000;
}

/** A zero-width space keeps text of an event from calling the whole channel. */
function withoutMassMentions(text: string): string {
  return text.replace(/@(?=(?:all|channel|here)\b)/gi, '@\u200b');
}

import type { TargetSettings } from '../../config/sections/platforms.ts';
import { withoutControls } from '../../lib/escape-controls.ts';
import { isFailure } from '../failure.ts';
import { joinUrl, statusFailure } from '../http.ts';
import { splitText } from '../split.ts';
import { destinationOf, missingOf, type Target, type TargetTools } from '../target.ts';

/** Push services cut longer texts. */
const LIMIT = 4096;

/** Calls of a Home Assistant notify service (developers.home-assistant.io/docs/api/rest, `POST /api/services/…`). */
export function createHomeAssistantTarget(settings: TargetSettings['homeassistant'], { http }: TargetTools): Target {
  return {
    missing: missingOf({ HASS_TOKEN: settings.token, HASS_URL: settings.base_url }),
    secrets: [settings.token],
    prepare: async ({ content, extra }) => {
      const service = destinationOf(extra, {
        target: 'homeassistant',
        keys: ['chat_id', 'service'],
        fallback: settings.home_channel || 'notify',
        fallbackName: 'HASS_NOTIFY_SERVICE',
        pattern: /^(?:notify\.)?[a-z0-9_]{1,100}$/,
        expected: 'the name of a notify service',
      });
      if (isFailure(service)) return service;
      const title = withoutControls(extra['title'] ?? '');
      return {
        parts: splitText(content, { limit: LIMIT }),
        send: async (part) => {
          const answer = await http({
            service: 'Home Assistant',
            url: joinUrl(settings.base_url, `/api/services/notify/${service.replace(/^notify\./, '')}`),
            headers: { authorization: `Bearer ${settings.token}` },
            body: { message: part.text, ...(title ? { title } : {}) },
            signal: part.signal,
          });
          if (isFailure(answer)) return answer;
          const detail = answer.json?.['message'];
          return statusFailure('Home Assistant', answer, typeof detail === 'string' ? { detail } : {}) ?? { ok: true };
        },
      };
    },
  };
}

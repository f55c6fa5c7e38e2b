import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isFailure } from '../failure.ts';
import { joinUrl, statusFailure } from '../http.ts';
import { createHtmlRenderer } from '../markdown.ts';
import { splitSlowly, utf8Length } from '../split.ts';
import { destinationOf, missingOf, type Target, type TargetTools } from '../target.ts';

/** An event may have 65,536 bytes in all; the text stands in it twice, and JSON escapes take some. */
const LIMIT = 48_000;

/** Messages in a Matrix room; the transaction id makes a repeated call harmless (Client-Server API, PUT …/send). */
export function createMatrixTarget(settings: TargetSettings['matrix'], { http }: TargetTools): Target {
  return {
    missing: missingOf({ MATRIX_HOMESERVER: settings.base_url, MATRIX_ACCESS_TOKEN: settings.access_token }),
    secrets: [settings.access_token],
    prepare: async ({ content, extra }) => {
      const room = destinationOf(extra, {
        target: 'matrix',
        keys: ['chat_id', 'room_id', 'room'],
        fallback: settings.home_channel,
        fallbackName: 'MATRIX_HOME_ROOM',
        pattern: /^![^\s/{}]{1,254}$/,
        expected: 'a room id (it begins with !)',
      });
      if (isFailure(room)) return room;
      const render = await createHtmlRenderer();
      const path = `/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message`;
      return {
        parts: await splitSlowly(content, {
          limit: LIMIT,
          measure: (text) => utf8Length(JSON.stringify(text)) + utf8Length(JSON.stringify(render(text))),
        }),
        send: async (part) => {
          const answer = await http({
            service: 'Matrix',
            method: 'PUT',
            url: joinUrl(settings.base_url, `${path}/${encodeURIComponent(part.id)}`),
            headers: { authorization: `Bearer ${settings.access_token}` },
            body: {
              msgtype: 'm.text',
              body: part.text,
              format: 'org.matrix.custom.html',
              formatted_body: render(part.text),
              // Intentional mentions: an empty object means that nobody is pinged, @room included.
              'm.mentions': {},
            },
            signal: part.signal,
          });
          if (isFailure(answer)) return answer;
          const { json } = answer;
          const wait = json?.['retry_after_ms'];
          const detail = [json?.['errcode'], json?.['error']].filter((text) => typeof text === 'string').join(' ');
          const failure = statusFailure('Matrix', answer, {
            ...(detail ? { detail } : {}),
            ...(typeof wait === 'number' && answer.retryAfterMs === undefined ? { retryAfterMs: wait } : {}),
          });
          return failure ?? { ok: true };
        },
      };
    },
  };
}

import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isRecord } from '../../lib/json.ts';
import { telegramDialect } from '../dialects.ts';
import { isFailure, refusal } from '../failure.ts';
import { badAnswer, bodyFailure, type HttpAnswer, joinUrl, statusFailure } from '../http.ts';
import { createMarkdownRenderer } from '../markdown.ts';
import type { DeliveryResult } from '../model.ts';
import { splitSlowly } from '../split.ts';
import { destinationOf, missingOf, type Part, type Target, type TargetTools } from '../target.ts';

/** UTF-16 code units; counted before parsing, so that the plain fallback fits too. */
const LIMIT = 4096;

/** Messages of a Telegram bot (core.telegram.org/bots/api#sendmessage). */
export function createTelegramTarget(settings: TargetSettings['telegram'], { http, log }: TargetTools): Target {
  return {
    missing: missingOf({ TELEGRAM_BOT_TOKEN: settings.bot_token }),
    secrets: [settings.bot_token],
    prepare: async ({ content, extra }) => {
      const chat = destinationOf(extra, {
        target: 'telegram',
        keys: ['chat_id'],
        fallback: settings.home_channel,
        fallbackName: 'TELEGRAM_HOME_CHANNEL',
        pattern: /^(?:-?\d{1,20}|@\w{4,})$/,
        expected: 'a numeric chat id or @channel',
      });
      if (isFailure(chat)) return chat;
      const ownThread = (extra['message_thread_id'] || extra['thread_id'])?.trim();
      // The topic of the home channel means nothing in another chat.
      const thread =
        ownThread ?? (chat === settings.home_channel?.trim() ? settings.home_thread_id?.trim() : undefined);
      if (thread && !/^\d{1,15}$/.test(thread))
        return refusal(
          'target_bad_destination',
          "The message_thread_id of delivery target 'telegram' must be a number.",
        );
      const render = await createMarkdownRenderer(telegramDialect);
      const call = (text: string, part: Part, parseMode?: string) =>
        http({
          service: 'Telegram',
          url: joinUrl(settings.base_url, `/bot${settings.bot_token}/sendMessage`),
          body: {
            chat_id: chat,
            text,
            // A preview is fetched by the platform: text of an event or a model must not make it.
            link_preview_options: { is_disabled: true },
            ...(parseMode ? { parse_mode: parseMode } : {}),
            ...(thread ? { message_thread_id: Number(thread) } : {}),
          },
          signal: part.signal,
        });
      return {
        parts: await splitSlowly(content, {
          limit: LIMIT,
          measure: (text) => Math.max(text.length, render(text).length),
        }),
        send: async (part) => {
          const formatted = await call(render(part.text), part, 'MarkdownV2');
          if (isFailure(formatted)) return formatted;
          if (!isParseError(formatted)) return judge(formatted);
          log.warn('Telegram could not parse the formatted text; sending it plain', { delivery: part.id });
          const plain = await call(part.text, part);
          return isFailure(plain) ? plain : judge(plain);
        },
      };
    },
  };
}

function isParseError({ json }: HttpAnswer): boolean {
  return json?.['ok'] === false && /can't parse entities/i.test(String(json['description']));
}

function judge(answer: HttpAnswer): DeliveryResult {
  const { json } = answer;
  const detail = typeof json?.['description'] === 'string' ? json['description'] : undefined;
  const parameters = isRecord(json?.['parameters']) ? json['parameters'] : {};
  const seconds = parameters['retry_after'];
  const hints = {
    ...(detail ? { detail } : {}),
    ...(typeof seconds === 'number' ? { retryAfterMs: seconds * 1000 } : {}),
  };
  const failure = statusFailure('Telegram', answer, hints);
  if (failure) return failure;
  if (json?.['ok'] === true) return { ok: true };
  if (json?.['ok'] !== false) return badAnswer('Telegram', answer);
  const code = Number(json['error_code']);
  return bodyFailure('Telegram', detail ?? `error ${code}`, {
    retryable: code >= 500,
    rateLimited: code === 429,
    ...(hints.retryAfterMs === undefined ? {} : { retryAfterMs: hints.retryAfterMs }),
  });
}

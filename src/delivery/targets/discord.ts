import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isFailure, refusal } from '../failure.ts';
import { joinUrl, statusFailure } from '../http.ts';
import { shortId } from '../ids.ts';
import { addressSecrets } from '../redact.ts';
import { splitText } from '../split.ts';
import { destinationOf, missingOf, type Target, type TargetTools } from '../target.ts';

const LIMIT = 2000;
/** The flag of a message without link previews, which Discord would fetch. */
const SUPPRESS_EMBEDS = 1 << 2;
const SNOWFLAKE = /^\d{5,25}$/;

/** Messages of a Discord bot, or of a channel webhook (discord.com/developers/docs/resources/message, …/webhook). */
export function createDiscordTarget(settings: TargetSettings['discord'], { http }: TargetTools): Target {
  const useBot = Boolean(settings.bot_token?.trim());
  return {
    missing: missingOf({ 'DISCORD_BOT_TOKEN or DISCORD_WEBHOOK_URL': settings.bot_token || settings.webhook_url }),
    secrets: [settings.bot_token, ...addressSecrets(settings.webhook_url)],
    prepare: async ({ content, extra }) => {
      const address = useBot ? channelOf(settings, extra) : webhookOf(settings, extra);
      if (isFailure(address)) return address;
      return {
        parts: splitText(content, { limit: LIMIT }),
        send: async (part) => {
          const answer = await http({
            service: 'Discord',
            url: address.url,
            headers: useBot ? { authorization: `Bot ${settings.bot_token}` } : {},
            body: {
              content: part.text,
              // Text of an event must not ping @everyone or roles.
              allowed_mentions: { parse: [] },
              flags: SUPPRESS_EMBEDS,
              // Within some minutes Discord answers a repeated nonce with the message it has already made.
              ...(useBot ? { nonce: shortId(part.id, 25), enforce_nonce: true } : {}),
            },
            signal: part.signal,
          });
          if (isFailure(answer)) return answer;
          const { json } = answer;
          const seconds = json?.['retry_after'];
          const failure = statusFailure('Discord', answer, {
            ...(typeof json?.['message'] === 'string' ? { detail: json['message'] } : {}),
            ...(typeof seconds === 'number' ? { retryAfterMs: Math.ceil(seconds * 1000) } : {}),
          });
          return failure ?? { ok: true };
        },
      };
    },
  };
}

function channelOf(settings: TargetSettings['discord'], extra: Record<string, string>) {
  // A thread is a channel of its own.
  const channel = destinationOf(extra, {
    target: 'discord',
    keys: ['thread_id', 'chat_id', 'channel_id', 'channel'],
    fallback: settings.home_channel,
    fallbackName: 'DISCORD_HOME_CHANNEL',
    pattern: SNOWFLAKE,
    expected: 'a numeric channel id',
  });
  return isFailure(channel) ? channel : { url: joinUrl(settings.base_url, `/api/v10/channels/${channel}/messages`) };
}

function webhookOf(settings: TargetSettings['discord'], extra: Record<string, string>) {
  const thread = extra['thread_id']?.trim();
  if (thread && !SNOWFLAKE.test(thread))
    return refusal('target_bad_destination', "The thread_id of delivery target 'discord' must be a numeric id.");
  if (!URL.canParse(settings.webhook_url ?? ''))
    return refusal('target_not_configured', 'DISCORD_WEBHOOK_URL is no URL.');
  const url = new URL(settings.webhook_url ?? '');
  url.searchParams.set('wait', 'true');
  if (thread) url.searchParams.set('thread_id', thread);
  return { url: url.href };
}

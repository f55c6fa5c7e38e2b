import type { TargetSettings } from '../../config/sections/platforms.ts';
import { slackDialect } from '../dialects.ts';
import { isFailure, refusal } from '../failure.ts';
import { badAnswer, bodyFailure, type HttpAnswer, joinUrl, statusFailure } from '../http.ts';
import { uuidOf } from '../ids.ts';
import { createMarkdownRenderer } from '../markdown.ts';
import type { DeliveryResult } from '../model.ts';
import { addressSecrets } from '../redact.ts';
import { splitSlowly } from '../split.ts';
import { destinationOf, missingOf, type Target, type TargetTools } from '../target.ts';

/** Slack advises 4,000 characters; far longer texts are cut by it. */
const SLACK_LIMIT = 4000;
/** A preview is fetched by Slack: text of an event or a model must not make it. */
export const NO_PREVIEW = { unfurl_links: false, unfurl_media: false };
const TRANSIENT =
  /^(?:internal_error|fatal_error|service_unavailable|request_timeout|team_added_to_org|accesslimited|message_limit_exceeded)$/;

/** Messages of a Slack app by chat.postMessage, or of an incoming webhook (docs.slack.dev). */
export function createSlackTarget(settings: TargetSettings['slack'], { http }: TargetTools): Target {
  const useBot = Boolean(settings.bot_token?.trim());
  return {
    missing: missingOf({ 'SLACK_BOT_TOKEN or SLACK_WEBHOOK_URL': settings.bot_token || settings.webhook_url }),
    secrets: [settings.bot_token, ...addressSecrets(settings.webhook_url)],
    prepare: async ({ content, extra }) => {
      const channel = useBot ? channelOf(settings, extra) : '';
      if (isFailure(channel)) return channel;
      const thread = (extra['thread_ts'] || extra['thread_id'])?.trim();
      if (thread && !/^\d{1,12}\.\d{1,9}$/.test(thread))
        return refusal('target_bad_destination', "The thread_ts of delivery target 'slack' must be a timestamp.");
      const { parts, render } = await slackParts(content);
      return {
        parts,
        send: async (part) => {
          const message = {
            text: render(part.text),
            mrkdwn: true,
            ...NO_PREVIEW,
            ...(thread ? { thread_ts: thread } : {}),
          };
          const answer = await http({
            service: 'Slack',
            url: useBot ? joinUrl(settings.base_url, '/api/chat.postMessage') : (settings.webhook_url ?? ''),
            headers: useBot ? { authorization: `Bearer ${settings.bot_token}` } : {},
            body: useBot ? { ...message, channel, client_msg_id: uuidOf(part.id) } : message,
            signal: part.signal,
          });
          if (isFailure(answer)) return answer;
          return useBot ? judgeApi(answer) : judgeSlackWebhook(answer);
        },
      };
    },
  };
}

/** Splits Markdown so that each part fits after it is rendered as mrkdwn. */
export async function slackParts(content: string) {
  const render = await createMarkdownRenderer(slackDialect);
  const measure = (text: string) => Math.max(text.length, render(text).length);
  return { parts: await splitSlowly(content, { limit: SLACK_LIMIT, measure }), render };
}

/** Reads the answer of an incoming webhook or a response_url: `ok`, or a one-word reason. */
export function judgeSlackWebhook(answer: HttpAnswer): DeliveryResult {
  const word = /^[a-z_]{1,60}$/.exec(answer.text.trim())?.[0];
  const failure = statusFailure('Slack', answer, word ? { detail: word } : {});
  if (failure) return failure;
  if (answer.json?.['ok'] === false) return judgeApi(answer);
  return answer.text.trim() === 'ok' || answer.text.trim() === '' || answer.json?.['ok'] === true
    ? { ok: true }
    : badAnswer('Slack', answer);
}

function judgeApi(answer: HttpAnswer): DeliveryResult {
  const { json } = answer;
  const error = typeof json?.['error'] === 'string' ? json['error'] : undefined;
  const failure = statusFailure('Slack', answer, error ? { detail: error } : {});
  if (failure) return failure;
  if (json?.['ok'] === true) return { ok: true };
  if (json?.['ok'] !== false) return badAnswer('Slack', answer);
  return bodyFailure('Slack', error ?? 'no reason given', {
    retryable: TRANSIENT.test(error ?? ''),
    rateLimited: error === 'ratelimited' || error === 'rate_limited',
    ...(answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }),
  });
}

function channelOf(settings: TargetSettings['slack'], extra: Record<string, string>) {
  return destinationOf(extra, {
    target: 'slack',
    keys: ['chat_id', 'channel', 'channel_id'],
    fallback: settings.home_channel,
    fallbackName: 'SLACK_HOME_CHANNEL',
    pattern: /^#?[\p{L}\p{N}._-]{1,80}$/u,
    expected: 'a channel id or #name',
  });
}

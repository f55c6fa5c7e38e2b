import { createHmac } from 'node:crypto';
import type { TargetSettings } from '../../config/sections/platforms.ts';
import { withoutControls } from '../../lib/escape-controls.ts';
import { isFailure, refusal } from '../failure.ts';
import { badAnswer, bodyFailure, statusFailure } from '../http.ts';
import { addressSecrets } from '../redact.ts';
import { splitText, utf8Length } from '../split.ts';
import { missingOf, type Target, type TargetTools } from '../target.ts';
import { titleOf } from '../title.ts';

/** A request may have 20,000 bytes. */
const LIMIT = 18_000;
const RATE_LIMIT_CODES = [130101, 302033, 410100, 660026, 90018];
const RATE_WINDOW_MS = 60_000;

/** Markdown messages of a DingTalk group robot, signed when it has a secret (open.dingtalk.com, custom robot). */
export function createDingTalkTarget(settings: TargetSettings['dingtalk'], { http, clock }: TargetTools): Target {
  return {
    missing: missingOf({ DINGTALK_WEBHOOK_URL: settings.webhook_url }),
    secrets: [settings.secret, ...addressSecrets(settings.webhook_url)],
    prepare: async ({ content, extra }) => {
      if (!URL.canParse(settings.webhook_url ?? ''))
        return refusal('target_not_configured', 'DINGTALK_WEBHOOK_URL is no URL.');
      const title = withoutControls(extra['title'] ?? '') || titleOf(content);
      return {
        parts: splitText(content, { limit: LIMIT, measure: (text) => utf8Length(JSON.stringify(text)) }),
        send: async (part) => {
          const answer = await http({
            service: 'DingTalk',
            url: signedUrl(settings.webhook_url ?? '', settings.secret, clock.now()),
            body: { msgtype: 'markdown', markdown: { title, text: part.text } },
            signal: part.signal,
          });
          if (isFailure(answer)) return answer;
          const failure = statusFailure('DingTalk', answer);
          if (failure) return failure;
          const code = answer.json?.['errcode'];
          if (typeof code !== 'number') return badAnswer('DingTalk', answer);
          if (code === 0) return { ok: true };
          const rateLimited = RATE_LIMIT_CODES.includes(code);
          return bodyFailure('DingTalk', `${answer.json?.['errmsg'] ?? ''} (errcode ${code})`, {
            retryable: code === -1,
            rateLimited,
            // 20 messages a minute are allowed; more blocks the robot for longer.
            ...(rateLimited ? { retryAfterMs: RATE_WINDOW_MS } : {}),
          });
        },
      };
    },
  };
}

/** The signature goes into the query: HMAC-SHA256 over `<milliseconds>\n<secret>` with the secret as key, base64. */
function signedUrl(webhookUrl: string, secret: string | undefined, now: number): string {
  if (!secret) return webhookUrl;
  const url = new URL(webhookUrl);
  url.searchParams.set('timestamp', String(now));
  url.searchParams.set('sign', createHmac('sha256', secret).update(`${now}\n${secret}`).digest('base64'));
  return url.href;
}

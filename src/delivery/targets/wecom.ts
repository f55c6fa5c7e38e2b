import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isFailure } from '../failure.ts';
import { badAnswer, bodyFailure, statusFailure } from '../http.ts';
import { addressSecrets } from '../redact.ts';
import { splitText, utf8Length } from '../split.ts';
import { missingOf, type Target, type TargetTools } from '../target.ts';

/** Bytes of UTF-8. */
const LIMIT = 2048;
const RATE_LIMIT_CODE = 45009;
const RATE_WINDOW_MS = 60_000;

/** Text messages of a WeCom group robot (developer.work.weixin.qq.com/document/path/91770). */
export function createWeComTarget(settings: TargetSettings['wecom'], { http }: TargetTools): Target {
  return {
    missing: missingOf({ WECOM_WEBHOOK_URL: settings.webhook_url }),
    secrets: addressSecrets(settings.webhook_url),
    prepare: async ({ content }) => ({
      parts: splitText(content, { limit: LIMIT, measure: utf8Length }),
      send: async (part) => {
        const answer = await http({
          service: 'WeCom',
          url: settings.webhook_url ?? '',
          body: { msgtype: 'text', text: { content: part.text } },
          signal: part.signal,
        });
        if (isFailure(answer)) return answer;
        const failure = statusFailure('WeCom', answer);
        if (failure) return failure;
        const code = answer.json?.['errcode'];
        if (typeof code !== 'number') return badAnswer('WeCom', answer);
        if (code === 0) return { ok: true };
        const rateLimited = code === RATE_LIMIT_CODE;
        return bodyFailure('WeCom', `${answer.json?.['errmsg'] ?? ''} (errcode ${code})`, {
          retryable: code === -1,
          rateLimited,
          // 20 messages a minute are allowed.
          ...(rateLimited ? { retryAfterMs: RATE_WINDOW_MS } : {}),
        });
      },
    }),
  };
}

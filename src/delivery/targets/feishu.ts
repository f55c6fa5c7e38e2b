import { createHmac } from 'node:crypto';
import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isFailure } from '../failure.ts';
import { badAnswer, bodyFailure, statusFailure } from '../http.ts';
import { addressSecrets } from '../redact.ts';
import { splitText, utf8Length } from '../split.ts';
import { missingOf, type Target, type TargetTools } from '../target.ts';

/** A request may have 20 KB. */
const LIMIT = 18_000;
const RATE_LIMIT_CODES = [11232, 11233, 11247, 99991400];

/** Text messages of a Feishu or Lark group bot, signed when it has a secret (open.feishu.cn, custom bot). */
export function createFeishuTarget(settings: TargetSettings['feishu'], { http, clock }: TargetTools): Target {
  return {
    missing: missingOf({ FEISHU_WEBHOOK_URL: settings.webhook_url }),
    secrets: [settings.secret, ...addressSecrets(settings.webhook_url)],
    prepare: async ({ content }) => ({
      parts: splitText(withoutMentions(content), {
        limit: LIMIT,
        measure: (text) => utf8Length(JSON.stringify(text)),
      }),
      send: async (part) => {
        const answer = await http({
          service: 'Feishu',
          url: settings.webhook_url ?? '',
          body: { ...signature(settings.secret, clock.now()), msg_type: 'text', content: { text: part.text } },
          signal: part.signal,
        });
        if (isFailure(answer)) return answer;
        const code = answer.json?.['code'] ?? answer.json?.['StatusCode'];
        const detail = `${answer.json?.['msg'] ?? answer.json?.['StatusMessage'] ?? ''} (code ${code})`;
        const rateLimited = RATE_LIMIT_CODES.includes(Number(code));
        const failure = statusFailure('Feishu', answer, typeof code === 'number' ? { detail, rateLimited } : {});
        if (failure) return failure;
        if (typeof code !== 'number') return badAnswer('Feishu', answer);
        return code === 0 ? { ok: true } : bodyFailure('Feishu', detail, { retryable: false });
      },
    }),
  };
}

/** Feishu signs the other way round: the key is `<seconds>\n<secret>`, the message is empty. */
function signature(secret: string | undefined, now: number): { timestamp?: string; sign?: string } {
  if (!secret) return {};
  const timestamp = String(Math.floor(now / 1000));
  return { timestamp, sign: createHmac('sha256', `${timestamp}\n${secret}`).digest('base64') };
}

/** `<at user_id="all">` in the text of an event must not call the whole group. */
function withoutMentions(text: string): string {
  return text.replace(/<(?=\/?at\b)/gi, '<\u200b');
}

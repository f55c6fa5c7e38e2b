import type { TargetSettings } from '../config/sections/platforms.ts';
import type { GuardedStreamFetch } from '../crawl/guarded-stream-fetch.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { isFailure, notConfigured, refusal } from './failure.ts';
import { createHttpSender } from './http.ts';
import { safeId } from './ids.ts';
import type { Deliverer, DeliveryRequest, DeliveryResult } from './model.ts';
import { redactResult } from './redact.ts';
import type { Target } from './target.ts';
import { createDingTalkTarget } from './targets/dingtalk.ts';
import { createDiscordTarget } from './targets/discord.ts';
import { createEmailTarget } from './targets/email.ts';
import { createFeishuTarget } from './targets/feishu.ts';
import { createGitHubCommentTarget } from './targets/github-comment.ts';
import { createGitLabCommentTarget } from './targets/gitlab-comment.ts';
import { createHomeAssistantTarget } from './targets/homeassistant.ts';
import { createLogTarget } from './targets/log.ts';
import { createMatrixTarget } from './targets/matrix.ts';
import { createMattermostTarget } from './targets/mattermost.ts';
import { createNtfyTarget } from './targets/ntfy.ts';
import { createOriginTarget } from './targets/origin.ts';
import { createSignalTarget } from './targets/signal.ts';
import { createSlackTarget } from './targets/slack.ts';
import { createSmsTarget } from './targets/sms.ts';
import { createTelegramTarget } from './targets/telegram.ts';
import { createWebhookTarget } from './targets/webhook.ts';
import { createWeComTarget } from './targets/wecom.ts';
import { createWhatsAppTarget } from './targets/whatsapp.ts';

export interface DelivererOptions {
  config: TargetSettings;
  /** For the services of the configuration. */
  fetch: typeof fetch;
  /** For addresses that routes name; private ones are allowed, for the operator wrote them. */
  guardedFetch: GuardedStreamFetch;
  clock: Clock;
  log: Logger;
  /** Longest time of one call; default 10 s. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;

/** Sends messages to every known target; does no I/O before the first delivery. */
export function createDeliverer(options: DelivererOptions): Deliverer {
  const targets = createTargets(options);
  return {
    targets: () =>
      Object.entries(targets).map(([name, { missing }]) => ({
        name,
        configured: missing.length === 0,
        missing: [...missing],
      })),
    async deliver(request) {
      request.signal.throwIfAborted();
      const target = Object.hasOwn(targets, request.target) ? targets[request.target] : undefined;
      if (!target)
        return refusal(
          'target_unknown',
          `Unknown delivery target '${request.target}'; known are ${Object.keys(targets).join(', ')}.`,
        );
      if (target.missing.length > 0) return notConfigured(request.target, target.missing);
      if (request.content.trim() === '') return refusal('empty_message', 'There is no text to deliver.');
      try {
        return redactResult(await sendParts(target, request), target.secrets, request.content);
      } catch (error) {
        request.signal.throwIfAborted();
        options.log.error('Delivery failed unexpectedly', {
          target: request.target,
          delivery: request.deliveryId,
          error: error instanceof Error ? error.name : 'unknown',
        });
        return refusal('delivery_failed', `Delivery target '${request.target}' failed unexpectedly.`);
      }
    },
  };
}

async function sendParts(target: Target, request: DeliveryRequest): Promise<DeliveryResult> {
  const prepared = await target.prepare(request);
  if (isFailure(prepared)) return prepared;
  const { parts } = prepared;
  const id = safeId(request.deliveryId);
  for (let index = request.progress ?? 0; index < parts.length; index++) {
    request.signal.throwIfAborted();
    const text = parts[index] ?? '';
    const partId = index === 0 ? id : `${id}-${index + 1}`;
    const result = await prepared.send({ text, index, id: partId, signal: request.signal });
    if (!result.ok) return index === 0 ? result : { ...result, progress: index };
    if (index + 1 < parts.length) await request.onProgress?.(index + 1);
  }
  return { ok: true };
}

function createTargets(options: DelivererOptions): Record<string, Target> {
  const { config, clock, log } = options;
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const limits = { clock, timeoutMs, maxBytes: MAX_ANSWER_BYTES };
  const http = createHttpSender({ fetch: options.fetch, ...limits });
  const guardedHttp = createHttpSender({ fetch: options.guardedFetch, ...limits });
  const tools = { http, guardedHttp, clock, log };
  const hosts = {
    log: createLogTarget(tools),
    github_comment: createGitHubCommentTarget(config.github, tools),
    gitlab_comment: createGitLabCommentTarget(config.gitlab, tools),
  };
  return {
    ...hosts,
    origin: createOriginTarget(hosts, config.slack, tools),
    telegram: createTelegramTarget(config.telegram, tools),
    discord: createDiscordTarget(config.discord, tools),
    slack: createSlackTarget(config.slack, tools),
    mattermost: createMattermostTarget(config.mattermost, tools),
    matrix: createMatrixTarget(config.matrix, tools),
    signal: createSignalTarget(config.signal, tools),
    sms: createSmsTarget(config.sms, tools),
    whatsapp: createWhatsAppTarget(config.whatsapp, tools),
    email: createEmailTarget(config.email, { timeoutMs }),
    homeassistant: createHomeAssistantTarget(config.homeassistant, tools),
    dingtalk: createDingTalkTarget(config.dingtalk, tools),
    feishu: createFeishuTarget(config.feishu, tools),
    wecom: createWeComTarget(config.wecom, tools),
    ntfy: createNtfyTarget(config.ntfy, tools),
    webhook: createWebhookTarget(config.outgoing_webhook, tools),
  };
}

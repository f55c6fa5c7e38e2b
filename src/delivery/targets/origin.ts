import type { TargetSettings } from '../../config/sections/platforms.ts';
import { type DeliveryFailure, isFailure, notConfigured, refusal } from '../failure.ts';
import type { DeliveryRequest, OriginInfo } from '../model.ts';
import type { Prepared, Target, TargetTools } from '../target.ts';
import { judgeSlackWebhook, NO_PREVIEW, slackParts } from './slack.ts';

/** The targets `origin` hands on to. */
export interface OriginTargets {
  github_comment: Target;
  gitlab_comment: Target;
  log: Target;
}

/** Answers where the event came from: a comment on its issue, a note, a Slack response, else the log with a warning. */
export function createOriginTarget(
  targets: OriginTargets,
  settings: TargetSettings['slack'],
  tools: TargetTools,
): Target {
  const handOn = (name: keyof OriginTargets, request: DeliveryRequest, extra: Record<string, string>) =>
    targets[name].missing.length > 0
      ? Promise.resolve(notConfigured(name, targets[name].missing))
      : targets[name].prepare({ ...request, extra });
  return {
    missing: [],
    secrets: Object.values(targets).flatMap((target: Target) => target.secrets),
    prepare: async (request) => {
      const { origin } = request;
      switch (origin?.source) {
        case 'github':
          return handOn('github_comment', request, { repo: origin.repo, issue_number: String(origin.number) });
        case 'gitlab':
          return handOn('gitlab_comment', request, gitlabExtra(origin));
        case 'slack':
          return slackResponse(request, origin.responseUrl, settings, tools);
        default:
          tools.log.warn("The event does not say where it came from; 'origin' writes to the log", {
            delivery: request.deliveryId,
          });
          return handOn('log', request, {});
      }
    },
  };
}

function gitlabExtra(origin: Extract<OriginInfo, { source: 'gitlab' }>): Record<string, string> {
  const key = origin.noteable === 'merge_request' ? 'merge_request_iid' : 'issue_iid';
  return { project: origin.project, [key]: String(origin.iid) };
}

/** The address comes out of the payload, so only Slack's own host is called. It takes five answers in half an hour. */
async function slackResponse(
  request: DeliveryRequest,
  responseUrl: string,
  settings: TargetSettings['slack'],
  { guardedHttp }: TargetTools,
): Promise<Prepared | DeliveryFailure> {
  const url = URL.parse(responseUrl);
  const isSlack = url !== null && url.origin === URL.parse(settings.response_base_url)?.origin;
  if (!isSlack || url.username || url.password)
    return refusal('target_bad_destination', 'The response_url of the event is not an address of Slack.');
  const { parts, render } = await slackParts(request.content);
  return {
    parts,
    send: async (part) => {
      const answer = await guardedHttp({
        service: 'Slack',
        url: responseUrl,
        body: { text: render(part.text), ...NO_PREVIEW, response_type: 'in_channel', replace_original: false },
        signal: part.signal,
      });
      return isFailure(answer) ? answer : judgeSlackWebhook(answer);
    },
  };
}

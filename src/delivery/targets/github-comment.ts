import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isFailure, refusal } from '../failure.ts';
import { joinUrl, statusFailure } from '../http.ts';
import type { DeliveryRequest } from '../model.ts';
import { splitText } from '../split.ts';
import { missingOf, type Target, type TargetTools } from '../target.ts';

const REPO = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})\/(?!\.{1,2}$)[\w.-]{1,100}$/;
const LIMIT = 65_536;

/** Comments on a GitHub issue or pull request (docs.github.com/rest/issues/comments, create an issue comment). */
export function createGitHubCommentTarget(settings: TargetSettings['github'], { http, clock }: TargetTools): Target {
  return {
    missing: missingOf({ GITHUB_TOKEN: settings.token }),
    secrets: [settings.token],
    prepare: async (request) => {
      const issue = issueOf(request);
      if (isFailure(issue)) return issue;
      const url = joinUrl(settings.base_url, `/repos/${issue.repo}/issues/${issue.number}/comments`);
      return {
        parts: splitText(request.content, { limit: LIMIT }),
        send: async (part) => {
          const answer = await http({
            service: 'GitHub',
            url,
            headers: {
              authorization: `Bearer ${settings.token}`,
              accept: 'application/vnd.github+json',
              'x-github-api-version': '2022-11-28',
            },
            body: { body: part.text },
            signal: part.signal,
          });
          if (isFailure(answer)) return answer;
          const detail = answer.json?.['message'];
          // Both rate limits may come as 403: the primary one with nothing remaining, the secondary one with Retry-After.
          const exhausted = answer.headers.get('x-ratelimit-remaining') === '0';
          const reset = Number(answer.headers.get('x-ratelimit-reset'));
          const rateLimited = answer.status === 403 && (exhausted || answer.retryAfterMs !== undefined);
          const failure = statusFailure('GitHub', answer, {
            rateLimited,
            ...(typeof detail === 'string' ? { detail } : {}),
            ...(exhausted && answer.retryAfterMs === undefined && reset > 0
              ? { retryAfterMs: Math.max(0, reset * 1000 - clock.now()) }
              : {}),
          });
          return failure ?? { ok: true };
        },
      };
    },
  };
}

function issueOf({ extra }: DeliveryRequest) {
  const repo = extra['repo']?.trim() ?? '';
  if (!REPO.test(repo))
    return refusal('target_bad_destination', "The repo of delivery target 'github_comment' must be owner/name.");
  const number = (extra['pr_number'] || extra['issue_number'])?.trim() ?? '';
  if (!/^[1-9]\d{0,14}$/.test(number))
    return refusal(
      'target_bad_destination',
      "The pr_number or issue_number of delivery target 'github_comment' must be a positive integer.",
    );
  return { repo, number };
}

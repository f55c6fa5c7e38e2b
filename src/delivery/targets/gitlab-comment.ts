import type { TargetSettings } from '../../config/sections/platforms.ts';
import { isFailure, refusal } from '../failure.ts';
import { joinUrl, statusFailure } from '../http.ts';
import type { DeliveryRequest } from '../model.ts';
import { splitText } from '../split.ts';
import { missingOf, type Target, type TargetTools } from '../target.ts';

const LIMIT = 1_000_000;
const MERGE_REQUEST_KEYS = ['merge_request_iid', 'mr_iid', 'merge_request'];
const ISSUE_KEYS = ['issue_iid', 'issue'];

/** Notes on a GitLab merge request or issue (docs.gitlab.com/api/notes). */
export function createGitLabCommentTarget(settings: TargetSettings['gitlab'], { http }: TargetTools): Target {
  return {
    missing: missingOf({ GITLAB_TOKEN: settings.token }),
    secrets: [settings.token],
    prepare: async (request) => {
      const path = notesPath(request);
      if (isFailure(path)) return path;
      const url = joinUrl(settings.base_url, `/api/v4${path.notes}`);
      return {
        parts: splitText(withoutQuickActions(request.content), { limit: LIMIT }),
        send: async (part) => {
          const answer = await http({
            service: 'GitLab',
            url,
            headers: { 'private-token': settings.token ?? '' },
            body: { body: part.text },
            signal: part.signal,
          });
          if (isFailure(answer)) return answer;
          const detail = answer.json?.['message'] ?? answer.json?.['error'];
          return statusFailure('GitLab', answer, typeof detail === 'string' ? { detail } : {}) ?? { ok: true };
        },
      };
    },
  };
}

/** A line such as `/close` or `/merge` is a command to GitLab; text of an event or a model must not give commands. */
function withoutQuickActions(text: string): string {
  return text.replace(/^([^\S\r\n\u2028\u2029]*)\/(?=[a-z])/gim, '$1\\/');
}

function notesPath({ extra }: DeliveryRequest) {
  const project = (extra['project'] || extra['project_id'] || extra['repo'])?.trim() ?? '';
  if (!/^(?:[1-9]\d{0,14}|[\w.-]+(?:\/[\w.-]+)+)$/.test(project))
    return refusal(
      'target_bad_destination',
      "The project of delivery target 'gitlab_comment' must be a project id or group/name.",
    );
  const mergeRequest = MERGE_REQUEST_KEYS.map((key) => extra[key]?.trim()).find(Boolean);
  const iid = mergeRequest ?? ISSUE_KEYS.map((key) => extra[key]?.trim()).find(Boolean) ?? '';
  if (!/^[1-9]\d{0,14}$/.test(iid))
    return refusal(
      'target_bad_destination',
      "The merge_request_iid or issue_iid of delivery target 'gitlab_comment' must be a positive integer.",
    );
  const kind = mergeRequest ? 'merge_requests' : 'issues';
  return { notes: `/projects/${encodeURIComponent(project)}/${kind}/${iid}/notes` };
}

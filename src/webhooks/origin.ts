import type { OriginInfo } from '../delivery/model.ts';
import { readPath } from './json-path.ts';
import type { AcceptedScheme } from './signatures.ts';

/** Where an answer to `origin` goes, read from the payload; undefined when the sender is none of the known ones. */
export function readOrigin(
  headers: Headers,
  payload: Record<string, unknown>,
  scheme: AcceptedScheme,
): OriginInfo | undefined {
  // Gitea and Forgejo sign and name their events by GitHub's headers too; their issues are not on GitHub.
  const isGithub = headers.has('x-github-event') && !headers.has('x-gitea-event');
  if (isGithub && (scheme === 'github' || scheme === 'none')) return githubOrigin(payload);
  if (headers.has('x-gitlab-event') && (scheme === 'gitlab' || scheme === 'none')) return gitlabOrigin(payload);
  // The address is a place we would POST to: believed only when Slack itself signed it.
  if (scheme === 'slack') {
    const responseUrl = readPath(payload, ['response_url']);
    if (typeof responseUrl === 'string' && responseUrl) return { source: 'slack', responseUrl };
  }
  return undefined;
}

function githubOrigin(payload: unknown): OriginInfo | undefined {
  const repo = readPath(payload, ['repository', 'full_name']);
  const number =
    readPath(payload, ['issue', 'number']) ??
    readPath(payload, ['pull_request', 'number']) ??
    readPath(payload, ['number']);
  if (typeof repo !== 'string' || !Number.isSafeInteger(number)) return undefined;
  return { source: 'github', repo, number: number as number };
}

function gitlabOrigin(payload: unknown): OriginInfo | undefined {
  const project = readPath(payload, ['project', 'id']) ?? readPath(payload, ['project', 'path_with_namespace']);
  if (typeof project !== 'string' && typeof project !== 'number') return undefined;
  const kind = readPath(payload, ['object_kind']);
  const own = readPath(payload, ['object_attributes', 'iid']);
  const found = (noteable: 'merge_request' | 'issue', iid: unknown): OriginInfo | undefined =>
    Number.isSafeInteger(iid)
      ? { source: 'gitlab', project: String(project), noteable, iid: iid as number }
      : undefined;
  if (kind === 'merge_request') return found('merge_request', own);
  if (kind === 'issue' || kind === 'work_item') return found('issue', own);
  // Notes and pipelines carry the thing they belong to beside them.
  return (
    found('merge_request', readPath(payload, ['merge_request', 'iid'])) ??
    found('issue', readPath(payload, ['issue', 'iid']))
  );
}

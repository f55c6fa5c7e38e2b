import { toAppError } from '../errors.ts';
import type { RunOutput } from '../runs/model.ts';
import { Type } from '../schema.ts';
import { recall } from './journal.ts';
import type { RunScope } from './run-scope.ts';
import { createWebSearchTool, passagesAsSources, retrievePassages } from './search-tools.ts';
import { RetrievedSource } from './tool.ts';

const BACKGROUND = Type.Array(RetrievedSource);

/** One search on the topic for the planner: in knowledge and on the web. Finding nothing, or failing, is no error. */
export async function* investigate(scope: RunScope): AsyncGenerator<RunOutput, RetrievedSource[]> {
  const { context, deps, input } = scope;
  const key = 'background';
  const known = recall(context.journal, key, BACKGROUND);
  if (known) {
    scope.egress.addSources(known);
    return known;
  }
  if (!input.backgroundInvestigation) return [];
  const searches: Promise<RetrievedSource[]>[] = [];
  if (usesKnowledge(scope)) {
    searches.push(
      retrievePassages(scope, scope.question, context.signal).then((found) => passagesAsSources(scope, found)),
    );
  }
  if (input.webSearch) {
    const tool = createWebSearchTool(scope);
    searches.push(tool.run({ query: scope.question }, context.signal).then((outcome) => outcome.sources ?? []));
  }
  const settled = await Promise.allSettled(searches);
  context.signal.throwIfAborted();
  const found = settled.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  for (const result of settled) {
    if (result.status === 'rejected') {
      deps.log.info('background search failed', { run_id: context.runId, code: toAppError(result.reason).code });
    }
  }
  scope.egress.addSources(found);
  yield { journal: [{ key, value: found }] };
  return found;
}

/** True when agents search the knowledge base: documents were selected, or there is no web search to rely on. */
export function usesKnowledge(scope: RunScope): boolean {
  if (scope.input.withoutKnowledge) return false;
  return scope.input.resources.length > 0 || !scope.input.webSearch || !scope.deps.searchConfigured;
}

import { AppError } from '../errors.ts';
import { readingInput, type Workflow } from '../runs/model.ts';
import { conversationDrafts } from './conversation.ts';
import { conversationModel, dateOf } from './coordinator.ts';
import { newestUserText, ResearchInput } from './model.ts';
import { renderPrompt } from './prompt.ts';
import quickPrompt from './prompts/quick.md' with { type: 'text' };
import type { ResearchDeps } from './run-scope.ts';
import { researchTools } from './steps.ts';
import type { RetrievedSource } from './tool.ts';
import { runToolLoop } from './tool-loop.ts';
import { closeToolSets, createScope, openToolSets } from './workflow.ts';

/** One agent with tools that answers an event: no plan, no report. */
export function createQuickWorkflow(deps: ResearchDeps): Workflow {
  return readingInput(ResearchInput, async function* quick(input, context) {
    if (context.journal.has('done')) return { status: 'completed' };
    const scope = createScope(deps, input, context);
    const toolSets = openToolSets(scope);
    const sources: RetrievedSource[] = [];
    const text = newestUserText(input.conversation);
    const instructions = input.instructions ?? '';
    try {
      const result = yield* runToolLoop(scope, {
        key: 'quick',
        agent: 'researcher',
        role: 'webhook',
        model: conversationModel(scope, deps.models.get('basic')),
        drafts: [
          {
            role: 'system',
            pieces: [renderPrompt(quickPrompt, { date: dateOf(scope), fence: scope.fence, instructions })],
          },
          ...conversationDrafts(scope, true),
        ],
        tools: await researchTools(scope, 'researcher', toolSets, context.signal),
        task: {
          kind: 'step',
          question: text,
          step: { need_search: true, title: text.slice(0, 120), description: text, step_type: 'research' },
          locale: scope.locale,
          findings: [],
          maxResults: input.maxSearchResults,
        },
        signal: context.signal,
        sources,
      });
      if (result.status === 'suspended') {
        return {
          status: 'failed',
          code: 'approval_impossible',
          message: 'A tool needs approval, but nobody can be asked.',
        };
      }
      const answer = deps.models.has('basic')
        ? withoutMarks(scope.fence, result.text)
        : withoutModel(text, result.text, sources.length > 0);
      yield {
        journal: [{ key: 'done', value: true }],
        thread: {
          appendMessages: [{ role: 'assistant', agent: 'researcher', content: answer, createdAt: deps.clock.now() }],
          sources: sources.map(({ url, title, kind }) => ({ url, title, kind })),
        },
      };
      return { status: 'completed' };
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof AppError) || error.code === 'internal_error') throw error;
      return { status: 'failed', code: error.code, message: error.message };
    } finally {
      await closeToolSets(scope, toolSets);
    }
  });
}

/** A model that quotes its task must not deliver the marks of the fence with it. */
function withoutMarks(fence: string, text: string): string {
  return text.replaceAll(`<<<DATA ${fence}\n`, '').replaceAll(`\nDATA ${fence}>>>`, '');
}

/** Without a language model the event itself is the message, with what the documents say about it. */
function withoutModel(event: string, finding: string, found: boolean): string {
  const note = 'No language model is configured, so the event is passed on as it is.';
  return found ? `${event}\n\n${finding}` : `${event}\n\n_${note}_`;
}

import { fail } from '../errors.ts';
import type { Model } from '../models/model.ts';
import type { RunOutput } from '../runs/model.ts';
import { streamAnswer } from './answer.ts';
import { readArguments } from './arguments.ts';
import { conversationDrafts, hasImages, userTexts } from './conversation.ts';
import type { ModelAnswer } from './journal.ts';
import { newestUserText } from './model.ts';
import { renderPrompt } from './prompt.ts';
import clarificationPrompt from './prompts/clarification.md' with { type: 'text' };
import coordinatorPrompt from './prompts/coordinator.md' with { type: 'text' };
import type { RunScope } from './run-scope.ts';

const HANDOFF = {
  name: 'handoff_to_planner',
  description: 'Hand a research request over to the planner.',
  parameters: {
    type: 'object',
    properties: {
      research_topic: { type: 'string', description: "The research topic, in the user's language." },
      locale: { type: 'string', description: "The user's language as a BCP 47 tag, for example en-US or zh-CN." },
    },
    required: ['research_topic', 'locale'],
  },
};

/** `answered`: the stream ends with the coordinator's text. `handoff`: research begins. */
export type CoordinatorResult = { kind: 'answered' } | { kind: 'handoff'; topic: string; locale: string | undefined };

/** Answers small talk, asks back when allowed, or hands over to the planner. */
export async function* coordinate(scope: RunScope): AsyncGenerator<RunOutput, CoordinatorResult> {
  const { input, context } = scope;
  const mayAsk = input.clarification && input.clarificationsLeft > 0;
  const mustHandOff = input.clarification && input.clarificationsLeft === 0;
  const text = newestUserText(input.conversation);
  const answers = (done: ModelAnswer) => done.calls.length === 0 && done.text.trim() !== '' && !mustHandOff;
  const answer = yield* streamAnswer(scope, {
    key: 'coordinator',
    agent: 'coordinator',
    model: conversationModel(scope, scope.deps.models.get('basic')),
    drafts: [
      {
        role: 'system',
        pieces: [
          renderPrompt(coordinatorPrompt, {
            date: dateOf(scope),
            clarification: mayAsk ? renderPrompt(clarificationPrompt, { left: input.clarificationsLeft }) : '',
          }),
          input.instructions ?? '',
        ],
      },
      ...conversationDrafts(scope, true),
    ],
    request: { tools: [HANDOFF], task: { kind: 'coordinate', text, locale: scope.locale } },
    signal: context.signal,
    hideCalls: true,
    // At the limit of questions a further question must not reach the user.
    hideText: mustHandOff,
    onDone: (done) => {
      if (!answers(done)) return {};
      return {
        ends: 'completed',
        journal: [{ key: 'done', value: true }],
        thread: {
          appendMessages: [
            { role: 'assistant', agent: 'coordinator', content: done.text, createdAt: scope.deps.clock.now() },
          ],
          pending: mayAsk
            ? { runId: context.runId, kind: 'clarification', key: String(input.clarificationsLeft - 1) }
            : null,
        },
      };
    },
  });
  if (answers(answer)) return { kind: 'answered' };
  const call = answer.calls.find((entry) => entry.name === HANDOFF.name);
  const args = (call && readArguments(call)) ?? {};
  // After questions and answers the newest message alone is only the last answer.
  const said = input.clarification ? userTexts(input.conversation).join('\n') : text;
  const topic =
    typeof args['research_topic'] === 'string' && args['research_topic'].trim() ? args['research_topic'] : said;
  return { kind: 'handoff', topic, locale: typeof args['locale'] === 'string' ? args['locale'] : undefined };
}

/** The model for messages of the conversation: the vision model when there are images. */
export function conversationModel(scope: RunScope, textModel: Model): Model {
  if (!hasImages(scope.input.conversation)) return textModel;
  const vision = scope.deps.models.get('vision');
  if (vision) return vision;
  throw fail('vision_not_configured', 'The message has an image, but no vision model is configured (models.vision).');
}

/** The date prompts speak of. */
export function dateOf(scope: RunScope): string {
  return new Date(scope.deps.clock.now()).toISOString().slice(0, 10);
}

import { fail } from '../errors.ts';
import { createId } from '../lib/id.ts';
import type { Finding, NumberedSource, Plan } from '../models/task.ts';
import type { RunOutput } from '../runs/model.ts';
import { streamAnswer } from './answer.ts';
import { conversationDrafts, questionPieces } from './conversation.ts';
import { conversationModel, dateOf } from './coordinator.ts';
import { type Draft, fenced } from './drafts.ts';
import { CheckedPlan, recall } from './journal.ts';
import { readPlan } from './plan.ts';
import { renderPrompt } from './prompt.ts';
import plannerPrompt from './prompts/planner.md' with { type: 'text' };
import type { RunScope } from './run-scope.ts';
import { messageChunk } from './wire.ts';

export interface PlannerMaterial {
  background: NumberedSource[];
  findings: Finding[];
  /** The plan the user asked to change, and how. */
  edit?: { plan: Plan; feedback: string };
}

/**
 * Asks for a plan. The model's raw text is kept back until it is a valid plan, so clients only ever see one JSON
 * object with at most `maxSteps` steps. An invalid plan is asked for once more, then the run fails with `plan_invalid`.
 */
export async function* makePlan(
  scope: RunScope,
  key: string,
  material: PlannerMaterial,
): AsyncGenerator<RunOutput, Plan> {
  const known = recall(scope.context.journal, `${key}:plan`, CheckedPlan);
  if (known) return known;
  const drafts = plannerDrafts(scope, material);
  // The model's reasoning and the checked plan are one message.
  const message = createId('msg');
  const first = yield* askPlan(scope, `${key}:ask`, message, drafts, material);
  let result = first.result;
  if (!result.ok) {
    const problem = `Your answer could not be used: ${result.problem} Answer again with only the JSON object described above.`;
    const retryDrafts: Draft[] = [
      ...drafts,
      { role: 'assistant', pieces: [{ cuttable: first.text || '(empty)' }] },
      { role: 'user', pieces: [problem] },
    ];
    result = (yield* askPlan(scope, `${key}:again`, message, retryDrafts, material)).result;
  }
  if (!result.ok) throw fail('plan_invalid', 'The planner gave no valid plan.');
  const checked = withoutUnknownLinks(scope, result.plan);
  yield* sendPlan(scope, key, message, checked);
  return checked;
}

async function* askPlan(scope: RunScope, key: string, message: string, drafts: Draft[], material: PlannerMaterial) {
  const { deps, input } = scope;
  const model = conversationModel(scope, deps.models.get(input.deepThinking ? 'reasoning' : 'basic'));
  const answer = yield* streamAnswer(scope, {
    key,
    agent: 'planner',
    model,
    drafts,
    request: {
      responseFormat: 'json',
      task: {
        kind: 'plan',
        question: scope.question,
        locale: scope.locale,
        maxSteps: input.maxSteps,
        background: material.background,
        findings: material.findings,
        ...(material.edit ? { feedback: material.edit.feedback } : {}),
      },
    },
    signal: scope.context.signal,
    hideText: true,
    openMessage: message,
  });
  const defaults = { locale: scope.locale, title: scope.question.slice(0, 120), maxSteps: input.maxSteps };
  return { text: answer.text, result: readPlan(answer.text, defaults) };
}

/** Clients show the words of a plan as Markdown. */
function withoutUnknownLinks(scope: RunScope, plan: Plan): Plan {
  const clean = (text: string) => {
    const filter = scope.egress.textFilter();
    return filter ? filter.push(text) + filter.end() : text;
  };
  const steps = plan.steps.map((step) => ({
    ...step,
    title: clean(step.title),
    description: clean(step.description),
  }));
  return { ...plan, thought: clean(plan.thought), title: clean(plan.title), steps };
}

/** Streams the checked plan in pieces that together are one JSON object. */
async function* sendPlan(scope: RunScope, key: string, id: string, plan: Plan): AsyncGenerator<RunOutput> {
  const identity = { threadId: scope.context.threadId, agent: 'planner' as const, id };
  const { steps, ...head } = plan;
  const pieces = [
    `${JSON.stringify(head, null, 2).replace(/\n\}$/, '')},\n  "steps": [`,
    ...steps.map((step, index) => `${index > 0 ? ',' : ''}\n${JSON.stringify(step, null, 2).replace(/^/gm, '    ')}`),
    steps.length > 0 ? '\n  ]\n}' : ']\n}',
  ];
  for (const piece of pieces.slice(0, -1)) yield { event: messageChunk(identity, { content: piece }) };
  yield {
    event: messageChunk(identity, { content: pieces.at(-1), finishReason: 'stop' }),
    journal: [{ key: `${key}:plan`, value: plan }],
    thread: { plan },
  };
}

function plannerDrafts(scope: RunScope, material: PlannerMaterial): Draft[] {
  const { input, fence } = scope;
  const system = renderPrompt(plannerPrompt, {
    date: dateOf(scope),
    maxSteps: input.maxSteps,
    locale: scope.locale,
    fence,
  });
  const drafts: Draft[] = [
    { role: 'system', pieces: [system, input.instructions ?? ''] },
    ...conversationDrafts(scope, true),
  ];
  drafts.push({ role: 'user', pieces: ['Research topic: ', ...questionPieces(scope, scope.question)] });
  if (material.background.length > 0) {
    const text = material.background.map((source) => `${source.title}\n${source.url}\n${source.content}`).join('\n\n');
    drafts.push({ role: 'user', pieces: ['What a first search found:\n', ...fenced(fence, text)] });
  }
  if (material.findings.length > 0) {
    const text = material.findings.map((finding) => `## ${finding.title}\n${finding.result}`).join('\n\n');
    drafts.push({ role: 'user', pieces: ['What the steps so far found:\n', ...fenced(fence, text)] });
  }
  if (material.edit) {
    drafts.push({ role: 'assistant', pieces: [JSON.stringify(material.edit.plan)] });
    drafts.push({ role: 'user', pieces: [`Change the plan: ${material.edit.feedback}`] });
  }
  return drafts;
}

/** What the user said to a plan. */
export type Review = { kind: 'accepted' } | { kind: 'edit'; text: string };

/** Reads the feedback on a plan; `edit_plan` takes the newest message as the edit. Any other text is an edit itself. */
export function readReview(feedback: string, newestMessage: string): Review {
  const text = feedback.trim();
  if (/^(\[accepted\](\s|$)|accepted$)/i.test(text)) return { kind: 'accepted' };
  const edit = /^(?:\[edit_plan\]|edit_plan(?=\s|$))\s*([\s\S]*)$/i.exec(text);
  if (!edit) return { kind: 'edit', text };
  const said = edit[1] || newestMessage;
  if (said.trim() === '')
    throw fail('edit_missing', 'The feedback edit_plan needs a message that says what to change.');
  return { kind: 'edit', text: said };
}

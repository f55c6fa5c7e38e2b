import { AppError, isAbort, toAppError } from '../errors.ts';
import { createId } from '../lib/id.ts';
import { mergeGenerators } from '../lib/merge.ts';
import type { Finding, Plan, PlanStep } from '../models/task.ts';
import type { RunOutput } from '../runs/model.ts';
import { questionPieces } from './conversation.ts';
import { dateOf } from './coordinator.ts';
import { type Draft, fenced } from './drafts.ts';
import type { WireAgent } from './events.ts';
import { usesKnowledge } from './investigate.ts';
import { recall, StepResult } from './journal.ts';
import { renderPrompt } from './prompt.ts';
import analystPrompt from './prompts/analyst.md' with { type: 'text' };
import coderPrompt from './prompts/coder.md' with { type: 'text' };
import researcherPrompt from './prompts/researcher.md' with { type: 'text' };
import type { RunScope } from './run-scope.ts';
import { createCrawlTool, createLocalSearchTool, createWebSearchTool } from './search-tools.ts';
import type { RetrievedSource, Tool, ToolSet } from './tool.ts';
import { runToolLoop } from './tool-loop.ts';
import { messageChunk } from './wire.ts';

/** A step that waits for the user to approve a tool call. */
interface Suspension {
  key: string;
  tool: string;
  input: unknown;
}

export type StepsResult = { status: 'done'; results: StepResult[] } | { status: 'suspended'; suspension: Suspension };

const AGENTS: Record<PlanStep['step_type'], WireAgent> = {
  research: 'researcher',
  analysis: 'analyst',
  processing: 'coder',
};
const PROMPTS: Partial<Record<WireAgent, string>> = {
  researcher: researcherPrompt,
  analyst: analystPrompt,
  coder: coderPrompt,
};

/** Runs the steps of a plan: research side by side, then the others in order with all findings at hand. */
export async function* runSteps(
  scope: RunScope,
  key: string,
  plan: Plan,
  earlier: Finding[],
  toolSets: ToolSet[],
): AsyncGenerator<RunOutput, StepsResult> {
  const results: (StepResult | undefined)[] = plan.steps.map(() => undefined);
  const indexed = plan.steps.map((step, index) => ({ step, index }));
  const research = indexed.filter(({ step }) => step.step_type === 'research');
  const outcomes = yield* mergeGenerators(
    research.map(({ step, index }) => runStep(scope, `${key}:step${index}`, step, earlier, toolSets)),
    scope.deps.limits.maxConcurrency,
  );
  const suspended = outcomes.find((outcome) => 'tool' in outcome);
  if (suspended && 'tool' in suspended) return { status: 'suspended', suspension: suspended };
  for (const [position, { index }] of research.entries()) results[index] = outcomes[position] as StepResult;
  for (const { step, index } of indexed) {
    if (step.step_type === 'research') continue;
    const findings = [...earlier, ...results.filter((result) => result !== undefined).map((result) => result.finding)];
    const outcome = yield* runStep(scope, `${key}:step${index}`, step, findings, toolSets);
    if ('tool' in outcome) return { status: 'suspended', suspension: outcome };
    results[index] = outcome;
  }
  return { status: 'done', results: results.filter((result) => result !== undefined) };
}

async function* runStep(
  scope: RunScope,
  key: string,
  step: PlanStep,
  findings: Finding[],
  toolSets: ToolSet[],
): AsyncGenerator<RunOutput, StepResult | Suspension> {
  const { context, deps } = scope;
  const known = recall(context.journal, key, StepResult);
  if (known) {
    scope.egress.addSources(known.sources);
    if (toolSets.length > 0) scope.egress.addAnswers();
    return known;
  }
  const agent = AGENTS[step.step_type];
  const sources: RetrievedSource[] = [];
  const timeout = AbortSignal.timeout(deps.limits.stepTimeoutMs);
  const signal = AbortSignal.any([context.signal, context.finishSignal, timeout]);
  try {
    signal.throwIfAborted();
    const tools = await researchTools(scope, agent, toolSets, signal);
    const result = yield* runToolLoop(scope, {
      key,
      agent,
      model: deps.models.get(agent === 'coder' ? 'code' : 'basic'),
      drafts: stepDrafts(scope, agent, step, findings, toolSets),
      tools,
      task: {
        kind: 'step',
        question: scope.question,
        step,
        locale: scope.locale,
        findings,
        maxResults: scope.input.maxSearchResults,
      },
      signal,
      sources,
    });
    if (result.status === 'suspended') return result;
    const done: StepResult = {
      finding: { title: step.title, description: step.description, result: result.text, failed: false },
      sources,
    };
    yield { journal: [{ key, value: done }] };
    return done;
  } catch (error) {
    context.signal.throwIfAborted();
    const reason = failureReason(error, context.finishSignal.aborted, timeout.aborted);
    if (context.finishSignal.aborted) deps.log.info('step stopped to finish', { run_id: context.runId, agent });
    else deps.log.warn('step failed', { run_id: context.runId, agent, code: toAppError(error).code });
    const failed: StepResult = {
      finding: { title: step.title, description: step.description, result: reason, failed: true },
      sources,
    };
    const identity = { threadId: context.threadId, agent, id: createId('msg') };
    const content = `The step "${step.title}" failed: ${reason}`;
    yield { event: messageChunk(identity, { content, finishReason: 'stop' }), journal: [{ key, value: failed }] };
    return failed;
  }
}

function failureReason(error: unknown, finishing: boolean, timedOut: boolean): string {
  if (finishing) return 'it was stopped because the report was asked for now.';
  if (timedOut) return 'it took longer than the time allowed for a step.';
  if (error instanceof AppError) return error.message;
  return isAbort(error) ? 'it was stopped.' : 'Internal server error';
}

/** The tools of an agent: search and reading for the researcher, and what the tool sets bring. */
export async function researchTools(
  scope: RunScope,
  agent: WireAgent,
  toolSets: ToolSet[],
  signal: AbortSignal,
): Promise<Tool[]> {
  const tools: Tool[] = [];
  if (agent === 'researcher') {
    if (usesKnowledge(scope) && (await scope.deps.knowledge.hasContent())) tools.push(createLocalSearchTool(scope));
    if (scope.input.webSearch) tools.push(createWebSearchTool(scope), createCrawlTool(scope));
  }
  for (const set of toolSets) tools.push(...(await set.toolsFor(agent, signal)));
  return tools;
}

function stepDrafts(
  scope: RunScope,
  agent: WireAgent,
  step: PlanStep,
  findings: Finding[],
  toolSets: ToolSet[],
): Draft[] {
  const system = renderPrompt(PROMPTS[agent] ?? researcherPrompt, {
    date: dateOf(scope),
    locale: scope.locale,
    fence: scope.fence,
  });
  const drafts: Draft[] = [
    { role: 'system', pieces: [system, scope.input.instructions ?? ''] },
    {
      role: 'user',
      pieces: [
        'Question of the user: ',
        ...questionPieces(scope, scope.question),
        `\n\nYour step: ${step.title}\n${step.description}`,
      ],
    },
  ];
  if (findings.length > 0) {
    const text = findings.map((finding) => `## ${finding.title}\n${finding.result}`).join('\n\n');
    drafts.push({ role: 'user', pieces: ['Findings so far:\n', ...fenced(scope.fence, text)] });
  }
  const missing = toolSets.flatMap((set) => set.notices?.() ?? []);
  if (missing.length > 0)
    drafts.push({ role: 'user', pieces: [`Not available in this step; say so in your result: ${missing.join(' ')}`] });
  return drafts;
}

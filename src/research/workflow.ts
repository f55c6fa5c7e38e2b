import { AppError } from '../errors.ts';
import type { Finding, Plan } from '../models/task.ts';
import { type RunContext, type RunOutcome, type RunOutput, readingInput, type Workflow } from '../runs/model.ts';
import { coordinate } from './coordinator.ts';
import { Egress } from './egress.ts';
import { investigate } from './investigate.ts';
import { InterruptAnswer, recall } from './journal.ts';
import { newestUserText, ResearchInput } from './model.ts';
import { makePlan, readReview } from './planner.ts';
import { writeReport } from './reporter.ts';
import type { ResearchDeps, RunScope } from './run-scope.ts';
import { buildCitations, SourceRegistry } from './sources.ts';
import { runSteps } from './steps.ts';
import type { RetrievedSource, ToolSet } from './tool.ts';
import { citationsEvent, planInterrupt, toolInterrupt } from './wire.ts';

/** The research workflow: coordinator → background investigation → planner → review → steps → reporter. */
export function createResearchWorkflow(deps: ResearchDeps): Workflow {
  return readingInput(ResearchInput, async function* research(input, context) {
    const scope = createScope(deps, input, context);
    const toolSets = openToolSets(scope);
    try {
      return yield* runResearch(scope, toolSets);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      deps.log.warn('research failed', { run_id: context.runId, code: error.code });
      const message = error.code === 'internal_error' ? 'Internal server error' : error.message;
      return { status: 'failed', code: error.code, message };
    } finally {
      await closeToolSets(scope, toolSets);
    }
  });
}

async function* runResearch(scope: RunScope, toolSets: ToolSet[]): AsyncGenerator<RunOutput, RunOutcome> {
  const { input, context } = scope;
  if (context.journal.has('done')) return { status: 'completed' };
  if (input.rejected) return { status: 'failed', ...input.rejected };
  const decision = yield* coordinate(scope);
  if (decision.kind === 'answered') return { status: 'completed' };
  scope.question = decision.topic;
  scope.locale = input.locale ?? decision.locale ?? scope.locale;

  const background = yield* investigate(scope);
  const planned = yield* research(scope, background, toolSets);
  if (planned.kind === 'interrupted') return { status: 'interrupted' };

  const registry = new SourceRegistry();
  // Steps first: what was researched on purpose gets the low numbers.
  registry.add(planned.sources);
  registry.add(background);
  const sources = registry.list();
  const report = yield* writeReport(scope, { title: planned.title, findings: planned.findings, sources });
  const citations = buildCitations(sources, report);
  yield {
    ends: 'completed',
    ...(citations.length > 0 ? { event: citationsEvent(context.threadId, citations) } : {}),
    journal: [{ key: 'done', value: true }],
    thread: {
      report,
      citations,
      pending: null,
      sources: [...input.knownSources, ...sources.map(({ url, title, kind }) => ({ url, title, kind }))].slice(-2000),
      appendMessages: [{ role: 'assistant', agent: 'reporter', content: report, createdAt: scope.deps.clock.now() }],
    },
  };
  return { status: 'completed' };
}

type Researched =
  | { kind: 'interrupted' }
  | { kind: 'done'; title: string; findings: Finding[]; sources: RetrievedSource[] };

/** Plans, has the plan reviewed, and runs its steps, until the planner has enough or its iterations are used up. */
async function* research(
  scope: RunScope,
  background: RetrievedSource[],
  toolSets: ToolSet[],
): AsyncGenerator<RunOutput, Researched> {
  const { input, context } = scope;
  const findings: Finding[] = [];
  const sources: RetrievedSource[] = [];
  let title = scope.question.slice(0, 120);
  for (let iteration = 0; iteration < input.maxPlanIterations && !context.finishSignal.aborted; iteration++) {
    const plan = yield* agreePlan(scope, iteration, background, findings);
    if (!plan) return { kind: 'interrupted' };
    title = plan.title;
    if (plan.has_enough_context || plan.steps.length === 0 || context.finishSignal.aborted) break;
    const outcome = yield* runSteps(scope, `i${iteration}`, plan, [...findings], toolSets);
    if (outcome.status === 'suspended') {
      const { key, tool, input: toolInput } = outcome.suspension;
      yield {
        ends: 'interrupted',
        event: toolInterrupt(context.threadId, tool, toolInput),
        thread: { pending: { runId: context.runId, kind: 'tool', key } },
      };
      return { kind: 'interrupted' };
    }
    for (const result of outcome.results) {
      findings.push(result.finding);
      sources.push(...result.sources);
    }
  }
  return { kind: 'done', title, findings, sources };
}

/** The plan of an iteration as the user agreed to it; undefined when the run waits for the review. */
async function* agreePlan(
  scope: RunScope,
  iteration: number,
  background: RetrievedSource[],
  findings: Finding[],
): AsyncGenerator<RunOutput, Plan | undefined> {
  const { input, context } = scope;
  const registry = new SourceRegistry();
  registry.add(background);
  const material = { background: registry.list(), findings };
  let edit: { plan: Plan; feedback: string } | undefined;
  for (let round = 0; ; round++) {
    const plan = yield* makePlan(scope, `i${iteration}:plan${round}`, { ...material, ...(edit ? { edit } : {}) });
    if (plan.has_enough_context || plan.steps.length === 0) return plan;
    const key = `i${iteration}:review${round}`;
    const answer = recall(context.journal, key, InterruptAnswer);
    // Who asks for the report now does not want to be asked about the plan.
    if (!answer && (input.autoAccept || context.finishSignal.aborted)) return plan;
    if (!answer) {
      yield {
        ends: 'interrupted',
        event: planInterrupt(context.threadId),
        thread: { pending: { runId: context.runId, kind: 'plan', key } },
      };
      return undefined;
    }
    scope.egress.addWords(`${answer.feedback}\n${answer.message}`);
    const review = readReview(answer.feedback, answer.message);
    if (review.kind === 'accepted') return plan;
    edit = { plan, feedback: review.text };
  }
}

/** One run of a workflow over `deps`. */
export function createScope(deps: ResearchDeps, input: ResearchInput, context: RunContext): RunScope {
  return {
    deps,
    input,
    context,
    egress: new Egress({ mode: deps.knownUrls ?? 'auto', input }),
    fence: crypto.randomUUID().replaceAll('-', '').slice(0, 16),
    locale: input.locale ?? 'en-US',
    question: newestUserText(input.conversation),
    opened: false,
    callIds: new Set(),
  };
}

/** The tool sets the run may use; they connect at the first call. */
export function openToolSets({ deps, input, context }: RunScope): ToolSet[] {
  const allowed = deps.toolProviders.filter(({ name }) => input.toolsets?.includes(name) ?? true);
  return allowed.map((provider) => provider.forRun(input, context.runId));
}

/** Closes what the tool sets opened; a failure is only logged. */
export async function closeToolSets(scope: RunScope, toolSets: ToolSet[]): Promise<void> {
  for (const result of await Promise.allSettled(toolSets.map((set) => set.close()))) {
    if (result.status === 'rejected') scope.deps.log.warn('tools could not be closed', { run_id: scope.context.runId });
  }
}

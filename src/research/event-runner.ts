import { errorKind } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { RunService } from '../runs/service.ts';
import type { RunRow, Store } from '../store/store.ts';
import type { AgentRunInput, AgentRunner, AgentRunResult } from '../webhooks/agent-runner.ts';
import { DEFAULT_INPUT, EVENT_AUTHOR, type ResearchInput } from './model.ts';

const POLL_MS = 250;

/** Runs the agent for events on durable runs: the same id continues a run, repeats a failed one, or gives its answer. */
export function createEventRunner(deps: { store: Store; runs: RunService; clock: Clock }): AgentRunner {
  const { store, runs, clock } = deps;
  return {
    async start(input, signal) {
      const known = await store.runs.get(input.runId);
      if (!known) await begin(runs, clock, input);
      else if (known.status === 'failed' || known.status === 'cancelled') await runs.retry(known);
      for (;;) {
        signal.throwIfAborted();
        await Promise.race([runs.settled(input.runId), aborted(signal)]);
        const run = await store.runs.get(input.runId);
        if (!run) return { status: 'failed', code: 'run_missing', message: 'The run was deleted.', retryable: false };
        if (run.status !== 'queued' && run.status !== 'running') return result(store, run);
        await clock.sleep(POLL_MS, signal);
      }
    },
  };
}

function begin(runs: RunService, clock: Clock, input: AgentRunInput): Promise<RunRow> {
  return runs.begin({
    id: input.runId,
    kind: input.mode,
    threadId: input.threadId,
    input: toResearchInput(input),
    onDisconnect: 'continue',
    thread: { appendMessages: [{ role: 'user', agent: EVENT_AUTHOR, content: input.prompt, createdAt: clock.now() }] },
  });
}

function toResearchInput(input: AgentRunInput): ResearchInput {
  const skills = input.skills.map((skill) => `\n\nSkill "${skill.name}":\n${skill.body}`).join('');
  return {
    ...DEFAULT_INPUT,
    conversation: [{ role: 'user', text: input.prompt, images: [] }],
    instructions: `${input.notice}${ownersTask(input.template)}${skills}`,
    toolsets: input.toolsets ?? [],
    messageIsData: true,
    withoutHandbook: true,
    ...(input.withoutKnowledge ? { withoutKnowledge: true } : {}),
    ...(input.approvedTools ? { approvedTools: input.approvedTools } : {}),
    style: 'NEWS',
  };
}

/** The task without what the event put into it: the rendered one is data for the agent, this one it may follow. */
function ownersTask(template: string | undefined): string {
  if (!template?.trim())
    return '\n\nNo task was written for this event: say briefly what happened and what it asks for.';
  return `\n\nYour task, as the owner of this agent wrote it; each {…} stands for a value of the event, and the message shows it filled in:\n${template.trim()}`;
}

async function result(store: Store, run: RunRow): Promise<AgentRunResult> {
  if (run.status !== 'completed') {
    const code = run.errorCode ?? run.status;
    return {
      status: 'failed',
      code,
      message: run.errorMessage ?? `The run is ${run.status}.`,
      retryable: errorKind(code).retryable,
    };
  }
  const thread = await store.threads.get(run.threadId);
  const answer = thread?.messages.findLast((message) => message.role === 'assistant')?.content;
  return { status: 'completed', text: typeof answer === 'string' ? answer : '' };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

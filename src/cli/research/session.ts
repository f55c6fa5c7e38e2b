import type { Deps } from '../../deps.ts';
import { fail } from '../../errors.ts';
import { escapeLine, escapeText } from '../../lib/escape-controls.ts';
import type { ChatRequest, Citation } from '../../research/model.ts';
import { startChat } from '../../research/start-chat.ts';
import { type FollowedEvent, followRun } from '../../runs/follow.ts';
import type { CommandContext } from '../context.ts';
import { writeUserFile } from '../write-user-file.ts';
import { renderMarkdown, renderPlan, renderSources } from './render.ts';
import { askReview } from './review.ts';
import { StatusLines } from './status-lines.ts';

export interface ResearchSession {
  question: string;
  request: ChatRequest;
  /** Show progress, ask about the plan, render the report. */
  interactive: boolean;
  json: boolean;
  out: string | undefined;
}

export type SessionOutcome =
  | { status: 'done' }
  | { status: 'quit' }
  | { status: 'failed'; code: string; message: string };

interface Collected {
  report: string;
  /** What the coordinator said: the report when it answers by itself, an introduction when it hands over. */
  answer: string;
  plan: string;
  citations: Citation[];
  interrupted: boolean;
  failure: { code: string; message: string } | undefined;
}

/** Runs a question to its report, asking about the plan on the way when there is somebody to ask. */
export async function runResearch(
  deps: Deps,
  context: CommandContext,
  session: ResearchSession,
): Promise<SessionOutcome> {
  const chat = { store: deps.store, runs: deps.runs, clock: deps.clock };
  let request = session.request;
  for (;;) {
    const run = await startChat(chat, request);
    const collected = await follow(deps, context, session, run.id);
    if (collected.failure) return { status: 'failed', ...collected.failure };
    if (!collected.interrupted) {
      await deliver(context, session, collected, run.id, run.threadId);
      return { status: 'done' };
    }
    await context.stdout.write(renderPlan(collected.plan, context.stdout.columns));
    const review = await askReview(context);
    if (review.kind === 'quit') return { status: 'quit' };
    request =
      review.kind === 'accept'
        ? { thread_id: run.threadId, interrupt_feedback: 'accepted' }
        : {
            thread_id: run.threadId,
            interrupt_feedback: 'edit_plan',
            messages: [{ role: 'user', content: review.text }],
          };
  }
}

async function follow(
  deps: Deps,
  context: CommandContext,
  session: ResearchSession,
  runId: string,
): Promise<Collected> {
  const collected: Collected = {
    report: '',
    answer: '',
    plan: '',
    citations: [],
    interrupted: false,
    failure: undefined,
  };
  const lines = new StatusLines(context.stderr, session.interactive);
  const cancel = () => void deps.runs.cancel(runId);
  context.signal.addEventListener('abort', cancel, { once: true });
  try {
    // The end of the run ends the loop, also after a cancel, so that its last word is in the log.
    for await (const event of followRun(deps, runId, 0, new AbortController().signal)) {
      if (session.json)
        await context.stdout.write(`${escapeLine(JSON.stringify({ event: event.type, ...event.data }))}\n`);
      collect(collected, event);
      lines.show(event);
    }
  } finally {
    lines.clear();
    context.signal.removeEventListener('abort', cancel);
  }
  context.signal.throwIfAborted();
  return collected;
}

function collect(collected: Collected, event: FollowedEvent): void {
  const { type, data } = event;
  if (type === 'interrupt') collected.interrupted = true;
  else if (type === 'citations') collected.citations = data.citations;
  else if (type === 'error') collected.failure = { code: data.code, message: data.error };
  else if (type === 'message_chunk') {
    const { agent, content = '' } = data;
    if (agent === 'planner') collected.plan += content;
    if (agent === 'reporter') collected.report += content;
    if (agent === 'coordinator') collected.answer += content;
  }
}

async function deliver(
  context: CommandContext,
  session: ResearchSession,
  collected: Collected,
  runId: string,
  threadId: string,
): Promise<void> {
  const report = `${(collected.report || collected.answer).trim()}\n`;
  if (session.out !== undefined) {
    try {
      await writeUserFile(session.out, report, context.umask);
    } catch (error) {
      throw fail('cannot_write', `The report cannot be written to ${session.out}; the run is kept as ${runId}.`, {
        cause: error,
      });
    }
    if (!session.json) await context.done(`Report written to ${session.out}`);
    return;
  }
  if (session.json) return;
  if (!session.interactive) return void (await context.stdout.write(escapeText(report)));
  await context.stdout.write(renderMarkdown(report, context.stdout.columns));
  await context.stdout.write(renderSources(collected.citations, context.stdout.columns));
  await context.note(`Run ${runId} · thread ${threadId}`);
}

import type { Clock } from '../lib/clock.ts';
import { createId } from '../lib/id.ts';
import type { RunService } from '../runs/service.ts';
import type { PendingInterrupt } from '../store/model.ts';
import type { RunRow, Store, ThreadMessage } from '../store/store.ts';
import { type ChatRequest, type ConversationMessage, EVENT_AUTHOR, type ResearchInput } from './model.ts';
import { readReview } from './planner.ts';
import { checkRequest, joinConversation, readInput, readMessage } from './read-request.ts';
import { isApproval } from './tool-loop.ts';
import type { InterruptAnswer } from './workflow.ts';

export interface StartChatDeps {
  store: Store;
  runs: RunService;
  clock: Clock;
  /** Refuses bad `mcp_settings`; absent when requests may not name MCP servers. */
  checkMcpSettings?: ((settings: unknown) => Promise<void>) | undefined;
}

const DEFAULT_THREAD = '__default__';

/** Begins the run a chat request asks for: a new question, or the answer to an interrupt. */
export async function startChat(deps: StartChatDeps, request: ChatRequest): Promise<RunRow> {
  await checkRequest(request, deps.checkMcpSettings);
  const threadId = !request.thread_id || request.thread_id === DEFAULT_THREAD ? createId('thread') : request.thread_id;
  const incoming = (request.messages ?? []).map(readMessage);
  const feedback = request.interrupt_feedback?.trim();
  if (feedback) return resume(deps, request, threadId, incoming, feedback);

  const thread = await deps.store.threads.get(threadId);
  const { conversation, mode } = joinConversation(thread, incoming);
  const messages = toThreadMessages(mode === 'replace' ? conversation : incoming, deps.clock.now());
  return deps.runs.begin({
    kind: 'research',
    threadId,
    input: readInput(request, thread, conversation),
    onDisconnect: request.on_disconnect ?? 'cancel',
    // A new question replaces what the thread waited for.
    thread: { pending: null, ...(mode === 'replace' ? { replaceMessages: messages } : { appendMessages: messages }) },
  });
}

async function resume(
  deps: StartChatDeps,
  request: ChatRequest,
  threadId: string,
  incoming: ConversationMessage[],
  feedback: string,
): Promise<RunRow> {
  const { threads } = deps.store;
  const newest = incoming.findLast((message) => message.role === 'user')?.text ?? '';
  const thread = await threads.get(threadId);
  if (thread?.pending?.kind === 'plan') readReview(feedback, newest);
  // Of two resumes of one interrupt only one gets it.
  const pending =
    thread?.pending && thread.pending.kind !== 'clarification' ? await threads.takePending(threadId) : undefined;
  if (!pending || pending.kind === 'clarification') return beginRejected(deps, request, threadId);
  try {
    return await beginResumed(deps, request, threadId, pending, incoming, { feedback, message: newest });
  } catch (error) {
    await threads.update(threadId, { pending });
    throw error;
  }
}

async function beginResumed(
  deps: StartChatDeps,
  request: ChatRequest,
  threadId: string,
  pending: PendingInterrupt,
  incoming: ConversationMessage[],
  answer: InterruptAnswer,
): Promise<RunRow> {
  const run = await deps.store.runs.get(pending.runId);
  if (!run) return beginRejected(deps, request, threadId);
  const earlier = JSON.parse(run.input) as ResearchInput;
  // A run that answered this interrupt before but did not complete: what it finished is of use to the same answer only.
  const given = (await deps.store.runs.journal(run.id)).get(pending.key) as InterruptAnswer | undefined;
  const interruptedRun = (given && earlier.resumes?.runId) ?? run.id;
  const inheritJournalFrom = given && isSameAnswer(pending.kind, given, answer) ? run.id : interruptedRun;
  const input: ResearchInput = {
    ...earlier,
    resumes: { kind: pending.kind, key: pending.key, runId: interruptedRun },
    ...(request.mcp_settings ? { mcpSettings: request.mcp_settings } : {}),
  };
  return deps.runs.begin({
    kind: run.kind,
    threadId,
    input,
    onDisconnect: request.on_disconnect ?? 'cancel',
    inheritJournalFrom,
    journal: [{ key: pending.key, value: answer }],
    thread: { appendMessages: toThreadMessages(incoming, deps.clock.now()) },
  });
}

function isSameAnswer(kind: PendingInterrupt['kind'], first: InterruptAnswer, second: InterruptAnswer): boolean {
  const meaning = ({ feedback, message }: InterruptAnswer) =>
    kind === 'tool' ? isApproval(feedback) : JSON.stringify(readReview(feedback, message));
  return meaning(first) === meaning(second);
}

/** The contract answers feedback that nobody waits for with an error event, not with a status. */
function beginRejected(deps: StartChatDeps, request: ChatRequest, threadId: string): Promise<RunRow> {
  const rejected = { code: 'no_pending_plan', message: 'This thread has no plan waiting for feedback.' };
  return deps.runs.begin({
    kind: 'research',
    threadId,
    input: { ...readInput(request, undefined, []), rejected },
    onDisconnect: 'cancel',
  });
}

function toThreadMessages(messages: ConversationMessage[], createdAt: number): ThreadMessage[] {
  return messages.map(({ role, text, images, isData }) => ({
    role,
    ...(isData ? { agent: EVENT_AUTHOR } : {}),
    content: images.length > 0 ? { text, images } : text,
    createdAt,
  }));
}

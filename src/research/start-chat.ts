import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createId } from '../lib/id.ts';
import { parseJson } from '../lib/json.ts';
import type { RunService } from '../runs/service.ts';
import { checkStored, checkVersion, type PendingInterrupt } from '../store/model.ts';
import type { RunRow, Store, ThreadRow } from '../store/store.ts';
import { joinConversation } from './conversation.ts';
import { InterruptAnswer, recall } from './journal.ts';
import { type ChatRequest, MAX_MESSAGES, ResearchInput, toStoredMessages } from './model.ts';
import { readReview } from './planner.ts';
import { type ReadChat, readChat } from './read-request.ts';
import { isApproval } from './tool-loop.ts';

export interface StartChatDeps {
  store: Store;
  runs: RunService;
  clock: Clock;
  /** Refuses bad `mcp_settings`; absent when requests may not name MCP servers. */
  checkMcpSettings?: ((settings: unknown) => Promise<void>) | undefined;
}

/** Begins the run a chat request asks for: a new question, or the answer to an interrupt. */
export async function startChat(deps: StartChatDeps, request: ChatRequest): Promise<RunRow> {
  await checkServers(deps, request.mcp_settings);
  const chat = readChat(request);
  const threadId = chat.threadId ?? createId('thread');
  const thread = await deps.store.threads.get(threadId);
  return chat.answer ? resume(deps, chat, threadId, thread, chat.answer) : ask(deps, chat, threadId, thread);
}

async function checkServers(deps: StartChatDeps, settings: ChatRequest['mcp_settings']): Promise<void> {
  if (Object.keys(settings ?? {}).length === 0) return;
  if (deps.checkMcpSettings) return deps.checkMcpSettings(settings);
  throw fail(
    'mcp_disabled',
    'MCP server configuration is disabled. Set ENABLE_MCP_SERVER_CONFIGURATION=true to enable it.',
  );
}

function ask(deps: StartChatDeps, chat: ReadChat, threadId: string, thread: ThreadRow | undefined): Promise<RunRow> {
  const { settings } = chat;
  const { conversation, isWhole } = joinConversation(thread, chat.messages);
  const messages = toStoredMessages(isWhole ? conversation : chat.messages, deps.clock.now());
  // A thread that waits for an answer to the coordinator's question remembers how many questions are left.
  const left = thread?.pending?.kind === 'clarification' ? Number(thread.pending.key) : settings.clarificationsLeft;
  return deps.runs.begin({
    kind: 'research',
    threadId,
    input: {
      ...settings,
      conversation: conversation.slice(-MAX_MESSAGES),
      clarificationsLeft: Math.min(left, settings.clarificationsLeft),
      knownSources: thread?.sources ?? [],
    } satisfies ResearchInput,
    onDisconnect: chat.onDisconnect,
    // A new question replaces what the thread waited for.
    thread: { pending: null, ...(isWhole ? { replaceMessages: messages } : { appendMessages: messages }) },
  });
}

async function resume(
  deps: StartChatDeps,
  chat: ReadChat,
  threadId: string,
  thread: ThreadRow | undefined,
  answer: InterruptAnswer,
): Promise<RunRow> {
  const { threads, runs } = deps.store;
  const awaited = thread?.pending;
  if (!awaited || awaited.kind === 'clarification') return beginRejected(deps, chat, threadId);
  if (awaited.kind === 'plan') readReview(answer.feedback, answer.message);
  // Of two resumes of one interrupt only one gets it.
  const pending = await threads.takePending(threadId);
  if (!pending || pending.kind === 'clarification') return beginRejected(deps, chat, threadId);
  try {
    const run = await runs.get(pending.runId);
    return run ? await beginResumed(deps, chat, run, pending, answer) : await beginRejected(deps, chat, threadId);
  } catch (error) {
    await threads.update(threadId, { pending });
    throw error;
  }
}

async function beginResumed(
  deps: StartChatDeps,
  chat: ReadChat,
  run: RunRow,
  pending: PendingInterrupt,
  answer: InterruptAnswer,
): Promise<RunRow> {
  checkVersion(run.version);
  const earlier = checkStored(ResearchInput, parseJson(run.input), 'input');
  // A run that answered this interrupt before but did not complete: what it finished is of use to the same answer only.
  const given = recall(await deps.store.runs.journal(run.id), pending.key, InterruptAnswer);
  const interruptedRun = (given && earlier.resumes?.runId) ?? run.id;
  const { mcpSettings } = chat.settings;
  return deps.runs.begin({
    kind: run.kind,
    threadId: run.threadId,
    input: {
      ...earlier,
      resumes: { kind: pending.kind, key: pending.key, runId: interruptedRun },
      ...(mcpSettings ? { mcpSettings } : {}),
    } satisfies ResearchInput,
    onDisconnect: chat.onDisconnect,
    inheritJournalFrom: given && isSameAnswer(pending.kind, given, answer) ? run.id : interruptedRun,
    journal: [{ key: pending.key, value: answer }],
    thread: { appendMessages: toStoredMessages(chat.messages, deps.clock.now()) },
  });
}

function isSameAnswer(kind: PendingInterrupt['kind'], first: InterruptAnswer, second: InterruptAnswer): boolean {
  const meaning = ({ feedback, message }: InterruptAnswer) =>
    kind === 'tool' ? isApproval(feedback) : JSON.stringify(readReview(feedback, message));
  return meaning(first) === meaning(second);
}

/** The contract answers feedback that nobody waits for with an error event, not with a status. */
function beginRejected(deps: StartChatDeps, chat: ReadChat, threadId: string): Promise<RunRow> {
  const rejected = { code: 'no_pending_plan', message: 'This thread has no plan waiting for feedback.' };
  return deps.runs.begin({
    kind: 'research',
    threadId,
    input: { ...chat.settings, conversation: [], knownSources: [], rejected } satisfies ResearchInput,
    onDisconnect: 'cancel',
  });
}

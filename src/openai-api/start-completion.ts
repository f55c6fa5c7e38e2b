import type { Clock } from '../lib/clock.ts';
import { createId } from '../lib/id.ts';
import { type ConversationMessage, readStored, toStoredMessages } from '../research/model.ts';
import { followRun } from '../runs/follow.ts';
import type { RunService } from '../runs/service.ts';
import type { RunRow, Store, ThreadMessage } from '../store/store.ts';

import type { CompletionRequest, CompletionUsage, Delta, ServedModel } from './model.ts';
import { readCompletion } from './read-request.ts';
import { translateRun } from './translate.ts';

/** What completions need. */
export interface CompletionDeps {
  store: Store;
  runs: RunService;
  clock: Clock;
}

/** A completion that has begun. */
export interface Completion {
  model: ServedModel;
  run: RunRow;
  /** The pieces of the answer; throws what the run failed with. `live` tells them as they come. */
  deltas(live: boolean, signal: AbortSignal): AsyncGenerator<Delta>;
  /** Tokens of the run; complete once `deltas` has ended. */
  usage(): Promise<CompletionUsage>;
}

/** Begins the run a completion request asks for. Throws what is wrong with the request (400, 404). */
export async function startCompletion(deps: CompletionDeps, request: CompletionRequest): Promise<Completion> {
  const { store, runs, clock } = deps;
  const { model, conversation, threadId, input } = readCompletion(request);
  const thread = threadId === undefined ? undefined : await store.threads.get(threadId);
  const messages = toStoredMessages(conversation, clock.now());
  const earlier = joinsThread(thread?.messages, conversation) ? (thread?.messages ?? []).map(readStored) : [];
  const run = await runs.begin({
    kind: model.kind,
    threadId: threadId ?? createId('thread'),
    input: { ...input, conversation: [...earlier, ...conversation], knownSources: thread?.sources ?? [] },
    onDisconnect: 'cancel',
    thread: {
      pending: null,
      ...(earlier.length > 0 ? { appendMessages: messages } : { replaceMessages: messages }),
    },
  });
  const sourcesAtEnd = async () => (await store.threads.get(run.threadId))?.sources ?? [];
  return {
    model,
    run,
    deltas: (live, signal) =>
      translateRun(followRun(deps, run.id, 0, signal), { kind: model.kind, live, sourcesAtEnd }),
    usage: async () => toUsage((await store.runs.get(run.id)) ?? run),
  };
}

/** Clients of this API send the whole conversation; only a single new message goes on with what the thread holds. */
function joinsThread(stored: ThreadMessage[] | undefined, incoming: ConversationMessage[]): boolean {
  return stored !== undefined && incoming.length === 1;
}

function toUsage({ usage }: RunRow): CompletionUsage {
  const { input_tokens: prompt, output_tokens: completion } = usage;
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

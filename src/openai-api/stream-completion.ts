import type { Clock } from '../lib/clock.ts';
import type { Delta } from './model.ts';
import type { Completion } from './start-completion.ts';
import { CompletionWire, DONE_FRAME, type WholeAnswer } from './wire.ts';

/** How long the status may wait for the first piece, so that a failure until then is told by the status. */
const OPEN_AFTER_MS = 1000;

export interface CompletionStream {
  completion: Completion;
  includeUsage: boolean;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * The frames of a completion. Resolves with the first piece, or after a second without any; rejects with what the run
 * failed with until then.
 */
export async function openCompletionStream(stream: CompletionStream): Promise<AsyncGenerator<string>> {
  const deltas = stream.completion.deltas(true, stream.signal);
  const first = deltas.next();
  const settled = new AbortController();
  await Promise.race([first, stream.clock.sleep(OPEN_AFTER_MS, settled.signal).catch(() => {})]).finally(() =>
    settled.abort(),
  );
  return frames(stream, deltas, first);
}

async function* frames(
  { completion, includeUsage }: CompletionStream,
  deltas: AsyncGenerator<Delta>,
  first: Promise<IteratorResult<Delta>>,
): AsyncGenerator<string> {
  const wire = new CompletionWire(completion, includeUsage);
  yield wire.opening();
  for (let next = await first; !next.done; next = await deltas.next()) yield wire.piece(next.value);
  const usage = includeUsage ? wire.usage(await completion.usage()) : '';
  yield usage + DONE_FRAME;
}

/** The completion as one object; rejects with what the run failed with. */
export async function collectCompletion(completion: Completion, signal: AbortSignal) {
  const answer: WholeAnswer = { content: '', reasoning: '', annotations: [], reason: 'stop' };
  for await (const delta of completion.deltas(false, signal)) {
    if (delta.type === 'content') answer.content += delta.text;
    else if (delta.type === 'reasoning') answer.reasoning += delta.text;
    else {
      answer.annotations = delta.annotations;
      answer.reason = delta.reason;
    }
  }
  return new CompletionWire(completion, false).whole(answer, await completion.usage());
}

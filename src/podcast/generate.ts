import { AppError, storedError } from '../errors.ts';
import type { Gate } from '../lib/gate.ts';
import { createId } from '../lib/id.ts';
import { invalidField } from '../lib/invalid-field.ts';
import type { RunService } from '../runs/service.ts';
import type { Speech } from '../speech/speech.ts';
import type { RunRow, Store } from '../store/store.ts';
import type { AudioShelf } from './audio-shelf.ts';
import type { PodcastRequest } from './model.ts';

export interface GeneratePodcastDeps {
  runs: RunService;
  store: Store;
  speech: Speech;
  shelf: AudioShelf;
  /** How many are made at once. */
  gate: Gate;
}

export interface Podcast {
  runId: string;
  threadId: string;
  audio: Uint8Array;
}

/** Makes a podcast as a run and waits for its audio; the run is cancelled when `signal` is aborted. */
export async function generatePodcast(
  deps: GeneratePodcastDeps,
  request: PodcastRequest,
  signal: AbortSignal,
  onStart?: (run: RunRow) => void,
): Promise<Podcast> {
  if (request.content.trim() === '') throw invalidField('/content', 'The content is empty.');
  checkSpeech(deps.speech);
  return deps.gate.run(() => runPodcast(deps, request, signal, onStart), signal);
}

async function runPodcast(
  deps: GeneratePodcastDeps,
  request: PodcastRequest,
  signal: AbortSignal,
  onStart?: (run: RunRow) => void,
): Promise<Podcast> {
  const { runs, store, shelf } = deps;
  const id = createId('run');
  const cancel = () => void runs.cancel(id);
  shelf.expect(id);
  try {
    const run = await runs.begin({
      id,
      kind: 'podcast',
      threadId: createId('thread'),
      input: { content: request.content, locale: request.locale?.trim() || null },
      onDisconnect: 'cancel',
    });
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    onStart?.(run);
    await runs.settled(id);
    signal.throwIfAborted();
    const audio = shelf.take(id);
    if (audio) return { runId: id, threadId: run.threadId, audio };
    throw failureOf(await store.runs.get(id));
  } finally {
    signal.removeEventListener('abort', cancel);
    shelf.take(id);
  }
}

function failureOf(run: RunRow | undefined): AppError {
  const message = run?.errorMessage ?? 'Internal server error';
  const failure = storedError(run?.errorCode ?? 'internal_error', message);
  return new AppError(message, {
    ...failure,
    ...(failure.status === 422 ? { errors: [{ path: '/content', message }] } : {}),
    ...(run ? { headers: { 'x-run-id': run.id } } : {}),
  });
}

/** The API documents 500 for everything that keeps a podcast from being made, settings included. */
function checkSpeech(speech: Speech): void {
  try {
    speech.checkReady();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.message, { code: error.code, category: 'internal', status: 500, cause: error });
  }
}

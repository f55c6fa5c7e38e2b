import { AppError } from '../errors.ts';
import type { Logger } from '../lib/log.ts';
import type { Completion } from '../models/complete.ts';
import type { Models } from '../models/model.ts';
import type { PodcastEvent } from '../research/events.ts';
import { type RunContext, type RunOutcome, type RunOutput, readingInput, type Workflow } from '../runs/model.ts';
import type { MixedLine, Speech } from '../speech/speech.ts';
import type { AudioShelf } from './audio-shelf.ts';
import { chaptersOf } from './chapters.ts';
import { PodcastInput, type Script } from './model.ts';
import { speakLines } from './speak-lines.ts';
import { writeScript } from './write-script.ts';

export interface PodcastWorkflowDeps {
  models: Models;
  speech: Speech;
  shelf: AudioShelf;
  log: Logger;
  limits: { lineConcurrency: number; maxLines: number; maxCharacters: number };
}

/** Lines of one transcript event. */
const LINES_PER_EVENT = 50;

/**
 * Podcasts: script → spoken lines → one MP3. Events: `podcast_script` (the transcript, in parts), `podcast_progress`
 * after each line, `podcast_audio` at the end. A run is made for the request that waits for it, so nothing of it is
 * journalled: it ends with its process.
 */
export function createPodcastWorkflow(deps: PodcastWorkflowDeps): Workflow {
  return readingInput(PodcastInput, async function* podcast(input, context) {
    try {
      return yield* makePodcast(deps, input, context);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      deps.log.warn('podcast failed', { run_id: context.runId, code: error.code });
      return { status: 'failed', code: error.code, message: error.message };
    }
  });
}

async function* makePodcast(
  deps: PodcastWorkflowDeps,
  input: PodcastInput,
  context: RunContext,
): AsyncGenerator<RunOutput<PodcastEvent>, RunOutcome> {
  const { runId, threadId, signal } = context;
  const answers: Completion[] = [];
  const written = await writeScript(
    { models: deps.models, maxLines: deps.limits.maxLines, maxCharacters: deps.limits.maxCharacters },
    input,
    { runId, onAnswer: (answer) => answers.push(answer) },
    signal,
  ).then(
    (script) => ({ script }),
    (error: unknown) => ({ error }),
  );
  // A script that cannot be used was paid for too.
  for (const { model, usage } of answers) if (usage) yield { usage: { agent: 'podcast', model, ...usage } };
  if ('error' in written) throw written.error;
  const { script } = written;
  yield* transcript(script, threadId);
  const mixer = deps.speech.openMixer();
  try {
    const mixed: MixedLine[] = [];
    const options = { speech: deps.speech, mixer, concurrency: deps.limits.lineConcurrency, runId };
    for await (const line of speakLines(script, options, signal)) {
      mixed.push(line);
      yield progress(threadId, mixed.length, script.lines.length);
    }
    const chapters = chaptersOf(script, mixed);
    const { bytes, durationMs } = await mixer.finish({ title: script.title, chapters });
    deps.shelf.put(runId, bytes);
    const data = {
      thread_id: threadId,
      duration_ms: durationMs,
      bytes: bytes.length,
      chapters: chapters.map(({ title, startMs }) => ({ title, start_ms: startMs })),
    };
    yield { event: { type: 'podcast_audio', data } };
    return { status: 'completed' };
  } finally {
    mixer.close();
  }
}

function* transcript(script: Script, threadId: string): Generator<RunOutput<PodcastEvent>> {
  const { title, locale, lines } = script;
  for (let from = 0; from < lines.length; from += LINES_PER_EVENT) {
    const part = lines.slice(from, from + LINES_PER_EVENT);
    const data = { thread_id: threadId, title, locale, first_line: from + 1, total: lines.length, lines: part };
    yield { event: { type: 'podcast_script', data } };
  }
}

function progress(threadId: string, spoken: number, total: number): RunOutput<PodcastEvent> {
  return { event: { type: 'podcast_progress', data: { thread_id: threadId, spoken, total } } };
}

import { AppError, isAbort, toAppError } from '../errors.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { MixedLine, Mixer, Speech } from '../speech/speech.ts';
import type { Script } from './model.ts';

export interface SpeakLinesOptions {
  speech: Speech;
  mixer: Mixer;
  /** Lines spoken at the same time. */
  concurrency: number;
  runId: string;
}

/** Spoken lines that wait for an earlier one; they are what a podcast holds in memory. */
const AHEAD_FACTOR = 3;

/**
 * Speaks the lines at most `concurrency` at a time and adds them to the mix in their order; yields where each one lies.
 * The first line that cannot be spoken ends it with an error that names the line.
 */
export async function* speakLines(
  script: Script,
  options: SpeakLinesOptions,
  signal: AbortSignal,
): AsyncGenerator<MixedLine> {
  const { speech, mixer, concurrency, runId } = options;
  const { lines } = script;
  const places = new Semaphore(concurrency);
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const started: Promise<{ audio: Uint8Array } | { error: unknown }>[] = [];
  let next = 0;
  const start = () => {
    while (next < lines.length && started.length < concurrency * AHEAD_FACTOR) {
      const { speaker, paragraph } = lines[next++]!;
      const request = { text: paragraph, voice: speaker, language: script.locale, format: 'wav' as const, runId };
      const spoken = places.run(() => speech.speakLine(request, either), either);
      started.push(
        spoken.then(
          (audio) => ({ audio }),
          (error: unknown) => ({ error }),
        ),
      );
    }
  };
  try {
    start();
    for (let index = 0; index < lines.length; index++) {
      const outcome = (await started.shift())!;
      start();
      if ('error' in outcome) throw nameLine(outcome.error, index, lines.length);
      const mixed = await mixer.add(outcome.audio).catch((error: unknown) => {
        throw nameLine(error, index, lines.length);
      });
      yield mixed;
    }
  } finally {
    stop.abort(new DOMException('The podcast is no longer spoken.', 'AbortError'));
  }
}

function nameLine(error: unknown, index: number, total: number): unknown {
  if (isAbort(error)) return error;
  const { code, category, status, message } = toAppError(error);
  return new AppError(`Line ${index + 1} of ${total} could not be spoken: ${message}`, {
    code,
    category,
    status,
    cause: error,
  });
}

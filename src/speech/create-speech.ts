import { AppError, fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { Gate } from '../lib/gate.ts';
import { retry } from '../lib/retry.ts';
import { splitText } from '../text/split-text.ts';
import { createAudioWorkers } from './audio-workers.ts';
import { joinMp3s, parseMp3 } from './mp3-frames.ts';
import type { AudioFormat, Speech, SpeechEngine, SpeechRequest } from './speech.ts';
import { splitSsml } from './ssml.ts';
import { isWav, joinWavs, parseWav } from './wav.ts';

export interface CreateSpeechOptions {
  engine: SpeechEngine;
  clock: Clock;
  /** Attempts of one call, the first one included. */
  attempts: number;
  /** Calls to the engine at once in this process, and how many may wait. */
  maxConcurrency: number;
  maxWaiting: number;
  /** First wait before a retry. */
  retryBaseMs?: number;
}

/** Puts splitting, retries, limits and conversion around an engine. */
export function createSpeech(options: CreateSpeechOptions): Speech {
  const { engine, clock } = options;
  const workers = createAudioWorkers();
  const gate = new Gate({ limit: options.maxConcurrency, maxWaiting: options.maxWaiting, what: 'speech' });

  const call = (request: SpeechRequest, signal: AbortSignal, check: (audio: Uint8Array) => boolean) =>
    retry(
      () =>
        gate.run(async () => {
          const audio = await engine.speak(request, signal);
          if (check(audio)) return audio;
          throw fail('upstream_rejected', `${engine.name} sent audio that is neither WAV nor MP3.`, {
            retryable: true,
          });
        }, signal),
      {
        attempts: options.attempts,
        baseMs: options.retryBaseMs ?? 300,
        maxMs: 10_000,
        clock,
        signal,
        shouldRetry: (error) => error instanceof AppError && error.retryable && (error.retryAfterMs ?? true),
      },
    );

  /** The audio of all pieces, spoken one after the other, as one file of whichever kind the engine gives. */
  const speakAll = async (request: SpeechRequest, signal: AbortSignal, check: (audio: Uint8Array) => boolean) => {
    const pieces = await split(request, engine.maxTextBytes);
    const audio: Uint8Array[] = [];
    for (const text of pieces) audio.push(await call({ ...request, text }, signal, check));
    const joined = audio.length === 1 ? audio[0] : join(audio, request.format);
    if (joined) return joined;
    throw fail('upstream_rejected', `${engine.name} sent pieces that do not fit together.`);
  };

  return {
    engine,
    checkReady: () => engine.checkReady(),
    async speak(request, signal) {
      engine.checkReady();
      const audio = await speakAll(request, signal, () => true);
      if (request.format === 'mp3') return isWav(audio) ? workers.encode(audio, signal) : audio;
      if (isWav(audio)) return repairHeader(audio);
      // MP3 is not decoded here: the engine has to give WAV itself.
      if (parseMp3(audio)) throw fail('upstream_rejected', `${engine.name} sent MP3 although WAV was asked for.`);
      return audio;
    },
    speakLine(request, signal) {
      engine.checkReady();
      return speakAll(request, signal, isAudio);
    },
    openMixer: () => workers.openMixer(),
    stop: () => workers.stop(),
  };
}

function split(request: SpeechRequest, maxBytes: number): Promise<string[]> | string[] {
  return request.textType === 'ssml' ? splitSsml(request.text, maxBytes) : splitText(request.text, maxBytes);
}

/** One file of several; undefined when they do not fit together. */
function join(audio: Uint8Array[], format: AudioFormat): Uint8Array | undefined {
  if (audio.every(isWav)) return joinWavs(audio);
  // A stream that is no WAV and has no frames we know is handed on as it came, like a single piece of it.
  if (format === 'mp3' && !audio.some(isAudio)) return new Uint8Array(Buffer.concat(audio));
  return joinMp3s(audio);
}

function isAudio(audio: Uint8Array): boolean {
  return isWav(audio) || parseMp3(audio) !== undefined;
}

/** Programs that write to a pipe leave the lengths in the header wrong; players then show hours. */
function repairHeader(audio: Uint8Array): Uint8Array {
  const file = parseWav(audio);
  if (!file) return audio;
  const view = new DataView(audio.buffer, audio.byteOffset, audio.byteLength);
  return view.getUint32(4, true) === audio.length - 8 ? audio : (joinWavs([audio]) ?? audio);
}

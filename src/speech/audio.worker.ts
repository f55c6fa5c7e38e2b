import { setPriority } from 'node:os';
import { AppError, fail } from '../errors.ts';
import { serveWorker } from '../lib/serve-worker.ts';
import { resample } from './condition.ts';
import { Mix } from './mix.ts';
import { encodedRate, Lame } from './mp3-encoder.ts';
import type { Chapter, MixedLine } from './speech.ts';
import { parseWav, toSound } from './wav.ts';

yieldToOthers();
const lame = new Lame();
/** The mix being built; a new one begins after each finish. */
let mix = new Mix(lame);

const operations = serveWorker({
  encode: reading(async (bytes: Uint8Array): Promise<Uint8Array> => {
    const wav = parseWav(bytes);
    if (!wav) throw audioUnreadable('The audio is not a WAV file.');
    const sound = toSound(wav);
    return whole(await lame.encode(resample(sound, encodedRate(sound.sampleRate))));
  }),
  add: reading(async (audio: Uint8Array): Promise<MixedLine> => {
    const line = await mix.add(audio);
    if (typeof line === 'string') throw audioUnreadable(line);
    return line;
  }),
  finish: reading(async (tag: { title: string; chapters: Chapter[] }) => {
    const done = mix;
    mix = new Mix(lame);
    const { durationMs } = done;
    return { bytes: whole(done.finish(tag)), durationMs };
  }),
});

export type AudioOperations = typeof operations;

/** Work on a provider's audio: whatever goes wrong, the audio cannot be used. */
function reading<P, A>(work: (payload: P) => Promise<A>): (payload: P) => Promise<A> {
  return async (payload) => {
    try {
      return await work(payload);
    } catch (error) {
      if (error instanceof AppError) throw error;
      const reason = error instanceof Error ? error.name : 'unknown error';
      throw audioUnreadable(`The audio could not be processed (${reason}).`);
    }
  };
}

/** A provider's audio that cannot be used. */
function audioUnreadable(message: string) {
  return fail('upstream_rejected', message);
}

/** Bytes whose buffer holds nothing else, so that it can be handed over. */
function whole(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/**
 * Lets the event loop go first when cores are short. On Linux a priority belongs to the thread that asks for it; on
 * other systems it would be that of the whole process.
 */
function yieldToOthers(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, 10);
  } catch {
    // A sandbox may forbid it: then the worker competes like any other thread.
  }
}

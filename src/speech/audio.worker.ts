import { setPriority } from 'node:os';
import { resample } from './condition.ts';
import { Mix } from './mix.ts';
import { encodedRate, Lame } from './mp3-encoder.ts';
import type { Chapter, MixedLine } from './speech.ts';
import { parseWav, toSound } from './wav.ts';

/** What a worker can be asked; one question at a time. */
export type AudioQuestion =
  | { kind: 'encode'; wav: Uint8Array }
  | { kind: 'add'; audio: Uint8Array }
  | { kind: 'finish'; title: string; chapters: Chapter[] };

/** What it answers. */
export type AudioAnswer =
  | { ok: true; bytes: Uint8Array; durationMs: number }
  | { ok: true; line: MixedLine }
  | { ok: false; message: string };

declare const self: Worker;

yieldToOthers();
const lame = new Lame();
/** The mix being built; a new one begins after each finish. */
let mix = new Mix(lame);

self.onmessage = async (event: MessageEvent<AudioQuestion>) => {
  const answer = await respond(event.data).catch((error: unknown): AudioAnswer => {
    const reason = error instanceof Error ? error.name : 'unknown error';
    return { ok: false, message: `The audio could not be processed (${reason}).` };
  });
  const bytes = 'bytes' in answer ? answer.bytes : undefined;
  self.postMessage(answer, bytes ? [bytes.buffer as ArrayBuffer] : []);
};

async function respond(question: AudioQuestion): Promise<AudioAnswer> {
  if (question.kind === 'add') {
    const line = await mix.add(question.audio);
    return typeof line === 'string' ? { ok: false, message: line } : { ok: true, line };
  }
  if (question.kind === 'finish') {
    const done = mix;
    mix = new Mix(lame);
    const { durationMs } = done;
    return { ok: true, durationMs, bytes: whole(done.finish(question)) };
  }
  const wav = parseWav(question.wav);
  if (!wav) return { ok: false, message: 'The audio is not a WAV file.' };
  const sound = toSound(wav);
  const bytes = await lame.encode(resample(sound, encodedRate(sound.sampleRate)));
  return { ok: true, bytes: whole(bytes), durationMs: Math.round((sound.samples.length / sound.sampleRate) * 1000) };
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

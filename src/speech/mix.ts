import { matchLoudness, resample, trimSilence } from './condition.ts';
import { writeId3 } from './id3.ts';
import { encodedRate, type Lame, type Mp3Encoder } from './mp3-encoder.ts';
import { isSameShape, type Mp3Shape, parseMp3 } from './mp3-frames.ts';
import type { Chapter, MixedLine } from './speech.ts';
import { parseWav, toSound } from './wav.ts';

/** Silence between two lines. */
const GAP_MS = 250;

/**
 * Builds one MP3 from spoken lines. WAV lines are trimmed, brought to one loudness, set apart by {@link GAP_MS} and
 * encoded once, as they come: only the finished MP3 grows. MP3 lines cannot be changed without decoding them, so their
 * frames are joined as they are.
 */
export class Mix {
  #encoder: Mp3Encoder | undefined;
  #samples = 0;
  #shape: Mp3Shape | undefined;
  #frames = 0;
  readonly #parts: Uint8Array[] = [];
  readonly #lame: Lame;

  constructor(lame: Lame) {
    this.#lame = lame;
  }

  /** Adds a line; a text says why it cannot be added. */
  async add(bytes: Uint8Array): Promise<MixedLine | string> {
    const wav = parseWav(bytes);
    if (wav) {
      if (this.#shape) return 'The engine gave WAV for one line and MP3 for another.';
      return this.#addSound(bytes);
    }
    const mp3 = parseMp3(bytes);
    if (!mp3) return 'The audio is neither WAV nor MP3.';
    if (this.#encoder) return 'The engine gave WAV for one line and MP3 for another.';
    if (this.#shape && !isSameShape(this.#shape, mp3)) return 'The lines have different sample rates or channels.';
    this.#shape ??= { sampleRate: mp3.sampleRate, channels: mp3.channels, samplesPerFrame: mp3.samplesPerFrame };
    const startMs = this.durationMs;
    // Copies: the views would keep the tags of every line in memory.
    for (const part of mp3.parts) this.#parts.push(part.slice());
    this.#frames += mp3.frames;
    return { startMs, durationMs: this.durationMs - startMs };
  }

  async #addSound(bytes: Uint8Array): Promise<MixedLine | string> {
    const raw = toSound(parseWav(bytes)!);
    if (raw.samples.length === 0) return 'The audio is empty.';
    const rate = this.#encoder?.sampleRate ?? encodedRate(raw.sampleRate);
    const sound = resample(trimSilence(raw), rate);
    matchLoudness(sound);
    if (this.#encoder) this.#push(new Float32Array(Math.round((rate * GAP_MS) / 1000)));
    this.#encoder ??= await this.#lame.open(rate);
    const startMs = this.durationMs;
    this.#push(sound.samples);
    return { startMs, durationMs: this.durationMs - startMs };
  }

  #push(samples: Float32Array): void {
    this.#encoder?.encode(samples);
    this.#samples += samples.length;
  }

  /** Length so far. */
  get durationMs(): number {
    if (this.#encoder) return Math.round((this.#samples / this.#encoder.sampleRate) * 1000);
    if (!this.#shape) return 0;
    return Math.round(((this.#frames * this.#shape.samplesPerFrame) / this.#shape.sampleRate) * 1000);
  }

  /** The whole file with its tag. */
  finish(tag: { title: string; chapters: Chapter[] }): Uint8Array {
    const { durationMs } = this;
    const audio = this.#encoder ? this.#encoder.finish() : this.#parts;
    return new Uint8Array(Buffer.concat([writeId3({ ...tag, durationMs }), ...audio]));
  }
}

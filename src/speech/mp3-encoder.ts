import type { Sound } from './wav.ts';

/** Sample rates MPEG audio knows, lowest first. */
const RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const;

/** An encoder of one mono MP3. */
export interface Mp3Encoder {
  readonly sampleRate: number;
  encode(samples: Float32Array): void;
  /** The whole file, without tags. */
  finish(): Uint8Array[];
}

/** The rate a sound of `sampleRate` is encoded at: the same, or the next MPEG audio has. */
export function encodedRate(sampleRate: number): number {
  return RATES.find((rate) => rate >= sampleRate) ?? 48_000;
}

/** Constant rate: every player then knows length and position without an index. Enough for clear speech. */
function bitrateOf(sampleRate: number): 24 | 48 | 64 | 96 {
  if (sampleRate <= 12_000) return 24;
  if (sampleRate <= 16_000) return 48;
  return sampleRate <= 24_000 ? 64 : 96;
}

/** LAME (WASM), compiled once; it encodes one file after the other. */
export class Lame {
  #loading: ReturnType<typeof loadEncoder> | undefined;

  /** Begins a file; one that was not finished is forgotten. `sampleRate` must be one of {@link encodedRate}. */
  async open(sampleRate: number): Promise<Mp3Encoder> {
    this.#loading ??= loadEncoder();
    const encoder = await this.#loading;
    encoder.configure({ sampleRate, channels: 1, bitrate: bitrateOf(sampleRate) });
    const parts: Uint8Array[] = [];
    return {
      sampleRate,
      encode(samples) {
        // A second at a time keeps the WASM memory small.
        for (let at = 0; at < samples.length; at += sampleRate)
          // What the encoder returns is its own memory.
          parts.push(encoder.encode([samples.subarray(at, at + sampleRate)]).slice());
      },
      finish() {
        parts.push(encoder.finalize().slice());
        return parts;
      },
    };
  }

  /** A sound as a whole MP3. */
  async encode(sound: Sound): Promise<Uint8Array> {
    const encoder = await this.open(sound.sampleRate);
    encoder.encode(sound.samples);
    return new Uint8Array(Buffer.concat(encoder.finish()));
  }
}

async function loadEncoder() {
  const { createMp3Encoder } = await import('wasm-media-encoders');
  return createMp3Encoder();
}

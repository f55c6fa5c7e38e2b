import { measureLoudness } from './loudness.ts';
import type { Sound } from './wav.ts';

/** Integrated loudness of every line: what podcast services ask of one channel. */
const TARGET_LUFS = -19;
/** Highest peak after the gain, so that the encoder does not clip. */
const PEAK_CEILING = 10 ** (-1 / 20);
/** A line further below the target than this is noise rather than speech. */
const MAX_GAIN = 10 ** (30 / 20);
const WINDOW_SECONDS = 0.005;
/** A window this far below the loudest one is silence. */
const SILENCE_RATIO = 10 ** (-46 / 20);
/** Softer than this (two steps of 16 bits) is silence in any case. */
const SILENCE_FLOOR = 2 / 32_768;

/** The sound without the silence at its beginning and end; one that is silent throughout is left alone. */
export function trimSilence({ samples, sampleRate }: Sound): Sound {
  const size = Math.max(1, Math.round(sampleRate * WINDOW_SECONDS));
  const peaks = Array.from({ length: Math.ceil(samples.length / size) }, (_, index) =>
    peakOf(samples.subarray(index * size, (index + 1) * size)),
  );
  const threshold = Math.max(SILENCE_FLOOR, peakOf(samples) * SILENCE_RATIO);
  const first = peaks.findIndex((peak) => peak > threshold);
  if (first < 0) return { samples, sampleRate };
  const last = peaks.findLastIndex((peak) => peak > threshold);
  return { samples: samples.subarray(first * size, Math.min(samples.length, (last + 1) * size)), sampleRate };
}

/** Brings the sound to the target loudness, as far as its peaks allow; changes the samples in place. */
export function matchLoudness(sound: Sound): void {
  const loudness = measureLoudness(sound);
  if (!Number.isFinite(loudness)) return;
  const wanted = Math.min(MAX_GAIN, 10 ** ((TARGET_LUFS - loudness) / 20));
  const peak = peakOf(sound.samples);
  const gain = Math.min(wanted, PEAK_CEILING / peak);
  for (let index = 0; index < sound.samples.length; index++) sound.samples[index]! *= gain;
}

/** The sound at another sample rate, by windowed-sinc interpolation. */
export function resample({ samples, sampleRate }: Sound, target: number): Sound {
  if (sampleRate === target) return { samples, sampleRate };
  const ratio = sampleRate / target;
  // Going down, frequencies the target cannot hold are taken out on the way.
  const cutoff = Math.min(1, target / sampleRate) * 0.95;
  const half = Math.ceil(16 / cutoff);
  const result = new Float32Array(Math.floor(samples.length / ratio));
  for (let index = 0; index < result.length; index++) {
    const center = index * ratio;
    const from = Math.max(0, Math.ceil(center - half));
    const to = Math.min(samples.length - 1, Math.floor(center + half));
    let sum = 0;
    for (let at = from; at <= to; at++) {
      const x = at - center;
      const sinc = x === 0 ? cutoff : Math.sin(Math.PI * cutoff * x) / (Math.PI * x);
      sum += samples[at]! * sinc * (0.5 + 0.5 * Math.cos((Math.PI * x) / half));
    }
    result[index] = sum;
  }
  return { samples: result, sampleRate: target };
}

function peakOf(samples: Float32Array): number {
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  return peak;
}

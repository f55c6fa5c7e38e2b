import type { Sound } from './wav.ts';

const BLOCK_SECONDS = 0.4;
const HOP_SECONDS = 0.1;
const ABSOLUTE_GATE = -70;
const RELATIVE_GATE = -10;

interface Biquad {
  b0: number;
  b1: number;
  b2: number;
  a1: number;
  a2: number;
}

/**
 * Integrated loudness of one channel in LUFS (ITU-R BS.1770-4: K-weighting, blocks of 400 ms, two gates); -Infinity for
 * silence. Sounds shorter than a block are one block.
 */
export function measureLoudness({ samples, sampleRate }: Sound): number {
  const powers = blockPowers(samples, sampleRate);
  const loud = powers.filter((power) => toLufs(power) > ABSOLUTE_GATE);
  if (loud.length === 0) return -Infinity;
  const threshold = toLufs(mean(loud)) + RELATIVE_GATE;
  return toLufs(mean(loud.filter((power) => toLufs(power) > threshold)));
}

/** Mean squares of the K-weighted sound, per block. */
function blockPowers(samples: Float32Array, sampleRate: number): number[] {
  const shelf = highShelf(sampleRate);
  const pass = highPass(sampleRate);
  const hop = Math.max(1, Math.round(sampleRate * HOP_SECONDS));
  const hopsPerBlock = Math.round(BLOCK_SECONDS / HOP_SECONDS);
  const sums: number[] = [];
  const rest = { sum: 0, count: 0 };
  let [s1, s2, p1, p2] = [0, 0, 0, 0];
  for (let index = 0; index < samples.length; index++) {
    const input = samples[index]!;
    const shelved = shelf.b0 * input + s1;
    s1 = shelf.b1 * input - shelf.a1 * shelved + s2;
    s2 = shelf.b2 * input - shelf.a2 * shelved;
    const passed = pass.b0 * shelved + p1;
    p1 = pass.b1 * shelved - pass.a1 * passed + p2;
    p2 = pass.b2 * shelved - pass.a2 * passed;
    rest.sum += passed * passed;
    if (++rest.count === hop) {
      sums.push(rest.sum);
      rest.sum = 0;
      rest.count = 0;
    }
  }
  if (sums.length < hopsPerBlock) {
    const total = sums.reduce((sum, value) => sum + value, rest.sum);
    return samples.length === 0 ? [] : [total / samples.length];
  }
  return Array.from(
    { length: sums.length - hopsPerBlock + 1 },
    (_, start) => sums.slice(start, start + hopsPerBlock).reduce((sum, value) => sum + value, 0) / (hop * hopsPerBlock),
  );
}

/** First stage: the head's own gain in the treble; the analog prototype of BS.1770, for any sample rate. */
function highShelf(sampleRate: number): Biquad {
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRate);
  const q = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const middle = high ** 0.4996667741545416;
  const norm = 1 + k / q + k * k;
  return {
    b0: (high + (middle * k) / q + k * k) / norm,
    b1: (2 * (k * k - high)) / norm,
    b2: (high - (middle * k) / q + k * k) / norm,
    a1: (2 * (k * k - 1)) / norm,
    a2: (1 - k / q + k * k) / norm,
  };
}

/** Second stage: a high pass below the voice. */
function highPass(sampleRate: number): Biquad {
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRate);
  const q = 0.5003270373238773;
  const norm = 1 + k / q + k * k;
  return { b0: 1, b1: -2, b2: 1, a1: (2 * (k * k - 1)) / norm, a2: (1 - k / q + k * k) / norm };
}

function toLufs(power: number): number {
  return -0.691 + 10 * Math.log10(power);
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

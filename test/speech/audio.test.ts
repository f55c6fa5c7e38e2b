import { describe, expect, test } from 'bun:test';
import { matchLoudness, resample, trimSilence } from '../../src/speech/condition.ts';
import { measureLoudness } from '../../src/speech/loudness.ts';
import { joinMp3s, parseMp3 } from '../../src/speech/mp3-frames.ts';
import { splitSsml } from '../../src/speech/ssml.ts';
import { joinWavs, parseWav, toSound, writeWav } from '../../src/speech/wav.ts';
import { splitText } from '../../src/text/split-text.ts';
import { silentMp3, tone } from '../helpers/speech-server.ts';

const sine = (seconds: number, level: number, hertz = 1000, sampleRate = 48_000) =>
  toSound(parseWav(tone({ seconds, level, hertz, sampleRate }))!);

describe('WAV', () => {
  test.each([0, 0xffff_ffff, 0x7fff_f000])('a data chunk of %d bytes reaches to the end', (size) => {
    const wav = tone({ seconds: 0.1 });
    new DataView(wav.buffer).setUint32(40, size, true);
    expect(parseWav(wav)!.data.length).toBe(4800);
  });

  test.each([
    ['8 bit', 8, 'pcm', [0x80, 0xff, 0x00], [0, 0.992, -1]],
    ['16 bit', 16, 'pcm', [0, 0, 0xff, 0x7f, 0, 0x80], [0, 1, -1]],
    ['24 bit', 24, 'pcm', [0, 0, 0, 0xff, 0xff, 0x7f, 0, 0, 0x80], [0, 1, -1]],
    ['32 bit', 32, 'pcm', [0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0x80], [0, 1, -1]],
    ['float', 32, 'float', [0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xbf], [0, 1, -1]],
  ] as const)('samples of %s are read', (_, bitsPerSample, format, data, expected) => {
    const wav = writeWav({ format, channels: 1, sampleRate: 8000, bitsPerSample }, [Uint8Array.from(data)]);
    const { samples } = toSound(parseWav(wav)!);
    for (const [index, value] of expected.entries()) expect(samples[index]).toBeCloseTo(value, 2);
  });

  test('two channels become one', () => {
    const stereo = toSound(parseWav(tone({ seconds: 0.1, channels: 2 }))!);
    expect(stereo.samples).toEqual(toSound(parseWav(tone({ seconds: 0.1 }))!).samples);
  });

  test.each([
    ['nothing', new Uint8Array()],
    ['a header alone', tone().subarray(0, 20)],
    ['MP3', silentMp3()],
    ['a chunk that never ends', Uint8Array.from([...new TextEncoder().encode('RIFF....WAVEjunk'), 255, 255, 255, 255])],
  ])('%s is no WAV with sound', (_, bytes) => {
    expect(parseWav(bytes)).toBeUndefined();
  });

  test('files of one shape are joined, others are not', () => {
    const joined = joinWavs([tone({ seconds: 0.1 }), tone({ seconds: 0.2 })])!;
    expect(parseWav(joined)!.data.length).toBe(0.3 * 24_000 * 2);
    expect(joinWavs([tone(), tone({ sampleRate: 8000 })])).toBeUndefined();
    expect(joinWavs([tone(), silentMp3()])).toBeUndefined();
  });
});

describe('MP3', () => {
  test('frames are found behind tags, the Xing frame is none of them', () => {
    expect(parseMp3(silentMp3(7, { id3: true, xing: true, id3v1: true }))).toMatchObject({
      frames: 7,
      sampleRate: 44_100,
      channels: 2,
      samplesPerFrame: 1152,
    });
  });

  test.each([
    ['nothing', new Uint8Array()],
    ['text', new TextEncoder().encode('hello '.repeat(1000))],
    ['a single sync word', Uint8Array.from([0xff, 0xfb, 0x90])],
    ['sync words without frames', new Uint8Array(5000).fill(0xff)],
  ])('%s has no frames', (_, bytes) => {
    expect(parseMp3(bytes)).toBeUndefined();
  });

  test('a cut last frame is left out', () => {
    expect(parseMp3(silentMp3(3).subarray(0, 3 * 417 - 10))!.frames).toBe(2);
  });

  test('joining keeps frames only', () => {
    const joined = joinMp3s([silentMp3(2, { id3: true }), silentMp3(3, { id3v1: true })])!;
    expect(joined).toEqual(silentMp3(5));
  });
});

describe('conditioning', () => {
  test('loudness follows BS.1770: a full-scale sine of 1 kHz in one channel is -3 LUFS', () => {
    expect(measureLoudness(sine(2, 1))).toBeCloseTo(-3.01, 1);
    expect(measureLoudness(sine(2, 0.1))).toBeCloseTo(-23.01, 1);
    expect(measureLoudness(sine(2, 0.1, 1000, 16_000))).toBeCloseTo(-23, 0);
    expect(measureLoudness(sine(0.1, 0.1))).toBeCloseTo(-23, 0);
    expect(measureLoudness({ samples: new Float32Array(48_000), sampleRate: 48_000 })).toBe(-Infinity);
  });

  test.each([0.9, 0.3, 0.02])('a sine of peak %d is brought to the target', (level) => {
    const sound = sine(1, level);
    matchLoudness(sound);
    expect(measureLoudness(sound)).toBeCloseTo(-19, 1);
  });

  test('the peak stays below full scale', () => {
    const sound = sine(1, 0.001);
    sound.samples[10] = 0.9;
    matchLoudness(sound);
    expect(Math.max(...sound.samples)).toBeLessThan(0.9);
  });

  test('silence around the sound is trimmed, inside it is kept, and silence alone is left', () => {
    const padded = toSound(parseWav(tone({ seconds: 0.5, padSeconds: 1 }))!);
    expect(trimSilence(padded).samples.length / 24_000).toBeCloseTo(0.5, 2);
    const twice = new Float32Array([...padded.samples, ...padded.samples]);
    expect(trimSilence({ samples: twice, sampleRate: 24_000 }).samples.length / 24_000).toBeCloseTo(3, 2);
    const silence = { samples: new Float32Array(1000), sampleRate: 24_000 };
    expect(trimSilence(silence).samples.length).toBe(1000);
  });

  test.each([
    [44_100, 48_000],
    [48_000, 24_000],
    [11_000, 11_025],
  ])('resampling from %d to %d Hz keeps length and level', (from, to) => {
    const sound = resample(sine(0.5, 0.5, 1000, from), to);
    expect(sound.samples.length / to).toBeCloseTo(0.5, 2);
    const middle = sound.samples.subarray(to * 0.1, to * 0.4);
    const power = middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length;
    expect(Math.sqrt(power * 2)).toBeCloseTo(0.5, 1);
  });
});

describe('splitting', () => {
  const words = 'The tide rises, and then it falls; so it goes every day. ';
  test.each([
    ['sentences', words.repeat(40), 200],
    ['one sentence', words.replaceAll('.', ',').repeat(40), 200],
    ['one word', 'a'.repeat(1000), 100],
    ['Chinese', '潮水涨了又落，月亮看着它。'.repeat(50), 100],
    ['emoji', '🌊'.repeat(300), 50],
    ['a single character that does not fit', '🌊', 1],
  ])('%s: every piece fits and nothing is lost', (_, text, limit) => {
    const pieces = splitText(text, limit);
    for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(Math.max(limit, 4));
    expect(pieces.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
  });

  test('pieces end at sentences when they can', () => {
    for (const piece of splitText(words.repeat(40), 200)) expect(piece.endsWith('.')).toBe(true);
  });

  test('of SSML never cuts an element or an entity', async () => {
    const text = `<speak xml:lang="en">Start &amp; go. <p>${'One. '.repeat(20)}</p>Between <emphasis>very</emphasis> long. <p>${'Two. '.repeat(20)}</p></speak>`;
    const pieces = await splitSsml(text, 200);
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) {
      expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(200);
      expect(piece.startsWith('<speak xml:lang="en">')).toBe(true);
      expect(await splitSsml(piece, 10_000)).toEqual([piece]);
    }
    const inner = pieces.map((piece) => piece.replace(/^<speak[^>]*>/, '').replace('</speak>', '')).join('');
    expect(inner.replaceAll(/\s/g, '')).toBe(
      text
        .replace(/^<speak[^>]*>/, '')
        .replace('</speak>', '')
        .replaceAll(/\s/g, ''),
    );
  });
});

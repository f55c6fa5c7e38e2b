import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigSchema } from '../../src/config/schema.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Value } from '../../src/schema.ts';
import { type CommandSpeechOptions, createCommandSpeech } from '../../src/speech/command.ts';
import { createSpeech } from '../../src/speech/create-speech.ts';
import { measureLoudness } from '../../src/speech/loudness.ts';
import { parseWav, toSound } from '../../src/speech/wav.ts';
import { decodeMp3, stretches } from '../helpers/decode-mp3.ts';

const { command: DEFAULTS } = (Value.Default(ConfigSchema, {}) as any).speech;
const signal = new AbortController().signal;

function engine(options: Partial<CommandSpeechOptions> = {}) {
  return createCommandSpeech({
    program: DEFAULTS.program,
    args: DEFAULTS.args,
    ssmlArgs: DEFAULTS.ssml_args,
    voices: DEFAULTS.voices,
    timeoutMs: 10_000,
    ...options,
  });
}

/** A program of our own, as a script of the shell. */
function program(body: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'agent-speech-')), 'say');
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

const speechOf = (options: Partial<CommandSpeechOptions> = {}) =>
  createSpeech({
    engine: engine(options),
    clock: systemClock,
    attempts: 2,
    maxConcurrency: 4,
    maxWaiting: 10,
    retryBaseMs: 2,
  });

describe.skipIf(!Bun.which('espeak-ng'))('espeak-ng with the default settings', () => {
  const text = 'The Moon raises two tidal bulges on Earth.';

  test('speaks Chinese and Norwegian, whose codes it does not know, in a podcast voice', async () => {
    const speech = speechOf();
    for (const [language, words] of [
      ['zh-CN', '月亮引起潮汐。'],
      ['no', 'Månen lager tidevann.'],
    ] as const)
      for (const voice of ['male', 'female'])
        expect((await speech.speak({ text: words, language, voice, format: 'wav' }, signal)).length).toBeGreaterThan(
          8000,
        );
  });

  test.each([
    ['zh', '你好世界。'],
    ['ar', 'مقال عن المد والجزر https://example.com/the/history/of/tides'],
    ['it', 'La luna attira il mare e la marea sale due volte al giorno.'],
    ['nl', 'De maan trekt aan de zee en het water stijgt twee keer per dag.'],
  ])('reads a text in its own language (%s) when the request names none', async (language, text) => {
    const speech = speechOf();
    const own = await speech.speak({ text, format: 'wav' }, signal);
    expect(own).toEqual(await speech.speak({ text, language, format: 'wav' }, signal));
    expect(own).not.toEqual(await speech.speak({ text, language: 'en', format: 'wav' }, signal));
  });

  test('speaks WAV whose header says its true length', async () => {
    const speech = speechOf();
    const wav = await speech.speak({ text, format: 'wav' }, signal);
    const view = new DataView(wav.buffer, wav.byteOffset);
    expect(view.getUint32(4, true)).toBe(wav.length - 8);
    expect(view.getUint32(40, true)).toBe(wav.length - 44);
    const sound = toSound(parseWav(wav)!);
    expect(sound.sampleRate).toBe(22_050);
    const seconds = sound.samples.length / sound.sampleRate;
    expect(seconds).toBeGreaterThan(1.5);
    expect(seconds).toBeLessThan(6);
    expect(measureLoudness(sound)).toBeGreaterThan(-40);
    speech.stop();
  });

  test('speaks MP3 of the same length', async () => {
    const speech = speechOf();
    const wav = toSound(parseWav(await speech.speak({ text, format: 'wav' }, signal))!);
    const mp3 = await decodeMp3(await speech.speak({ text, format: 'mp3' }, signal));
    expect(mp3.sampleRate).toBe(22_050);
    expect(Math.abs(mp3.samples.length - wav.samples.length) / 22_050).toBeLessThan(0.15);
    speech.stop();
  });

  test('follows speed, pitch, volume, voice and language', async () => {
    const speech = speechOf();
    const speak = async (extra: object) =>
      toSound(parseWav(await speech.speak({ text, format: 'wav', ...extra }, signal))!);
    const [plain, fast, soft, male, german] = await Promise.all([
      speak({}),
      speak({ speed: 2 }),
      speak({ volume: 0.2 }),
      speak({ voice: 'male' }),
      speak({ language: 'de-DE' }),
    ]);
    expect(fast.samples.length).toBeLessThan(plain.samples.length * 0.8);
    expect(measureLoudness(plain) - measureLoudness(soft)).toBeGreaterThan(6);
    expect(Buffer.from(male.samples.buffer).equals(Buffer.from(plain.samples.buffer))).toBe(false);
    expect(Buffer.from(german.samples.buffer).equals(Buffer.from(plain.samples.buffer))).toBe(false);
    speech.stop();
  });

  test('reads SSML', async () => {
    const speech = speechOf();
    const speak = async (text: string) =>
      toSound(parseWav(await speech.speak({ text, format: 'wav', textType: 'ssml' }, signal))!).samples.length / 22_050;
    const short = await speak('<speak>One. Two.</speak>');
    const long = await speak('<speak>One. <break time="2s"/> Two.</speak>');
    expect(long - short).toBeGreaterThan(1.2);
    speech.stop();
  });

  test('two voices are mixed to one loudness with pauses of 250 ms', async () => {
    const speech = speechOf();
    const mixer = speech.openMixer();
    for (const [index, volume] of [1, 0.3, 1, 0.3].entries()) {
      const voice = index % 2 === 0 ? 'male' : 'female';
      await mixer.add(
        await speech.speakLine(
          { text: 'The moon moves the water of the sea every day', voice, volume, format: 'wav' },
          signal,
        ),
      );
    }
    const { bytes, durationMs } = await mixer.finish({ title: 'T', chapters: [] });
    mixer.close();
    const sound = await decodeMp3(bytes);
    expect(Math.abs((sound.samples.length / sound.sampleRate) * 1000 - durationMs)).toBeLessThan(120);
    const parts = stretches(sound, 0.001);
    // Speech has pauses of its own; those between lines are the long ones.
    const pauses = parts.slice(1, -1).filter((part) => !part.loud && part.seconds > 0.2);
    expect(pauses).toHaveLength(3);
    for (const pause of pauses) expect(Math.abs(pause.seconds - 0.25)).toBeLessThan(0.06);
    const borders = [0, ...pauses.map((pause) => pause.start + pause.seconds), sound.samples.length / sound.sampleRate];
    const loudness = borders.slice(0, -1).map((from, index) =>
      measureLoudness({
        samples: sound.samples.subarray(from * sound.sampleRate, borders[index + 1]! * sound.sampleRate),
        sampleRate: sound.sampleRate,
      }),
    );
    expect(Math.max(...loudness) - Math.min(...loudness)).toBeLessThan(1.5);
    speech.stop();
  });
});

describe('the program', () => {
  const tone = `cat ${join(import.meta.dir, '../fixtures/speech/tone.wav')}`;

  test('gets the text on stdin and its arguments without a shell', async () => {
    const out = join(mkdtempSync(join(tmpdir(), 'agent-speech-')), 'seen');
    const path = program(`cat > ${out}; printf '%s|' "$@" >> ${out}; ${tone}`);
    await engine({ program: path, args: ['-v', '{voice}', '{length_scale}', '$(touch /tmp/never)'] }).speak(
      { text: 'Hi; rm -rf "$HOME" `x`', voice: 'v1.2', speed: 2, format: 'wav' },
      signal,
    );
    expect(await Bun.file(out).text()).toBe('Hi; rm -rf "$HOME" `x`\n-v|v1.2|0.500|$(touch /tmp/never)|');
  });

  test('does not see our environment', async () => {
    const out = join(mkdtempSync(join(tmpdir(), 'agent-speech-')), 'env');
    await engine({ program: program(`env > ${out}; ${tone}`), args: [] }).speak({ text: 'x', format: 'wav' }, signal);
    const names = (await Bun.file(out).text()).split('\n').map((line) => line.split('=')[0]);
    for (const name of names)
      expect(['PATH', 'HOME', 'LANG', 'PWD', 'SHLVL', '_', 'OLDPWD', '']).toContain(String(name));
  });

  test.each([
    ['fails', 'exit 3', 'upstream_unavailable', 'exit status 3'],
    ['writes nothing', 'exit 0', 'upstream_rejected', 'no audio'],
    ['is too slow', 'sleep 60', 'upstream_timeout', 'too long'],
  ])('that %s is an error that names it', async (_, body, code, words) => {
    const slow = engine({ program: program(body), args: [], timeoutMs: 150 });
    const error = await slow.speak({ text: 'x', format: 'wav' }, signal).catch((failure) => failure);
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(words);
    expect(error.message).toContain('say');
  });

  test('that is not installed is a setting to correct', () => {
    expect(() => engine({ program: 'no-such-speech-program' }).checkReady()).toThrow('is not installed');
  });

  test('that does not speak WAV is an error after the retries', async () => {
    const speech = speechOf({ program: program('echo hello'), args: [] });
    const error = await speech.speakLine({ text: 'x', format: 'wav' }, signal).catch((failure) => failure);
    expect(error).toMatchObject({ code: 'upstream_rejected' });
  });

  test('is killed with its children on abort', async () => {
    const pidFile = join(mkdtempSync(join(tmpdir(), 'agent-speech-')), 'pid');
    const path = program(`sleep 60 & echo $! > ${pidFile}; wait`);
    const stop = new AbortController();
    const speaking = engine({ program: path, args: [] }).speak({ text: 'x', format: 'wav' }, stop.signal);
    while (!(await Bun.file(pidFile).exists()) || (await Bun.file(pidFile).text()) === '') await Bun.sleep(2);
    stop.abort(new DOMException('gone', 'AbortError'));
    await expect(speaking).rejects.toThrow('gone');
    const pid = Number(await Bun.file(pidFile).text());
    const isAlive = () => {
      const stat = require('node:fs').existsSync(`/proc/${pid}/stat`);
      return stat && !/\) Z /.test(require('node:fs').readFileSync(`/proc/${pid}/stat`, 'utf8'));
    };
    for (let wait = 0; wait < 100 && isAlive(); wait++) await Bun.sleep(5);
    expect(isAlive()).toBe(false);
  });

  test.each(['-x', '../../etc/voice', '/etc/passwd', 'a b', ''.padEnd(100, 'a')])(
    'refuses the voice %j',
    async (voice) => {
      const path = program(tone);
      const error = await engine({ program: path })
        .speak({ text: 'x', voice, format: 'wav' }, signal)
        .catch((f) => f);
      expect(error).toMatchObject({ status: 422 });
    },
  );

  test('refuses SSML when it has no arguments for it', async () => {
    const error = await engine({ program: program(tone), ssmlArgs: [] })
      .speak({ text: '<speak>a</speak>', textType: 'ssml', format: 'wav' }, signal)
      .catch((failure) => failure);
    expect(error).toMatchObject({ status: 422, code: 'ssml_unsupported' });
  });
});

import { describe, expect, test } from 'bun:test';
import { fail } from '../../src/errors.ts';
import { createExtractiveModel } from '../../src/models/extractive/extractive.ts';
import { measureLoudness } from '../../src/speech/loudness.ts';
import { parseMp3 } from '../../src/speech/mp3-frames.ts';
import { localVolcengine, startContentApp } from '../helpers/content-app.ts';
import { decodeMp3, readChapters, readId3, stretches, textOf } from '../helpers/decode-mp3.ts';
import { parseFrames } from '../helpers/research-app.ts';
import { gate, type ScriptedStep, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { type SpeechServerOptions, silentMp3, startSpeechServer, tone } from '../helpers/speech-server.ts';

interface OpenOptions {
  script?: ScriptedStep[];
  provider?: SpeechServerOptions;
  settings?: Parameters<typeof localVolcengine>[1];
  podcast?: Parameters<typeof startContentApp>[0]['podcast'];
  attempts?: number;
}

async function open(options: OpenOptions = {}) {
  const provider = startSpeechServer(options.provider);
  const model = options.script ? scriptedModel(options.script) : createExtractiveModel();
  const app = await startContentApp({
    models: scriptedModels({ basic: model }),
    engine: localVolcengine(provider.url, options.settings),
    ...(options.podcast ? { podcast: options.podcast } : {}),
    ...(options.attempts ? { attempts: options.attempts } : {}),
  });
  return {
    app,
    provider,
    model: model as ReturnType<typeof scriptedModel>,
    make: (body: unknown) => app.post('/api/podcast/generate', body),
    async events(response: Response) {
      const id = response.headers.get('x-run-id');
      return parseFrames(await (await app.fetch(`/api/runs/${id}/events`)).text());
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

const script = (lines: number) => ({
  locale: 'en',
  title: 'Tides & Möwen',
  lines: Array.from({ length: lines }, (_, index) => ({
    speaker: index % 2 === 0 ? 'male' : 'female',
    paragraph: `This is line ${index + 1}.`,
    ...(index === 0 ? { chapter: 'Hello' } : index === 2 ? { chapter: 'The Moon' } : {}),
  })),
});
const answer = (value: unknown): ScriptedStep => ({
  agent: 'podcast',
  text: typeof value === 'string' ? value : JSON.stringify(value),
});
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

describe('a podcast of WAV lines', () => {
  test('is one MP3: trimmed, 250 ms apart, equally loud, with title and chapters', async () => {
    await using it = await open({
      script: [answer(script(4))],
      provider: {
        reply: (call) => ({
          audio: tone(
            call.voice === 'BV002_streaming'
              ? { seconds: 0.6, hertz: 300, level: 0.6, padSeconds: 0.5 }
              : { seconds: 0.6, hertz: 500, level: 0.05, padSeconds: 0.1 },
          ),
        }),
      },
    });
    const response = await it.make({ content: '# Tides' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('audio/mp3');
    const mp3 = await bytesOf(response);
    const sound = await decodeMp3(mp3);
    expect(sound.sampleRate).toBe(24_000);
    const parts = stretches(sound);
    const loud = parts.filter((part) => part.loud);
    expect(loud).toHaveLength(4);
    for (const part of loud) expect(Math.abs(part.seconds - 0.6)).toBeLessThan(0.05);
    const gaps = parts.filter((part) => !part.loud).slice(1, 4);
    for (const gap of gaps) expect(Math.abs(gap.seconds - 0.25)).toBeLessThan(0.05);
    const loudness = loud.map(({ start, seconds }) => {
      const [from, to] = [start * sound.sampleRate, (start + seconds) * sound.sampleRate].map(Math.round);
      return measureLoudness({ samples: sound.samples.subarray(from, to), sampleRate: sound.sampleRate });
    });
    for (const value of loudness) expect(Math.abs(value - -19)).toBeLessThan(1);

    const title = readId3(mp3).find(({ id }) => id === 'TIT2');
    expect(textOf(title!.body)).toBe('Tides & Möwen');
    expect(readId3(mp3).filter(({ id }) => id === 'CTOC')).toHaveLength(1);
    const chapters = readChapters(mp3);
    expect(chapters.map((chapter) => chapter.title)).toEqual(['Hello', 'The Moon']);
    expect(chapters[0]!.startMs).toBe(0);
    expect(chapters[0]!.endMs).toBe(chapters[1]!.startMs);
    expect(Math.abs(chapters[1]!.startMs - 2 * 850)).toBeLessThan(30);
  });

  test('speaks with two voices, in WAV, at most four lines at a time, in the order of the script', async () => {
    await using it = await open({
      script: [answer(script(20))],
      provider: {
        reply: (call, number) => ({
          // Later lines come back sooner.
          latencyMs: 20 - (number % 5) * 4,
          audio: tone({ seconds: 0.1 + Number(/\d+/.exec(call.text)![0]) / 100, hertz: 400 }),
        }),
      },
    });
    const sound = await decodeMp3(await bytesOf(await it.make({ content: 'x' })));
    const lengths = stretches(sound)
      .filter((part) => part.loud)
      .map((part) => part.seconds);
    expect(lengths).toHaveLength(20);
    for (const [index, seconds] of lengths.entries())
      expect(Math.abs(seconds - (0.1 + (index + 1) / 100))).toBeLessThan(0.04);
    expect(it.provider.peak).toBeLessThanOrEqual(4);
    expect(it.provider.peak).toBeGreaterThan(1);
    expect(new Set(it.provider.calls.map((call) => call.voice))).toEqual(
      new Set(['BV002_streaming', 'BV001_streaming']),
    );
    expect(it.provider.calls.every((call) => call.body['audio'].encoding === 'wav')).toBe(true);
  });

  test('keeps the transcript with the run', async () => {
    await using it = await open({ script: [answer(script(3))] });
    const response = await it.make({ content: 'x' });
    const frames = await it.events(response);
    const transcript = frames.filter((frame) => frame.event === 'podcast_script');
    expect(transcript.flatMap((frame) => frame.data['lines'])).toEqual(script(3).lines);
    expect(frames.filter((frame) => frame.event === 'podcast_progress').map((frame) => frame.data['spoken'])).toEqual([
      1, 2, 3,
    ]);
    const audio = frames.at(-1)!;
    expect(audio.event).toBe('podcast_audio');
    expect(audio.data['bytes']).toBe((await bytesOf(response)).length);
    const run = (await (await it.app.fetch(`/api/runs/${response.headers.get('x-run-id')}`)).json()) as any;
    expect(run).toMatchObject({ kind: 'podcast', status: 'completed', usage: { by_agent: { podcast: {} } } });
  });
});

test('lines that come only as MP3 are joined frame by frame, without tags and Xing headers', async () => {
  await using it = await open({
    script: [answer(script(3))],
    provider: { mp3Only: true, reply: () => ({ audio: silentMp3(5, { id3: true, xing: true, id3v1: true }) }) },
  });
  const mp3 = await bytesOf(await it.make({ content: 'x' }));
  const size = (mp3[6]! << 21) | (mp3[7]! << 14) | (mp3[8]! << 7) | mp3[9]!;
  const audio = mp3.subarray(10 + size);
  expect(audio.length).toBe(15 * 417);
  for (let at = 0; at < audio.length; at += 417) expect([...audio.subarray(at, at + 2)]).toEqual([0xff, 0xfb]);
  expect(Buffer.from(audio).includes('Xing')).toBe(false);
  expect(Buffer.from(audio).includes('TAG')).toBe(false);
  expect(parseMp3(mp3)!.frames).toBe(15);
});

describe('lines that fail', () => {
  test('line 117 of 200 fails once: the podcast is whole', async () => {
    let failed = false;
    await using it = await open({
      script: [answer(script(200))],
      provider: {
        reply: (call) => {
          if (failed || call.text !== 'This is line 117.') return { audio: tone({ seconds: 0.05 }) };
          failed = true;
          return { code: 3031 };
        },
      },
    });
    const response = await it.make({ content: 'x' });
    expect(response.status).toBe(200);
    expect(it.provider.calls).toHaveLength(201);
    const loud = stretches(await decodeMp3(await bytesOf(response))).filter((part) => part.loud);
    expect(loud).toHaveLength(200);
  });

  test('line 117 of 200 always fails: no podcast, and the line is named', async () => {
    await using it = await open({
      script: [answer(script(200))],
      provider: {
        reply: (call) => (call.text === 'This is line 117.' ? { code: 3031 } : { audio: tone({ seconds: 0.05 }) }),
      },
    });
    const response = await it.make({ content: 'x' });
    expect(response.status).toBe(500);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    const problem = (await response.json()) as any;
    expect(problem.code).toBe('upstream_unavailable');
    expect(problem.detail).toContain('Line 117 of 200');
    expect(it.provider.calls.filter((call) => call.text === 'This is line 117.')).toHaveLength(4);
    expect((await it.events(response)).at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'upstream_unavailable' },
    });
  });

  test('a code that does not pass is not retried', async () => {
    await using it = await open({ script: [answer(script(1))], provider: { reply: () => ({ code: 3050 }) } });
    expect((await it.make({ content: 'x' })).status).toBe(500);
    expect(it.provider.calls).toHaveLength(1);
  });

  test('audio that is neither WAV nor MP3 is asked for again, then refused', async () => {
    await using it = await open({
      script: [answer(script(1))],
      provider: { reply: () => ({ audio: new TextEncoder().encode('OggS....') }) },
    });
    const response = await it.make({ content: 'x' });
    expect(response.status).toBe(500);
    expect(((await response.json()) as any).detail).toContain('Line 1 of 1');
    expect(it.provider.calls).toHaveLength(4);
  });
});

describe('the script', () => {
  test.each([
    ['in a code fence', '```json\n{"locale":"en","lines":[{"speaker":"male","paragraph":"Hello."}]}\n```', ['Hello.']],
    ['with trailing commas', '{"locale":"en","lines":[{"speaker":"female","paragraph":"Hi.",},]}', ['Hi.']],
    [
      'as a bare list',
      '[{"speaker":"male","paragraph":"One."},{"speaker":"female","paragraph":"Two."}]',
      ['One.', 'Two.'],
    ],
    [
      'with one speaker',
      {
        lines: [
          { speaker: 'male', paragraph: 'A.' },
          { speaker: 'male', paragraph: 'B.' },
        ],
      },
      ['A.', 'B.'],
    ],
    [
      'with Markdown in it',
      { lines: [{ speaker: 'Female', paragraph: '**Bold** [link](https://a.example) `code`' }] },
      ['Bold link code'],
    ],
    [
      'with an empty line',
      {
        lines: [
          { speaker: 'male', paragraph: '…' },
          { speaker: 'female', paragraph: 'B.' },
        ],
      },
      ['B.'],
    ],
  ])('%s is understood', async (_, given, spoken) => {
    await using it = await open({ script: [answer(given)] });
    const response = await it.make({ content: '# Title' });
    expect(response.status).toBe(200);
    expect(it.provider.calls.map((call) => call.text)).toEqual(spoken);
    it.model.assertDone();
  });

  test.each([
    ['is no JSON', 'Sorry, I cannot.'],
    ['has no lines', { locale: 'en', lines: [] }],
    ['has lines that are texts', { lines: ['Hello'] }],
    ['is too long', script(6)],
  ])('that %s is asked for once more', async (_, bad) => {
    await using it = await open({ script: [answer(bad), answer(script(2))], podcast: { maxLines: 5 } });
    expect((await it.make({ content: 'x' })).status).toBe(200);
    it.model.assertDone();
    const again = it.model.requests[1]!.messages.at(-1)!;
    expect(again.role).toBe('user');
    expect(String(again.content)).toContain('cannot be used');
  });

  test('that was cut off is asked for again: a repaired half would be a podcast without its end', async () => {
    const half = JSON.stringify(script(4)).slice(0, 200);
    await using at = await open({ script: [{ ...answer(half), finishReason: 'length' }, answer(script(7))] });
    const response = await at.make({ content: 'Tides.' });
    expect(response.status).toBe(200);
    expect(at.provider.calls).toHaveLength(7);
  });

  test('that stays bad is a 500 before anything is spoken', async () => {
    await using it = await open({ script: [answer('no'), answer({ lines: [] })] });
    const response = await it.make({ content: 'x' });
    expect(response.status).toBe(500);
    expect(((await response.json()) as any).code).toBe('upstream_rejected');
    expect(it.provider.calls).toHaveLength(0);
    it.model.assertDone();
  });

  test('is asked for in JSON mode, as the agent podcast, with the content as data', async () => {
    await using it = await open({ script: [answer(script(1))] });
    const response = await it.make({ content: 'The tides.', locale: 'de-DE' });
    const [request] = it.model.requests;
    expect(request).toMatchObject({ agent: 'podcast', responseFormat: 'json' });
    expect(request!.runId).toBe(response.headers.get('x-run-id')!);
    expect(String(request!.messages[0]!.content)).toContain('de-DE');
    expect(String(request!.messages[1]!.content)).toMatch(/<<<DATA \w{16}\nThe tides\.\nDATA/);
  });
});

describe('without a language model', () => {
  test('the text is read in turns, its headings are chapters', async () => {
    await using it = await open();
    const content =
      '# Tides\n\nThe **Moon** pulls the [sea](https://a.example/x) [1].\n\n- It rises.\n- It falls.\n\n## Sun\n\n> The Sun helps.\n\n```js\nhidden()\n```\n\n## References\n\n- [A](https://a.example)\n';
    const response = await it.make({ content });
    expect(response.status).toBe(200);
    const spoken = (await it.events(response)).filter((frame) => frame.event === 'podcast_script')[0]!.data;
    expect(spoken['title']).toBe('Tides');
    expect(spoken['lines']).toEqual([
      { speaker: 'male', paragraph: 'Tides. The Moon pulls the sea.', chapter: 'Tides' },
      { speaker: 'female', paragraph: 'It rises.' },
      { speaker: 'male', paragraph: 'It falls.' },
      { speaker: 'female', paragraph: 'Sun. The Sun helps.', chapter: 'Sun' },
    ]);
    expect(readChapters(await bytesOf(response)).map((chapter) => chapter.title)).toEqual(['Tides', 'Sun']);
  });

  test.each([
    ['one byte', 'a', 1],
    ['only a table', '| City | People |\n|---|---|\n| Bern | 134,000 |\n| Basel | 173,000 |\n', 2],
    ['sixty headings', Array.from({ length: 60 }, (_, index) => `## Part ${index + 1}`).join('\n'), 60],
  ])('content of %s is read', async (_, content, lines) => {
    await using it = await open();
    expect((await it.make({ content })).status).toBe(200);
    expect(it.provider.calls).toHaveLength(lines);
  });

  test.each([
    ['of 1 MB', 'word '.repeat(200_000), 'content_too_long'],
    ['with nothing to read', '***\n\n```\ncode\n```\n', 'nothing_to_read'],
    ['that is empty', '  ', 'invalid_request'],
    ['that is missing', undefined, 'invalid_request'],
  ])('content %s is a 422', async (_, content, code) => {
    await using it = await open();
    const response = await it.make({ content });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code });
    expect(it.provider.calls).toHaveLength(0);
  });
});

test('missing speech settings are a 500 that names the variable', async () => {
  await using it = await open({ settings: { appId: undefined } });
  const response = await it.make({ content: 'x' });
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ detail: 'PROVIDER_TTS_APPID is not set' });
});

test('a failing model is a 500 with the code of the failure', async () => {
  const error = fail('upstream_timeout', 'The model did not answer in time.', { retryable: true });
  await using it = await open({ script: [{ agent: 'podcast', error }] });
  const response = await it.make({ content: 'x' });
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ code: 'upstream_timeout' });
});

describe('a client that goes away', () => {
  test('in the middle of speaking ends the calls and the run', async () => {
    await using it = await open({
      script: [answer(script(40))],
      provider: { reply: (_, number) => (number > 6 ? { never: true } : {}) },
    });
    const gone = new AbortController();
    const request = it.app.fetch('/api/podcast/generate', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"content":"x"}',
      signal: gone.signal,
    });
    while (it.provider.calls.length < 10) await Bun.sleep(2);
    gone.abort();
    await expect(request).rejects.toThrow();
    const list = async () => ((await (await it.app.fetch('/api/runs')).json()) as any).runs as any[];
    for (let wait = 0; wait < 200 && (await list())[0].status === 'running'; wait++) await Bun.sleep(5);
    expect((await list())[0].status).toBe('cancelled');
    expect(it.provider.calls.filter((call) => call.aborted)).toHaveLength(4);
    expect(it.provider.calls).toHaveLength(10);
  });

  test('while it waits for its turn leaves the queue', async () => {
    const held = gate();
    const slow: ScriptedStep = { ...answer(script(1)), before: () => held.wait() };
    await using it = await open({ script: [slow, answer(script(1))], podcast: { maxConcurrency: 1, maxWaiting: 2 } });
    const first = it.make({ content: 'first' });
    while (it.model.requests.length === 0) await Bun.sleep(2);
    const gone = new AbortController();
    const waiting = it.app.fetch('/api/podcast/generate', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"content":"gone"}',
      signal: gone.signal,
    });
    const third = it.make({ content: 'third' });
    await Bun.sleep(20);
    expect((await it.make({ content: 'fourth' })).status).toBe(503);
    gone.abort();
    await expect(waiting).rejects.toThrow();
    held.open();
    expect((await first).status).toBe(200);
    expect((await third).status).toBe(200);
    expect(it.model.requests).toHaveLength(2);
  });
});

test('two hundred podcasts at once: four are made at a time, none is lost', async () => {
  await using it = await open({ script: [{ ...answer(script(2)), times: 200 }] });
  const responses = await Promise.all(Array.from({ length: 200 }, () => it.make({ content: 'x' })));
  expect(responses.map((response) => response.status)).toEqual(Array.from({ length: 200 }, () => 200));
  expect(it.provider.peak).toBeLessThanOrEqual(8);
  expect(it.provider.calls).toHaveLength(400);
});

import { describe, expect, test } from 'bun:test';
import { createExtractiveModel } from '../../src/models/extractive/extractive.ts';
import { parseMp3 } from '../../src/speech/mp3-frames.ts';
import { parseWav } from '../../src/speech/wav.ts';
import { localVolcengine, startContentApp } from '../helpers/content-app.ts';
import { scriptedModels } from '../helpers/scripted-model.ts';
import { type SpeechServerOptions, silentMp3, startSpeechServer, tone } from '../helpers/speech-server.ts';

const models = scriptedModels({ basic: createExtractiveModel() });
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

async function open(options: SpeechServerOptions = {}, settings: Parameters<typeof localVolcengine>[1] = {}) {
  const provider = startSpeechServer(options);
  const app = await startContentApp({ models, engine: localVolcengine(provider.url, settings) });
  return {
    app,
    provider,
    speak: (body: unknown) => app.post('/api/tts', body),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

describe('the request to Volcengine', () => {
  test('has the documented shape, defaults and header', async () => {
    await using it = await open();
    const response = await it.speak({ text: 'Hello.' });
    expect(response.status).toBe(200);
    const [call] = it.provider.calls;
    expect(call!.headers.get('authorization')).toBe('Bearer;tts-secret-token');
    const { reqid, ...request } = call!.body['request'];
    expect(reqid).toMatch(UUID);
    expect(request).toEqual({
      text: 'Hello.',
      text_type: 'plain',
      operation: 'query',
      with_frontend: 1,
      frontend_type: 'unitTson',
    });
    expect(call!.body['app']).toEqual({ appid: 'app-1', token: 'tts-secret-token', cluster: 'volcano_tts' });
    expect(typeof call!.body['user'].uid).toBe('string');
    expect(call!.body['audio']).toEqual({
      voice_type: 'BV700_V2_streaming',
      encoding: 'mp3',
      speed_ratio: 1,
      volume_ratio: 1,
      pitch_ratio: 1,
    });
  });

  test('honours every field of the request', async () => {
    await using it = await open();
    const response = await it.speak({
      text: '<speak>Hi <break time="1s"/></speak>',
      voice_type: 'BV123_streaming',
      encoding: 'wav',
      speed_ratio: 0.1,
      volume_ratio: 3,
      pitch_ratio: 1.5,
      text_type: 'ssml',
      with_frontend: 0,
      frontend_type: 'other',
    });
    expect(response.status).toBe(200);
    const { audio, request } = it.provider.calls[0]!.body;
    expect(audio).toEqual({
      voice_type: 'BV123_streaming',
      encoding: 'wav',
      speed_ratio: 0.1,
      volume_ratio: 3,
      pitch_ratio: 1.5,
    });
    expect(request).toMatchObject({
      text: '<speak>Hi <break time="1s"/></speak>',
      text_type: 'ssml',
      with_frontend: 0,
      frontend_type: 'other',
    });
  });

  test('takes null for what is absent', async () => {
    await using it = await open();
    const response = await it.speak({
      text: 'Hi',
      voice_type: null,
      encoding: null,
      speed_ratio: null,
      text_type: null,
    });
    expect(response.status).toBe(200);
    expect(it.provider.calls[0]!.body['audio']).toMatchObject({ voice_type: 'BV700_V2_streaming', encoding: 'mp3' });
  });
});

describe('the answer', () => {
  test.each([
    ['mp3', silentMp3()],
    ['wav', tone()],
  ] as const)('is the %s the provider sent, as an attachment', async (encoding, audio) => {
    await using it = await open({ reply: () => ({ audio }) });
    const response = await it.speak({ text: 'Hello.', encoding });
    expect(response.headers.get('content-type')).toBe(`audio/${encoding}`);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="speech.${encoding}"`);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(audio));
  });

  test('is MP3 when the engine gave WAV', async () => {
    await using it = await open({ reply: () => ({ audio: tone({ seconds: 1 }) }) });
    const mp3 = parseMp3(new Uint8Array(await (await it.speak({ text: 'Hello.' })).arrayBuffer()));
    expect(mp3).toMatchObject({ sampleRate: 24_000, channels: 1 });
    expect((mp3!.frames * mp3!.samplesPerFrame) / mp3!.sampleRate).toBeCloseTo(1, 0);
  });

  test('of a text over 1,024 bytes is joined from pieces cut at sentences', async () => {
    await using it = await open();
    const sentence = '月亮绕着地球转，太阳照着大地。';
    const text = sentence.repeat(60);
    const response = await it.speak({ text, encoding: 'wav' });
    expect(response.status).toBe(200);
    expect(it.provider.calls.length).toBeGreaterThan(2);
    for (const call of it.provider.calls) {
      expect(Buffer.byteLength(call.text)).toBeLessThanOrEqual(1024);
      expect(call.text.endsWith('。')).toBe(true);
    }
    expect(it.provider.calls.map((call) => call.text).join('')).toBe(text);
    expect(new Set(it.provider.calls.map((call) => call.body['request'].reqid)).size).toBe(it.provider.calls.length);
    const wav = parseWav(new Uint8Array(await response.arrayBuffer()));
    expect(wav!.data.length / 2 / 24_000).toBeCloseTo(0.2 * it.provider.calls.length, 3);
  });

  test('that is in a form of its own is handed on as it came, whole or in pieces', async () => {
    await using it = await open({ reply: (_, number) => ({ audio: new TextEncoder().encode(`part ${number};`) }) });
    expect(await (await it.speak({ text: 'Hello.' })).text()).toBe('part 1;');
    const long = await it.speak({ text: '月亮绕着地球转。'.repeat(60) });
    expect(await long.text()).toBe('part 2;part 3;');
  });

  test('of pieces that do not fit together is a 500', async () => {
    await using it = await open({ reply: (_, number) => ({ audio: number === 1 ? tone() : silentMp3() }) });
    const response = await it.speak({ text: '月亮绕着地球转。'.repeat(60) });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'upstream_rejected' });
  });

  test('of long SSML is spoken document by document, never cut inside an element', async () => {
    await using it = await open();
    const element = `<p>${'Tides rise and fall. '.repeat(18)}</p>`;
    const response = await it.speak({
      text: `<speak version="1.0">${element.repeat(2)}Ende.</speak>`,
      text_type: 'ssml',
    });
    expect(response.status).toBe(200);
    expect(it.provider.calls.map((call) => call.text)).toEqual([
      `<speak version="1.0">${element.repeat(2)}Ende.</speak>`,
    ]);
    const long = `<p>${'月亮'.repeat(120)}</p>`;
    const second = await it.speak({ text: `<speak>${long.repeat(3)}</speak>`, text_type: 'ssml', encoding: 'mp3' });
    expect(second.status).toBe(200);
    expect(it.provider.calls.slice(1).map((call) => call.text)).toEqual(
      Array.from({ length: 3 }, () => `<speak>${long}</speak>`),
    );
    const third = await it.speak({ text: `<speak><p>${'月'.repeat(500)}</p></speak>`, text_type: 'ssml' });
    expect(third.status).toBe(422);
    expect(await third.json()).toMatchObject({ code: 'ssml_too_long' });
  });
});

describe('what is refused with 422 before the provider is asked', () => {
  test.each([
    ['an empty text', { text: '' }, '/text'],
    ['a text of white space', { text: '  \n' }, '/text'],
    ['a text of 1,025 characters', { text: 'a'.repeat(1025) }, '/text'],
    ['no text', {}, '/text'],
    ['an unknown encoding', { text: 'a', encoding: 'ogg' }, '/encoding'],
    ['an unknown text type', { text: 'a', text_type: 'html' }, '/text_type'],
    ['a speed below 0.1', { text: 'a', speed_ratio: 0.09 }, '/speed_ratio'],
    ['a volume over 3', { text: 'a', volume_ratio: 3.01 }, '/volume_ratio'],
    ['a pitch that is no number', { text: 'a', pitch_ratio: 'high' }, '/pitch_ratio'],
    ['a fraction as with_frontend', { text: 'a', with_frontend: 1.5 }, '/with_frontend'],
  ])('%s', async (_, body, path) => {
    await using it = await open();
    const response = await it.speak(body);
    expect(response.status).toBe(422);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect((await response.json()) as any).toMatchObject({ errors: [{ path }] });
    expect(it.provider.calls).toHaveLength(0);
  });

  test.each([
    ['an element that is not closed', '<speak>Hi'],
    ['text outside of the root', 'Hi there'],
    ['a bare ampersand', '<speak>salt & pepper</speak>'],
    ['another root', '<html>Hi</html>'],
    ['an entity of its own', '<!DOCTYPE speak [<!ENTITY a "b">]><speak>&a;</speak>'],
  ])('SSML with %s', async (_, text) => {
    await using it = await open();
    const response = await it.speak({ text, text_type: 'ssml' });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'invalid_ssml' });
    expect(it.provider.calls).toHaveLength(0);
  });

  test('1,024 characters are spoken', async () => {
    await using it = await open();
    expect((await it.speak({ text: 'a'.repeat(1024) })).status).toBe(200);
    // Characters are what a person counts as one, not halves of a surrogate pair.
    expect((await it.speak({ text: '🌊'.repeat(1024) })).status).toBe(200);
    expect((await it.speak({ text: '🌊'.repeat(1025) })).status).toBe(422);
  });
});

describe('settings', () => {
  test.each([
    [{ appId: undefined, accessToken: undefined }, 'PROVIDER_TTS_APPID is not set'],
    [{ appId: undefined }, 'PROVIDER_TTS_APPID is not set'],
    [{ accessToken: undefined }, 'PROVIDER_TTS_ACCESS_TOKEN is not set'],
  ])('that are missing are a 400 that names the variable', async (settings, detail) => {
    await using it = await open({}, settings);
    const response = await it.speak({ text: 'Hello.' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail, code: 'speech_not_configured' });
    expect(it.provider.calls).toHaveLength(0);
  });
});

describe('failures of the provider', () => {
  test.each([3003, 3005, 3030, 3031, 3032, 3040])('code %d is retried with a new id', async (code) => {
    await using it = await open({ reply: (_, number) => (number === 1 ? { code } : {}) });
    expect((await it.speak({ text: 'Hello.' })).status).toBe(200);
    const ids = it.provider.calls.map((call) => call.body['request'].reqid);
    expect(ids).toHaveLength(2);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test.each([3001, 3006, 3010, 3011, 3050, 3999])('code %d is not retried', async (code) => {
    await using it = await open({ reply: () => ({ code }) });
    const response = await it.speak({ text: 'Hello.' });
    expect(response.status).toBe(500);
    const problem = (await response.json()) as any;
    expect(problem.code).toBe('upstream_rejected');
    expect(problem.detail).toContain('Volcengine');
    expect(problem.detail).toContain(String(code));
    expect(it.provider.calls).toHaveLength(1);
  });

  test.each([
    ['a code in an answer with HTTP 500', { status: 500, code: 3050 }, 'upstream_rejected', 1],
    ['a code that passes in an answer with HTTP 400', { status: 400, code: 3003 }, 'upstream_rate_limited', 4],
    ['HTTP 503 without a code', { status: 503, raw: 'busy' }, 'upstream_unavailable', 4],
    ['HTTP 401 without a code', { status: 401, raw: '' }, 'upstream_rejected', 1],
    ['base64 that is broken', { data: '***not base64***' }, 'upstream_rejected', 4],
    ['no audio', { data: '' }, 'upstream_rejected', 4],
    ['an answer that is not JSON', { raw: '<html>' }, 'upstream_rejected', 4],
  ])('%s', async (_, reply, code, calls) => {
    await using it = await open({ reply: () => reply });
    const response = await it.speak({ text: 'Hello.' });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ code });
    expect(it.provider.calls).toHaveLength(calls);
    for (const secret of ['tts-secret-token', 'secret-token-in-them', 'app-1'])
      expect(`${text}${it.app.logText()}`).not.toContain(secret);
  });

  test('a provider that does not answer in time is upstream_timeout', async () => {
    await using it = await open({ reply: () => ({ never: true }) }, { timeoutMs: 20 });
    const response = await it.speak({ text: 'Hello.' });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'upstream_timeout' });
  });

  test('a provider that is down is upstream_unavailable', async () => {
    await using it = await open({}, { url: 'http://127.0.0.1:9/api/v1/tts' });
    const response = await it.speak({ text: 'Hello.' });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'upstream_unavailable' });
  });

  test('a client that goes away aborts the call', async () => {
    await using it = await open({ reply: () => ({ never: true }) });
    const gone = new AbortController();
    const request = it.app.fetch('/api/tts', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"Hello."}',
      signal: gone.signal,
    });
    while (it.provider.calls.length === 0) await Bun.sleep(2);
    gone.abort();
    await expect(request).rejects.toThrow();
    for (let wait = 0; wait < 200 && !it.provider.calls[0]!.aborted; wait++) await Bun.sleep(5);
    expect(it.provider.calls[0]!.aborted).toBe(true);
    expect(it.provider.calls).toHaveLength(1);
  });
});

test('two hundred texts at once wait for eight calls and are all spoken', async () => {
  await using it = await open({ reply: () => ({ latencyMs: 2 }) });
  const responses = await Promise.all(Array.from({ length: 200 }, (_, index) => it.speak({ text: `Text ${index}.` })));
  expect(responses.map((response) => response.status)).toEqual(Array.from({ length: 200 }, () => 200));
  expect(it.provider.peak).toBeLessThanOrEqual(8);
});

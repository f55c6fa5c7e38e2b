import { expect, test } from 'bun:test';
import { ConfigSchema } from '../../src/config/schema.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Value } from '../../src/schema.ts';
import { createSpeechEngine } from '../../src/speech/create-engine.ts';
import { createSpeech } from '../../src/speech/create-speech.ts';
import { silentMp3, tone } from '../helpers/speech-server.ts';

const signal = new AbortController().signal;

/** A local `/v1/audio/speech`. */
function startServer(answer: (body: any) => Response) {
  const calls: { path: string; headers: Headers; body: any }[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = await request.json();
      calls.push({ path: new URL(request.url).pathname, headers: request.headers, body });
      return answer(body);
    },
  });
  const base = `http://127.0.0.1:${server.port}/v1`;
  return { base, calls, [Symbol.asyncDispose]: () => server.stop(true) };
}

function speechAt(openai: object, basic?: object) {
  const config = Value.Default(ConfigSchema, {}) as any;
  Object.assign(config.speech, { provider: 'openai' });
  Object.assign(config.speech.openai, openai);
  const engine = createSpeechEngine({ config: config.speech, basic: basic as any, fetch, now: Date.now });
  return createSpeech({ engine, clock: systemClock, attempts: 3, maxConcurrency: 4, maxWaiting: 10, retryBaseMs: 2 });
}

test('sends what /v1/audio/speech takes and gives the audio back', async () => {
  await using server = startServer(
    (body) => new Response((body.response_format === 'wav' ? tone() : silentMp3()) as never),
  );
  const speech = speechAt({ base_url: server.base, api_key: 'sk-speech', model: 'kokoro' });
  expect(await speech.speak({ text: 'Hi', voice: 'BV700_V2_streaming', speed: 0.1, format: 'mp3' }, signal)).toEqual(
    silentMp3(),
  );
  expect(await speech.speak({ text: 'Hi', voice: 'af_bella', format: 'wav' }, signal)).toEqual(tone());
  expect(server.calls[0]).toMatchObject({
    path: '/v1/audio/speech',
    body: { model: 'kokoro', input: 'Hi', voice: 'nova', response_format: 'mp3', speed: 0.25 },
  });
  expect(server.calls[0]!.headers.get('authorization')).toBe('Bearer sk-speech');
  expect(server.calls[1]!.body.voice).toBe('af_bella');
});

test('uses address and key of the basic model, but never its key at another host', async () => {
  await using server = startServer(() => new Response(silentMp3() as never));
  await speechAt({}, { base_url: server.base, api_key: 'sk-basic' }).speak({ text: 'Hi', format: 'mp3' }, signal);
  expect(server.calls[0]!.headers.get('authorization')).toBe('Bearer sk-basic');
  const elsewhere = speechAt({ base_url: server.base }, { base_url: 'https://api.deepseek.com', api_key: 'sk-basic' });
  await elsewhere.speak({ text: 'Hi', format: 'mp3' }, signal);
  expect(server.calls[1]!.headers.get('authorization')).toBeNull();
});

test.each([
  ['a busy server', () => new Response('', { status: 503 }), 'upstream_unavailable', 3],
  ['a wrong key', () => new Response('', { status: 401 }), 'upstream_rejected', 1],
  ['JSON instead of audio', () => Response.json({ error: 'x' }), 'upstream_rejected', 3],
  ['no audio', () => new Response(''), 'upstream_rejected', 3],
])('%s is an error that names the host', async (_, answer, code, calls) => {
  await using server = startServer(answer);
  const error = await speechAt({ base_url: server.base })
    .speak({ text: 'Hi', format: 'mp3' }, signal)
    .catch((f) => f);
  expect(error).toMatchObject({ code });
  expect(error.message).toContain(new URL(server.base).host);
  expect(server.calls).toHaveLength(calls);
});

test('WAV cannot be made of the MP3 of a server that knows no WAV, and that is said', async () => {
  await using server = startServer(() => new Response(silentMp3() as never));
  const error = await speechAt({ base_url: server.base })
    .speak({ text: 'Hi', format: 'wav' }, signal)
    .catch((f) => f);
  expect(error.message).toContain('MP3 although WAV');
});

test('SSML is refused', async () => {
  const error = await speechAt({ base_url: 'http://127.0.0.1:9' })
    .speak({ text: '<speak>a</speak>', textType: 'ssml', format: 'mp3' }, signal)
    .catch((failure) => failure);
  expect(error).toMatchObject({ status: 422, code: 'ssml_unsupported' });
});

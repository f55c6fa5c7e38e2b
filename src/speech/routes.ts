import { Elysia } from 'elysia';
import { binaryResponse, problemResponses } from '../http/openapi-details.ts';
import { invalidField } from '../lib/invalid-field.ts';
import { MAX_TEXT_CHARACTERS, TtsRequest } from './model.ts';
import type { Speech, SpeechRequest } from './speech.ts';

/** What the speech route needs. */
export interface SpeechNeeds {
  speech: Speech;
}

/** `POST /api/tts`: a text in, audio out. */
export function createSpeechRoutes({ speech }: SpeechNeeds) {
  return new Elysia({ name: 'speech-routes', prefix: '/api' }).post(
    '/tts',
    async ({ body, request, server }) => {
      const wanted = toSpeechRequest(body);
      speech.checkReady();
      // The connection is silent until the audio is there.
      server?.timeout(request, 0);
      const audio = await speech.speak(wanted, request.signal);
      return new Response(audio as Uint8Array<ArrayBuffer>, {
        headers: {
          'content-type': `audio/${wanted.format}`,
          'content-disposition': `attachment; filename="speech.${wanted.format}"`,
        },
      });
    },
    {
      body: TtsRequest,
      detail: {
        tags: ['Content'],
        summary: 'Speak a text',
        description: 'Needs PROVIDER_TTS_APPID and PROVIDER_TTS_ACCESS_TOKEN, or another SPEECH_PROVIDER.',
        responses: { ...binaryResponse('audio/mp3', 'audio/wav'), ...problemResponses(400, 503) },
      },
    },
  );
}

function toSpeechRequest(body: TtsRequest): SpeechRequest {
  if (body.text.trim() === '') throw invalidField('/text', 'The text is empty.');
  const length = [...body.text].length;
  if (length > MAX_TEXT_CHARACTERS)
    throw invalidField('/text', `The text has ${length} characters; at most ${MAX_TEXT_CHARACTERS} are allowed.`);
  const voice = body.voice_type?.trim();
  return {
    text: body.text,
    ...(voice ? { voice } : {}),
    format: body.encoding ?? 'mp3',
    speed: body.speed_ratio ?? 1,
    volume: body.volume_ratio ?? 1,
    pitch: body.pitch_ratio ?? 1,
    textType: body.text_type ?? 'plain',
    withFrontend: body.with_frontend ?? 1,
    frontendType: body.frontend_type ?? 'unitTson',
  };
}

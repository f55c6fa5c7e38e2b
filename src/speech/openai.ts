import { fail } from '../errors.ts';
import { invalidField } from '../lib/invalid-field.ts';
import { fetchProvider } from '../lib/provider-fetch.ts';
import { withoutTrailingSlashes } from '../lib/trim.ts';
import type { SpeechEngine } from './speech.ts';

export interface OpenAiSpeechOptions {
  /** Ends before `/audio/speech`. */
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
  voices: { male: string; female: string };
  timeoutMs: number;
  fetch: typeof fetch;
  now: () => number;
}

const MAX_ANSWER_BYTES = 48 * 1024 * 1024;

/** Any server with OpenAI's `/v1/audio/speech`. It knows no pitch, no volume and no SSML. */
export function createOpenAiSpeech(options: OpenAiSpeechOptions): SpeechEngine {
  const name = `The speech server ${hostOf(options.baseUrl)}`;
  const url = `${withoutTrailingSlashes(options.baseUrl)}/audio/speech`;
  return {
    name,
    maxTextBytes: 4096,
    voices: options.voices,
    checkReady() {
      if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
        throw fail('speech_not_configured', 'speech.openai.base_url is not an http or https URL');
    },
    async speak(request, signal) {
      if (request.textType === 'ssml')
        throw invalidField(
          '/text_type',
          'The speech engine openai does not take SSML; send plain text.',
          'ssml_unsupported',
        );
      const { bytes, headers } = await fetchProvider({
        provider: name,
        fetch: options.fetch,
        url,
        init: {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
          },
          body: JSON.stringify({
            model: options.model,
            input: request.text,
            voice: voiceOf(request.voice, options.voices),
            response_format: request.format,
            // OpenAI's range begins at 0.25.
            speed: Math.max(0.25, request.speed ?? 1),
          }),
        },
        timeoutMs: options.timeoutMs,
        maxBytes: MAX_ANSWER_BYTES,
        signal,
        now: options.now(),
      });
      const isText = /^(?:text\/|application\/json)/.test(headers.get('content-type') ?? '');
      if (bytes.length === 0 || isText) throw fail('upstream_rejected', `${name} sent no audio.`, { retryable: true });
      return bytes;
    },
  };
}

/** Volcengine's voice names, which its clients send by default, mean nothing here. */
function voiceOf(voice: string | undefined, voices: { male: string; female: string }): string {
  if (voice === 'male' || voice === 'female') return voices[voice];
  return voice === undefined || /^BV\d/.test(voice) ? voices.female : voice;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'with an invalid address';
}

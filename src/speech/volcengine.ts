import { type AppError, fail, type UpstreamCode } from '../errors.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import { fetchProvider } from '../lib/provider-fetch.ts';
import type { SpeechEngine, SpeechRequest } from './speech.ts';

export interface VolcengineOptions {
  appId: string | undefined;
  accessToken: string | undefined;
  url: string;
  cluster: string;
  voices: { male: string; female: string };
  timeoutMs: number;
  fetch: typeof fetch;
  now: () => number;
}

/** The voice of a request that names none, as the API documents it. */
const DEFAULT_VOICE = 'BV700_V2_streaming';

const NAME = 'Volcengine';
const SUCCESS = 3000;
const MAX_ANSWER_BYTES = 48 * 1024 * 1024;

/** What the provider's codes mean (its HTTP interface v1); the ones that pass are retried. */
const CODES: Record<number, { code: UpstreamCode; retryable: boolean; says: string }> = {
  3001: { code: 'upstream_rejected', retryable: false, says: 'does not accept the request' },
  3003: { code: 'upstream_rate_limited', retryable: true, says: 'allows no more requests at the same time' },
  3005: { code: 'upstream_unavailable', retryable: true, says: 'is busy' },
  3006: { code: 'upstream_rejected', retryable: false, says: 'has seen this request before' },
  3010: { code: 'upstream_rejected', retryable: false, says: 'finds the text too long' },
  3011: { code: 'upstream_rejected', retryable: false, says: 'finds nothing it can speak in the text' },
  3030: { code: 'upstream_timeout', retryable: true, says: 'took too long' },
  3031: { code: 'upstream_unavailable', retryable: true, says: 'failed' },
  3032: { code: 'upstream_timeout', retryable: true, says: 'waited too long for the audio' },
  3040: { code: 'upstream_unavailable', retryable: true, says: 'lost the connection to its voice' },
  3050: { code: 'upstream_rejected', retryable: false, says: 'does not know the voice' },
};

/** Volcengine's speech synthesis over HTTP, version 1. */
export function createVolcengine(options: VolcengineOptions): SpeechEngine {
  const checkReady = () => {
    if (!options.appId) throw notSet('PROVIDER_TTS_APPID');
    if (!options.accessToken) throw notSet('PROVIDER_TTS_ACCESS_TOKEN');
  };
  return {
    name: NAME,
    maxTextBytes: 1024,
    voices: options.voices,
    checkReady,
    async speak(request, signal) {
      checkReady();
      const { bytes } = await fetchProvider({
        provider: NAME,
        fetch: options.fetch,
        url: options.url,
        init: {
          method: 'POST',
          // The semicolon is the provider's.
          headers: { 'content-type': 'application/json', authorization: `Bearer;${options.accessToken}` },
          body: JSON.stringify(toBody(options, request)),
        },
        timeoutMs: options.timeoutMs,
        maxBytes: MAX_ANSWER_BYTES,
        signal,
        now: options.now(),
        readFailure: (failure) => knownFailure(readAnswer(failure).code),
      });
      const answer = readAnswer(bytes);
      if (answer.code !== SUCCESS) throw knownFailure(answer.code) ?? refused(answer.code);
      const audio = decodeBase64(answer.data);
      if (!audio) throw unusable('sent audio that cannot be decoded');
      return audio;
    },
  };
}

function toBody(options: VolcengineOptions, request: SpeechRequest): object {
  const voice = request.voice === 'male' || request.voice === 'female' ? options.voices[request.voice] : request.voice;
  return {
    app: { appid: options.appId, token: options.accessToken, cluster: options.cluster },
    user: { uid: 'agent' },
    audio: {
      voice_type: voice ?? DEFAULT_VOICE,
      encoding: request.format,
      speed_ratio: request.speed ?? 1,
      volume_ratio: request.volume ?? 1,
      pitch_ratio: request.pitch ?? 1,
    },
    request: {
      // The provider refuses an id it has seen, so every attempt has its own.
      reqid: crypto.randomUUID(),
      text: request.text,
      text_type: request.textType ?? 'plain',
      operation: 'query',
      with_frontend: request.withFrontend ?? 1,
      frontend_type: request.frontendType ?? 'unitTson',
    },
  };
}

function readAnswer(bytes: Uint8Array): { code: number | undefined; data: unknown } {
  const answer = parseJson(new TextDecoder().decode(bytes));
  if (!isRecord(answer)) return { code: undefined, data: undefined };
  return { code: typeof answer['code'] === 'number' ? answer['code'] : undefined, data: answer['data'] };
}

/** The error of a code we know; its message holds our words for the code, not the provider's. */
function knownFailure(code: number | undefined): AppError | undefined {
  const known = code === undefined ? undefined : CODES[code];
  return known && fail(known.code, `${NAME} ${known.says} (code ${code}).`, { retryable: known.retryable });
}

function refused(code: number | undefined): AppError {
  if (code === undefined) return unusable('answered in a form that is not its own');
  return fail('upstream_rejected', `${NAME} refused the request (code ${code}).`);
}

function unusable(what: string): AppError {
  return fail('upstream_rejected', `${NAME} ${what}.`, { retryable: true });
}

function decodeBase64(data: unknown): Uint8Array | undefined {
  if (typeof data !== 'string' || data.trim() === '') return undefined;
  try {
    const bytes = Uint8Array.fromBase64(data);
    return bytes.length > 0 ? bytes : undefined;
  } catch {
    // Not base64: the caller says so in its own words.
    return undefined;
  }
}

function notSet(variable: string): AppError {
  return fail('speech_not_configured', `${variable} is not set`);
}

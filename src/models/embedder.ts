import type { EndpointConfig } from '../config/sections/models.ts';
import { AppError, fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import { readCapped } from '../lib/read-capped.ts';
import { retry } from '../lib/retry.ts';
import { Semaphore } from '../lib/semaphore.ts';
import { type Endpoint, resolveEndpoint } from './endpoint.ts';
import { readErrorResponse } from './error-response.ts';
import type { Embedder } from './model.ts';
import {
  type Asked,
  connectionError,
  MAX_WAIT_MS,
  readStreamedError,
  refusalError,
  retryVerdict,
} from './provider-errors.ts';
import { watchSilence } from './silence.ts';

/** What the embedder needs from outside. */
export interface EmbedderNeeds {
  fetch: typeof fetch;
  clock: Clock;
  random?: () => number;
}

/** Providers take up to 2,048 texts and some 300,000 tokens; local servers much less. */
const BATCH_TEXTS = 64;
const BATCH_CHARS = 200_000;
const CONCURRENCY = 4;
const MAX_ANSWER_BYTES = 67_108_864;
const DEFAULT_MODEL = 'text-embedding-3-small';
const DEFAULT_TIMEOUT_SECONDS = 120;
const DEFAULT_RETRIES = 3;

/** Embeddings by an OpenAI-compatible API, in batches with retries; undefined when none is configured. */
export function createEmbedder(config: EndpointConfig | undefined, needs: EmbedderNeeds): Embedder | undefined {
  if (!config?.model && !config?.base_url && !config?.api_key) return undefined;
  const endpoint = resolveEndpoint(config.base_url, config.api_key);
  const name = config.model ?? DEFAULT_MODEL;
  const timeoutMs = (config.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1_000;
  const places = new Semaphore(CONCURRENCY);

  const embedBatch = (texts: string[], signal: AbortSignal): Promise<Float32Array[]> =>
    retry(() => request(texts, { endpoint, name, timeoutMs, needs, signal }), {
      attempts: (config.max_retries ?? DEFAULT_RETRIES) + 1,
      baseMs: 500,
      maxMs: MAX_WAIT_MS,
      clock: needs.clock,
      signal,
      random: needs.random,
      shouldRetry: retryVerdict,
    });

  return {
    name,
    async embed(texts, signal) {
      signal.throwIfAborted();
      // The first batch that fails ends the others.
      const stop = new AbortController();
      const onAbort = () => stop.abort(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        const batches = batchesOf(texts).map((batch) => places.run(() => embedBatch(batch, stop.signal), stop.signal));
        return (await Promise.all(batches)).flat();
      } finally {
        stop.abort();
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}

function batchesOf(texts: string[]): string[][] {
  const batches: string[][] = [];
  let chars = Infinity;
  for (const text of texts) {
    const last = batches.at(-1);
    chars += text.length;
    if (last && last.length < BATCH_TEXTS && chars <= BATCH_CHARS) last.push(text);
    else {
      batches.push([text]);
      chars = text.length;
    }
  }
  return batches;
}

interface Call {
  endpoint: Endpoint;
  name: string;
  timeoutMs: number;
  needs: EmbedderNeeds;
  signal: AbortSignal;
}

async function request(texts: string[], call: Call): Promise<Float32Array[]> {
  const { endpoint, needs } = call;
  const asked: Asked = { host: endpoint.host, model: call.name };
  const watch = watchSilence(call.signal, call.timeoutMs, needs.clock);
  try {
    watch.arm();
    const query = new URLSearchParams(endpoint.query).toString();
    const response = await needs.fetch(`${endpoint.baseUrl}/embeddings${query ? `?${query}` : ''}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...endpoint.headers },
      // Some servers embed an empty text as an error; a space is as meaningless.
      body: JSON.stringify({ model: call.name, input: texts.map((text) => text || ' '), encoding_format: 'float' }),
      signal: watch.signal,
    });
    const checked = await readErrorResponse(response);
    const body = parseJson(await readText(checked, asked));
    if (!checked.ok) {
      const refusal = readStreamedError(isRecord(body) ? body['error'] : undefined);
      throw refusalError({ ...refusal, status: checked.status, headers: response.headers }, asked, needs.clock.now());
    }
    return vectorsOf(body, texts.length, asked);
  } catch (error) {
    if (watch.timedOut)
      throw fail(
        'upstream_timeout',
        `${asked.host} sent nothing for ${call.timeoutMs / 1_000} s (model ${call.name})`,
        {
          retryable: false,
        },
      );
    call.signal.throwIfAborted();
    throw error instanceof AppError ? error : connectionError(asked, error);
  } finally {
    watch.stop();
  }
}

async function readText(response: Response, asked: Asked): Promise<string> {
  const { bytes, isCut } = await readCapped(response.body, MAX_ANSWER_BYTES);
  if (isCut) throw unusable(asked);
  return new TextDecoder().decode(bytes);
}

function vectorsOf(body: unknown, count: number, asked: Asked): Float32Array[] {
  const data = isRecord(body) && Array.isArray(body['data']) ? body['data'] : [];
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [position, item] of data.entries()) {
    if (!isRecord(item) || !Array.isArray(item['embedding'])) throw unusable(asked);
    const index = typeof item['index'] === 'number' ? item['index'] : position;
    if (index in vectors) vectors[index] = Float32Array.from(item['embedding'] as number[]);
  }
  const size = vectors[0]?.length ?? 0;
  const isComplete = vectors.every((vector) => vector?.length === size && vector.every(Number.isFinite));
  if (!isComplete || (size === 0 && count > 0)) throw unusable(asked);
  return vectors as Float32Array[];
}

function unusable(asked: Asked): AppError {
  return fail('upstream_rejected', `${asked.host} sent no usable vectors (model ${asked.model})`);
}

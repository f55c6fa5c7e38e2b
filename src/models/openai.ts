import type { OpenAI } from 'openai';
import { type AppError, fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createId } from '../lib/id.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import type { Logger } from '../lib/log.ts';
import { Answer } from './answer.ts';
import { type ChatDefaults, chatBody, promptTokens } from './chat-body.ts';
import { ChatStream } from './chat-stream.ts';
import type { Endpoint } from './endpoint.ts';
import { readErrorResponse } from './error-response.ts';
import type { Model, ModelEvent, ModelRequest } from './model.ts';
import {
  type Asked,
  connectionError,
  overflowError,
  type Refusal,
  readRefusal,
  readStreamedError,
  refusalError,
} from './provider-errors.ts';
import { initialQuirks, learnQuirk, type Quirks } from './quirks.ts';
import { type SilenceWatch, watchSilence } from './silence.ts';
import { readContextOverflow, windowOf } from './windows.ts';

/** One model at one endpoint. */
export interface OpenAiOptions extends ChatDefaults {
  endpoint: Endpoint;
  /** Longest wait for the first or the next piece. */
  timeoutMs: number;
  contextWindow?: number;
  /** Shared by the models of one endpoint so that each refusal is learnt once. */
  quirks?: Quirks;
}

/** What the adapter needs from outside. */
export interface OpenAiNeeds {
  fetch: typeof fetch;
  clock: Clock;
  log: Logger;
}

const MAX_ANSWER_CHARS = 4_194_304;
const MAX_ANSWER_BYTES = 67_108_864;
/** A request may be refused for several unknown parameters, one after the other. */
const MAX_ADAPTATIONS = 6;
const MIN_WINDOW = 512;
/** Statuses with which providers refuse a prompt that is too long. */
const OVERFLOW_STATUSES = [400, 413, 422, 429, 500];

/**
 * A model behind any OpenAI-compatible chat completions API. One call is one attempt (no retries); the SDK is loaded
 * by the first call and its own retries are off.
 */
export class OpenAiModel implements Model {
  readonly name: string;
  readonly #options: OpenAiOptions;
  readonly #needs: OpenAiNeeds;
  readonly #asked: Asked;
  readonly #quirks: Quirks;
  #window: number;
  #client: Promise<OpenAI> | undefined;

  constructor(options: OpenAiOptions, needs: OpenAiNeeds) {
    this.name = options.model;
    this.#options = options;
    this.#needs = needs;
    this.#asked = { host: options.endpoint.host, model: options.model };
    this.#quirks = options.quirks ?? initialQuirks(options.endpoint.host);
    this.#window = options.contextWindow ?? windowOf(options.model, options.endpoint.baseUrl);
  }

  get contextWindow(): number {
    return this.#window;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const watch = watchSilence(signal, this.#options.timeoutMs, this.#needs.clock);
    try {
      const response = await this.#open(request, watch);
      const inPrompt = this.#quirks.tools === 'prompt' ? request.tools?.map((tool) => tool.name) : undefined;
      const answer = new Answer({ createId, toolsInPrompt: inPrompt });
      const events: ModelEvent[] = [];
      const isWhole = response.headers.get('content-type')?.includes('application/json');
      const stream = new ChatStream();
      const whole: Uint8Array[] = [];
      let bytes = 0;
      const reader = response.body?.getReader();
      while (reader && !stream.done) {
        watch.arm();
        const { done, value } = await this.#wait(reader.read(), watch, signal);
        watch.disarm();
        if (done) break;
        bytes += value.length;
        if (bytes > MAX_ANSWER_BYTES) throw this.#tooLarge();
        if (isWhole) {
          whole.push(value);
          continue;
        }
        this.#take(stream.push(value), request, answer, events);
        // Not `yield*`: delegating costs several promises for each event.
        for (const event of events) yield event;
        events.length = 0;
      }
      if (isWhole) this.#take([parseJson(Buffer.concat(whole).toString())], request, answer, events);
      else if (!stream.done) {
        this.#take(stream.end(), request, answer, events);
        if (answer.finishReason === undefined) throw this.#cut();
      }
      answer.end(this.name, events);
      if (!answer.hasContent && events.at(-1)?.type === 'finish' && isPlainStop(answer)) throw this.#empty();
      for (const event of events) yield event;
    } finally {
      watch.stop();
    }
  }

  /** Sends the request, leaving out what the endpoint refuses to know, until it is answered or refused for good. */
  async #open(request: ModelRequest, watch: SilenceWatch): Promise<Response> {
    this.#client ??= this.#createClient();
    const client = await this.#client;
    for (let attempt = 1; ; attempt++) {
      watch.arm();
      const body = chatBody(request, this.#options, this.#quirks, this.#window);
      const headers = { 'x-agent-role': request.agent, ...(request.runId ? { 'x-run-id': request.runId } : {}) };
      try {
        // The wire is wider than the SDK's types: message shapes and parameters of other providers.
        const params = body as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
        return await client.chat.completions.create(params, { signal: watch.signal, headers }).asResponse();
      } catch (error) {
        if (watch.timedOut) throw this.#silent();
        watch.signal.throwIfAborted();
        const refusal = readRefusal(error);
        if (!refusal) throw connectionError(this.#asked, error);
        if (attempt > MAX_ADAPTATIONS || !learnQuirk(this.#quirks, refusal, body))
          throw this.#refused(refusal, request);
        this.#needs.log.info('Model endpoint refused a part of the request, trying without', {
          ...this.#asked,
          quirks: this.#quirks,
        });
      }
    }
  }

  async #createClient(): Promise<OpenAI> {
    const { OpenAI } = await import('openai');
    const { endpoint } = this.#options;
    return new OpenAI({
      baseURL: endpoint.baseUrl,
      defaultQuery: endpoint.query,
      // Nothing may come from the environment behind the configuration's back.
      apiKey: 'unused',
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      defaultHeaders: { authorization: null, ...endpoint.headers },
      maxRetries: 0,
      // The watch above is the only clock; the SDK's own timer stays out of the way.
      timeout: 2 * this.#options.timeoutMs + 60_000,
      logLevel: 'off',
      fetch: async (url, init) => readErrorResponse(await this.#needs.fetch(url as string, init as RequestInit)),
    });
  }

  async #wait<T>(read: Promise<T>, watch: SilenceWatch, signal: AbortSignal): Promise<T> {
    try {
      return await read;
    } catch (error) {
      if (watch.timedOut) throw this.#silent();
      signal.throwIfAborted();
      throw this.#cut(error);
    }
  }

  #take(chunks: unknown[] | undefined, request: ModelRequest, answer: Answer, out: ModelEvent[]): void {
    if (!chunks) throw this.#garbage();
    for (const chunk of chunks) {
      if (!isRecord(chunk)) throw this.#garbage();
      if (chunk['error']) throw this.#refused(readStreamedError(chunk['error']), request);
      answer.push(chunk, out);
    }
    if (answer.length > MAX_ANSWER_CHARS) throw this.#tooLarge();
  }

  #refused(refusal: Refusal, request: ModelRequest): AppError {
    const overflow = OVERFLOW_STATUSES.includes(refusal.status)
      ? (readContextOverflow(refusal.message, refusal.error) ?? (refusal.status === 413 ? {} : undefined))
      : undefined;
    if (!overflow) return refusalError(refusal, this.#asked, this.#needs.clock.now());
    const named = Math.min(overflow.limit ?? this.#window, this.#options.contextWindow ?? Infinity);
    // A prompt that should have fitted was counted too low: the next one must be smaller than this one.
    const prompt = promptTokens(request);
    this.#window = Math.max(prompt > named ? named : Math.floor(prompt * 0.8), MIN_WINDOW);
    this.#needs.log.info('Model refused a prompt as too long', { ...this.#asked, context_window: this.#window });
    return overflowError(this.#asked, this.#window);
  }

  #silent(): AppError {
    const seconds = this.#options.timeoutMs / 1_000;
    return this.#error('upstream_timeout', `sent nothing for ${seconds} s`, false);
  }

  #cut(cause?: unknown): AppError {
    return this.#error('upstream_unavailable', 'dropped the connection before the answer was complete', true, cause);
  }

  #garbage(): AppError {
    return this.#error('upstream_unavailable', 'sent something that is not a chat completion', true);
  }

  #empty(): AppError {
    return this.#error('upstream_unavailable', 'sent an empty answer', true);
  }

  #tooLarge(): AppError {
    return this.#error('upstream_rejected', 'sent an answer that is too long', false);
  }

  #error(
    code: 'upstream_timeout' | 'upstream_unavailable' | 'upstream_rejected',
    what: string,
    retryable: boolean,
    cause?: unknown,
  ): AppError {
    return fail(code, `${this.#asked.host} ${what} (model ${this.#asked.model})`, { retryable, cause });
  }
}

function isPlainStop(answer: Answer): boolean {
  return answer.finishReason === undefined || answer.finishReason === 'stop';
}

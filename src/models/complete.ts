import { AppError, fail } from '../errors.ts';
import { parseModelJson } from '../lib/json.ts';
import { cutToTokens, estimateTokens } from '../text/tokens.ts';
import type { FinishReason, Model, ModelMessage, ModelRequest, Usage } from './model.ts';

/** A whole answer. */
export interface Completion {
  text: string;
  reason: FinishReason;
  model: string;
  usage?: Usage;
}

/** What a value read from a model's JSON is, or what is wrong with it, as a sentence for the model. */
export type Reading<T> = { ok: true; value: T } | { ok: false; problem: string };

/** Tokens kept free for the answer when a text is cut to fit. */
const ANSWER_TOKENS = 4096;

/** Reads a model's answer to its end. */
export async function complete(model: Model, request: ModelRequest, signal: AbortSignal): Promise<Completion> {
  let text = '';
  for await (const event of model.stream(request, signal)) {
    if (event.type === 'text') text += event.text;
    else if (event.type === 'finish')
      return { text, reason: event.reason, model: event.model, ...(event.usage ? { usage: event.usage } : {}) };
  }
  throw fail('upstream_rejected', `The model ${model.name} ended its answer early.`, { retryable: true });
}

/**
 * Asks for one JSON value: repaired, read by `read`, and asked for once more with the problem when it cannot be used.
 * Yields nothing but the answers that were paid for, through `onAnswer`.
 */
export async function completeJson<T>(
  model: Model,
  request: ModelRequest,
  options: { read(value: unknown): Reading<T>; what: string; onAnswer?(answer: Completion): void },
  signal: AbortSignal,
): Promise<T> {
  let messages = request.messages;
  let problem = '';
  for (let attempt = 0; attempt < 2; attempt++) {
    const answer = await complete(model, { ...request, messages, responseFormat: 'json' }, signal);
    options.onAnswer?.(answer);
    const reading = readAnswer(answer, options.read);
    if (reading.ok) return reading.value;
    problem = reading.problem;
    messages = [
      ...request.messages,
      { role: 'assistant', content: answer.text.slice(0, 4000) },
      { role: 'user', content: `This cannot be used: ${problem}. Answer again with the corrected JSON object only.` },
    ];
  }
  throw fail(
    'upstream_rejected',
    `The model ${model.name} did not write ${options.what} that can be used: ${problem}.`,
  );
}

/** Repair would close what a cut-off answer left open, and so hide that its end is missing. */
function readAnswer<T>({ text, reason }: Completion, read: (value: unknown) => Reading<T>): Reading<T> {
  if (reason === 'length')
    return { ok: false, problem: 'The answer was cut off because it was too long; make it shorter' };
  const value = parseModelJson(text);
  return value === undefined ? { ok: false, problem: 'The answer was not JSON' } : read(value);
}

/**
 * Calls `ask` with the messages for a text that fits the model's window: whole if it can be, else its beginning, and
 * shorter again when the provider's own count says that it did not fit.
 */
export async function withFittingText<T>(
  model: Model,
  text: string,
  build: (text: string) => ModelMessage[],
  ask: (messages: ModelMessage[]) => Promise<T>,
): Promise<T> {
  const overhead = build('').reduce((sum, { content }) => sum + estimateTokens(JSON.stringify(content)), 0);
  for (let attempt = 0; ; attempt++) {
    const answerTokens = Math.min(ANSWER_TOKENS, Math.floor(model.contextWindow / 3));
    const room = Math.floor((model.contextWindow - answerTokens - overhead) * 0.9 * 0.7 ** attempt);
    try {
      return await ask(build(cutToTokens(text, Math.max(200, room))));
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'context_overflow') || attempt >= 3) throw error;
    }
  }
}

import { formatFrame } from '../http/sse.ts';
import type { CompletionUsage, Delta, ServedModel, UrlCitation } from './model.ts';
import type { Completion } from './start-completion.ts';

/** Writes the objects of one completion as OpenAI's API defines them. */
export class CompletionWire {
  readonly #base: { id: string; created: number; model: string };
  readonly #includeUsage: boolean;

  constructor(completion: Pick<Completion, 'model' | 'run'>, includeUsage: boolean) {
    const { model, run } = completion;
    this.#base = { id: `chatcmpl-${run.id}`, created: Math.floor(run.createdAt / 1000), model: model.id };
    this.#includeUsage = includeUsage;
  }

  /** The chunk that opens the stream. */
  opening(): string {
    return this.#chunk({ role: 'assistant', content: '', refusal: null }, null);
  }

  /** The chunk of a piece of the answer. */
  piece(delta: Delta): string {
    if (delta.type === 'content') return this.#chunk({ content: delta.text }, null);
    if (delta.type === 'reasoning') return this.#chunk({ reasoning_content: delta.text }, null);
    return this.#chunk(delta.annotations.length > 0 ? { annotations: delta.annotations } : {}, delta.reason);
  }

  /** The chunk without choices that carries the tokens, when the client asked for it. */
  usage(usage: CompletionUsage): string {
    return this.#includeUsage ? frame({ ...this.#head('chat.completion.chunk'), choices: [], usage }) : '';
  }

  /** The whole answer of a request that does not stream. */
  whole(answer: WholeAnswer, usage: CompletionUsage) {
    const { content, reasoning, annotations, reason } = answer;
    const message = {
      role: 'assistant',
      content,
      ...(reasoning ? { reasoning_content: reasoning } : {}),
      refusal: null,
      annotations,
    };
    return {
      ...this.#head('chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: reason }],
      usage,
    };
  }

  #chunk(delta: Record<string, unknown>, finishReason: string | null): string {
    return frame({
      ...this.#head('chat.completion.chunk'),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...(this.#includeUsage ? { usage: null } : {}),
    });
  }

  #head(object: string) {
    const { id, created, model } = this.#base;
    return { id, object, created, model };
  }
}

/** An answer that has ended. */
export interface WholeAnswer {
  content: string;
  reasoning: string;
  annotations: UrlCitation[];
  reason: string;
}

/** Ends every stream. */
export const DONE_FRAME = formatFrame({ data: '[DONE]' });

/** One `data:` frame; OpenAI's streams name no events. */
export function frame(value: unknown): string {
  return formatFrame({ data: JSON.stringify(value) });
}

/** A model as `/v1/models` shows it. */
export function toModelView({ id, description }: ServedModel, created: number) {
  return { id, object: 'model' as const, created, owned_by: 'agent', description };
}

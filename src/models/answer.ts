import { isRecord } from '../lib/json.ts';
import type { FinishReason, ModelEvent, ToolCall, ToolCallExtra, Usage } from './model.ts';
import { ThinkFilter } from './think-filter.ts';
import { ToolCallReader } from './tool-call-reader.ts';

interface PartialCall {
  index: number | undefined;
  id: string;
  name: string;
  text: string;
  extra?: Record<string, unknown>;
}

/** How an answer is put together. */
export interface AnswerOptions {
  createId: (prefix: string) => string;
  /** Tools described in the prompt, whose calls are read from the text. */
  toolsInPrompt?: string[];
}

/**
 * Puts the chunks of a chat completion together: text, reasoning (fields and think tags), tool calls in every shape
 * providers stream them, and usage. Gives what can be sent on at once and keeps calls until they are complete.
 */
export class Answer {
  /** Characters received; the caller caps them. */
  length = 0;
  /** True once anything was received that a client would see. */
  hasContent = false;
  /** The provider's word for why it ended; undefined until it says so. */
  finishReason: string | undefined;
  usage: Usage | undefined;

  readonly #options: AnswerOptions;
  readonly #think = new ThinkFilter();
  readonly #reader: ToolCallReader | undefined;
  readonly #partial: PartialCall[] = [];
  readonly #written: ToolCall[] = [];
  #reasoningField = '';

  constructor(options: AnswerOptions) {
    this.#options = options;
    this.#reader = options.toolsInPrompt ? new ToolCallReader(options.toolsInPrompt) : undefined;
  }

  /** Takes one parsed chunk (or a whole answer) and appends what it makes certain to `out`. */
  push(chunk: Record<string, unknown>, out: ModelEvent[]): void {
    if (isRecord(chunk['usage'])) this.#count(chunk['usage']);
    const choice = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
    if (!isRecord(choice)) return;
    if (typeof choice['finish_reason'] === 'string' && choice['finish_reason'] !== '')
      this.finishReason = choice['finish_reason'];
    // A server that ignores `stream` answers with a whole `message`.
    const delta = choice['delta'] ?? choice['message'];
    if (!isRecord(delta)) return;
    // DeepSeek and vLLM say reasoning_content, OpenRouter and Ollama say reasoning; some send both.
    const reasoning = delta['reasoning_content'] || delta['reasoning'];
    if (typeof delta['reasoning_content'] === 'string') this.#reasoningField += delta['reasoning_content'];
    if (typeof reasoning === 'string' && reasoning !== '') this.#add('reasoning', reasoning, out);
    const content = delta['content'] || delta['refusal'];
    if (typeof content === 'string' && content !== '') this.#addContent(content, out);
    else if (Array.isArray(content)) this.#addParts(content, out);
    if (Array.isArray(delta['tool_calls']))
      for (const call of delta['tool_calls']) if (isRecord(call)) this.#mergeCall(call);
  }

  /** What was held back, the complete tool calls and the finish, in this order. */
  end(model: string, out: ModelEvent[]): void {
    for (const piece of this.#think.end()) this.#add(piece.type, piece.text, out);
    if (this.#reader) this.#take(this.#reader.end(), out);
    const calls = this.#partial.filter((call) => call.name !== '').map((call, at) => this.#finished(call, at === 0));
    calls.push(...this.#written);
    for (const call of calls) out.push({ type: 'tool_call', call });
    if (calls.length > 0) this.hasContent = true;
    // Some providers say `stop` after tool calls.
    const reason: FinishReason = calls.length > 0 ? 'tool_calls' : reasonOf(this.finishReason);
    out.push({ type: 'finish', reason, model, ...(this.usage ? { usage: this.usage } : {}) });
  }

  #addContent(text: string, out: ModelEvent[]): void {
    for (const piece of this.#think.push(text)) this.#add(piece.type, piece.text, out);
  }

  /** Mistral streams content as parts, with thinking among them. */
  #addParts(parts: unknown[], out: ModelEvent[]): void {
    for (const part of parts) {
      if (!isRecord(part)) continue;
      if (typeof part['text'] === 'string') this.#addContent(part['text'], out);
      if (!Array.isArray(part['thinking'])) continue;
      for (const thought of part['thinking'])
        if (isRecord(thought) && typeof thought['text'] === 'string') this.#add('reasoning', thought['text'], out);
    }
  }

  #add(type: 'text' | 'reasoning', text: string, out: ModelEvent[]): void {
    this.length += text.length;
    if (type === 'text' && this.#reader) this.#take(this.#reader.push(text), out);
    else this.#send(type, text, out);
  }

  #take(read: { text: string; calls: { name: string; argumentsText: string }[] }, out: ModelEvent[]): void {
    this.#send('text', read.text, out);
    for (const call of read.calls) this.#written.push({ id: this.#options.createId('call'), ...call });
  }

  /** Pieces of one network read are sent on as one. */
  #send(type: 'text' | 'reasoning', text: string, out: ModelEvent[]): void {
    if (text === '') return;
    this.hasContent = true;
    const last = out.at(-1);
    if (last?.type === type) last.text += text;
    else out.push({ type, text });
  }

  #mergeCall(delta: Record<string, unknown>): void {
    const index = typeof delta['index'] === 'number' ? delta['index'] : undefined;
    const id = typeof delta['id'] === 'string' ? delta['id'] : '';
    const body = isRecord(delta['function']) ? delta['function'] : delta;
    const name = typeof body['name'] === 'string' ? body['name'] : '';
    const given = body['arguments'];
    const text = typeof given === 'string' ? given : isRecord(given) ? JSON.stringify(given) : '';
    this.length += text.length;
    let call = this.#find(index, id, name);
    if (!call) {
      call = { index, id, name, text: '' };
      this.#partial.push(call);
    }
    call.id ||= id;
    call.name ||= name;
    call.text += text;
    if (isRecord(delta['extra_content'])) call.extra = delta['extra_content'];
  }

  /** The call a delta continues; undefined when it starts one. */
  #find(index: number | undefined, id: string, name: string): PartialCall | undefined {
    const last = this.#partial.at(-1);
    if (index !== undefined) {
      const call = this.#partial.findLast((candidate) => candidate.index === index);
      // Some servers give every parallel call the index 0, each whole and with its own id.
      return call && id && call.id && call.id !== id && name ? undefined : call;
    }
    if (id) return this.#partial.find((candidate) => candidate.id === id);
    return name ? undefined : last;
  }

  #finished(call: PartialCall, isFirst: boolean): ToolCall {
    const extra: ToolCallExtra = {
      ...(call.extra ? { extra_content: call.extra } : {}),
      ...(isFirst && this.#reasoningField ? { reasoning_content: this.#reasoningField } : {}),
    };
    return {
      id: call.id || this.#options.createId('call'),
      name: call.name,
      argumentsText: call.text || '{}',
      ...(Object.keys(extra).length > 0 ? { extra } : {}),
    };
  }

  #count(usage: Record<string, unknown>): void {
    const input = Number(usage['prompt_tokens'] ?? usage['input_tokens']);
    const output = Number(usage['completion_tokens'] ?? usage['output_tokens']);
    if (input >= 0 && output >= 0) this.usage = { inputTokens: input, outputTokens: output };
  }
}

function reasonOf(reason: string | undefined): FinishReason {
  if (reason === 'length' || reason === 'max_tokens') return 'length';
  if (reason === 'content_filter' || reason === 'safety') return 'content_filter';
  return 'stop';
}

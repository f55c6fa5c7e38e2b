import type { Logger } from '../lib/log.ts';
import type { Model, ModelEvent, ModelRequest } from './model.ts';
import { RepetitionWatch } from './repetition-watch.ts';

/** A model whose answers are ended when they loop, as if their limit of tokens was reached. */
export class WatchedModel implements Model {
  readonly #inner: Model;
  readonly #log: Logger;

  constructor(inner: Model, log: Logger) {
    this.#inner = inner;
    this.#log = log;
  }

  get name(): string {
    return this.#inner.name;
  }

  get contextWindow(): number {
    return this.#inner.contextWindow;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const ended = new AbortController();
    const watches = { text: new RepetitionWatch(), reasoning: new RepetitionWatch() };
    for await (const event of this.#inner.stream(request, AbortSignal.any([signal, ended.signal]))) {
      yield event;
      if (event.type !== 'text' && event.type !== 'reasoning') continue;
      if (!watches[event.type].push(event.text)) continue;
      this.#log.warn('a model repeats itself: its answer was ended', {
        model: this.name,
        agent: request.agent,
        ...(request.runId ? { run_id: request.runId } : {}),
      });
      // Hangs up: the provider would write on, and be paid for it.
      ended.abort();
      yield { type: 'finish', reason: 'length', model: this.name };
      return;
    }
  }
}

import { AppError, type ErrorCode } from '../errors.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import type { EventData, WireAgent } from '../research/events.ts';
import type { FollowedEvent } from '../runs/follow.ts';
import { annotate, type KnownSource, listNumberedSources } from './annotate.ts';
import type { Delta, ServedModel } from './model.ts';
import { Progress } from './progress.ts';

const HEADINGS: Record<WireAgent, string> = {
  coordinator: 'Coordinator',
  planner: 'Planner',
  researcher: 'Researcher',
  analyst: 'Analyst',
  coder: 'Coder',
  reporter: 'Reporter',
};
const MAX_ARGUMENTS = 200;

export interface TranslateOptions {
  kind: ServedModel['kind'];
  /**
   * True tells the answer as it comes; a word before a tool call or a hand-over is then part of it. False waits for the
   * end and puts such words where they belong, with the reasoning.
   */
  live: boolean;
  /** What the thread has retrieved, for runs that send no citations. */
  sourcesAtEnd(): Promise<KnownSource[]>;
}

/**
 * The events of a run as the pieces of a completion: the answer (of the coordinator, the reporter, or the quick agent)
 * is content, everything before it is reasoning. Throws what the run failed with.
 */
export async function* translateRun(
  events: AsyncIterable<FollowedEvent>,
  options: TranslateOptions,
): AsyncGenerator<Delta> {
  const translator = new Translator(options);
  for await (const event of events) yield* translator.read(event);
  yield* translator.end(await options.sourcesAtEnd());
}

class Translator {
  readonly #answering: ReadonlySet<WireAgent>;
  readonly #live: boolean;
  readonly #progress = new Progress();
  /** Plans as they arrive, by message. */
  readonly #plans = new Map<string, string>();
  #citations: KnownSource[] | undefined;
  #content = '';
  /** The message the last content came from. */
  #contentId: string | undefined;
  #finishReason = 'stop';

  constructor({ kind, live }: TranslateOptions) {
    this.#live = live;
    this.#answering = new Set(kind === 'quick' ? ['researcher'] : ['coordinator', 'reporter']);
  }

  *read(event: FollowedEvent): Generator<Delta> {
    if (event.type === 'error') throw runError(event.data);
    if (event.type === 'citations') this.#citations = event.data.citations;
    if (event.type === 'message_chunk') yield* this.#message(event.data, '');
    if (event.type === 'tool_calls') yield* this.#message(event.data, describeCalls(event.data));
  }

  *end(sourcesOfThread: KnownSource[]): Generator<Delta> {
    yield* this.#reason(this.#progress.flush());
    const sources = this.#citations ?? sourcesOfThread;
    let annotations = annotate(this.#content, sources);
    const list = annotations.length === 0 ? listNumberedSources(this.#content, this.#citations ?? []) : '';
    if (list !== '') {
      this.#content += list;
      annotations = annotate(this.#content, sources);
      if (this.#live) yield { type: 'content', text: list };
    }
    if (!this.#live && this.#content !== '') yield { type: 'content', text: this.#content };
    const reason =
      this.#finishReason === 'length' || this.#finishReason === 'content_filter' ? this.#finishReason : 'stop';
    yield { type: 'finish', reason, annotations };
  }

  *#message(data: EventData<'message_chunk'>, calls: string): Generator<Delta> {
    const { id, agent, content = '', reasoning_content: reasoning = '', finish_reason: ended } = data;
    const heading = HEADINGS[agent];
    if (this.#answering.has(agent)) {
      const last = calls === '' && ended !== undefined;
      yield* this.#reason(this.#progress.push(id, heading, reasoning + calls, last || content !== ''));
      if (content !== '') yield* this.#answer(id, heading, content);
      if (last) this.#finishReason = ended;
    } else if (agent === 'planner') {
      const plan = (this.#plans.get(id) ?? '') + content;
      this.#plans.set(id, plan);
      const text = reasoning + (ended === undefined ? '' : renderPlan(plan));
      yield* this.#reason(this.#progress.push(id, heading, text, ended !== undefined));
    } else {
      yield* this.#reason(this.#progress.push(id, heading, reasoning + content + calls, ended !== undefined));
    }
  }

  *#answer(id: string, heading: string, content: string): Generator<Delta> {
    const isNext = this.#contentId !== undefined && this.#contentId !== id;
    if (isNext && !this.#live) {
      yield* this.#reason(this.#progress.push(this.#contentId!, heading, this.#content, true));
      this.#content = '';
    }
    const text = isNext && this.#live ? `\n\n${content}` : content;
    this.#contentId = id;
    this.#content += text;
    if (this.#live) yield { type: 'content', text };
  }

  *#reason(text: string): Generator<Delta> {
    if (text !== '') yield { type: 'reasoning', text };
  }
}

/** A plan for people; what is no plan is told as it is. */
function renderPlan(text: string): string {
  const plan = parseJson(text.trim());
  if (!isRecord(plan) || !Array.isArray(plan['steps'])) return text;
  const steps = plan['steps'].filter(isRecord).map((step, index) => `${index + 1}. ${step['title'] ?? ''}`);
  return [plan['title'] ?? '', plan['thought'] ?? '', steps.join('\n')].filter((part) => part !== '').join('\n\n');
}

function describeCalls({ tool_calls: calls }: EventData<'tool_calls'>): string {
  return calls.map(({ name, args }) => `\n- ${name} ${shortJson(args)}`).join('');
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_ARGUMENTS ? `${text.slice(0, MAX_ARGUMENTS).toWellFormed()}…` : text;
}

const STATUSES: Record<string, number> = {
  upstream_rate_limited: 429,
  upstream_timeout: 504,
  upstream_unavailable: 502,
  upstream_rejected: 502,
  vision_not_configured: 400,
  context_overflow: 400,
  cancelled: 499,
  shutting_down: 503,
};

/** What a run failed with, with the status an OpenAI client reacts to in the right way. */
function runError({ error, code }: EventData<'error'>): AppError {
  const status = STATUSES[code] ?? 500;
  const category = status < 500 ? 'user' : code.startsWith('upstream_') ? 'upstream' : 'internal';
  return new AppError(error, {
    code: code as ErrorCode,
    category,
    status,
    retryable: status === 429 || status === 503,
  });
}

import { AppError, fail } from '../errors.ts';
import { coalesce } from '../lib/coalesce.ts';
import { createId } from '../lib/id.ts';
import type { AgentRole, FinishReason, Model, ModelRequest, ToolCall, Usage } from '../models/model.ts';
import type { RunOutput } from '../runs/model.ts';
import { type Draft, fitDrafts } from './drafts.ts';
import type { WireAgent } from './events.ts';
import { ModelAnswer, recall } from './journal.ts';
import type { RunScope } from './run-scope.ts';
import { type MessageIdentity, messageChunk, toolCalls } from './wire.ts';

/** A filter that text passes before it is sent on. */
interface TextFilter {
  push(text: string): string;
  end(): string;
}

export interface AnswerOptions {
  /** Journal key. */
  key: string;
  agent: WireAgent;
  /** Value of `x-agent-role` when it is not the agent's name. */
  role?: AgentRole;
  model: Model;
  drafts: Draft[];
  request: Omit<ModelRequest, 'agent' | 'messages' | 'runId'>;
  signal: AbortSignal;
  filter?: TextFilter;
  /** Keep the text (not the reasoning) from the client. */
  hideText?: boolean;
  /** Calls are for the workflow only. */
  hideCalls?: boolean;
  /** Id of a message that goes on after this answer: the caller sends its end. */
  openMessage?: string;
  /** What is written together with the end of the answer. */
  onDone?: (answer: ModelAnswer) => Pick<RunOutput, 'thread' | 'journal' | 'ends'>;
}

/** Characters of one piece; with every character escaped it still fits into one event. */
const PIECE_CHARACTERS = 64 * 1024;
/** How often a prompt that turned out too long is shortened and sent again. */
const OVERFLOW_RETRIES = 3;

/** Streams one model answer as events of one message, or takes it from the journal without any. */
export async function* streamAnswer(scope: RunScope, options: AnswerOptions): AsyncGenerator<RunOutput, ModelAnswer> {
  const known = recall(scope.context.journal, options.key, ModelAnswer);
  if (known) {
    for (const call of known.calls) scope.callIds.add(call.id);
    return known;
  }
  const identity = {
    threadId: scope.context.threadId,
    agent: options.agent,
    id: options.openMessage ?? createId('msg'),
  };
  let opened = false;
  if (!scope.opened) {
    scope.opened = true;
    opened = true;
    yield { event: messageChunk(identity, {}) };
  }
  const sent = { any: opened };
  for (let attempt = 0; ; attempt++) {
    try {
      return yield* attemptAnswer(scope, options, identity, sent, attempt);
    } catch (error) {
      const overflow = error instanceof AppError && error.code === 'context_overflow';
      if (!overflow || attempt >= OVERFLOW_RETRIES) throw error;
      scope.deps.log.info('prompt shortened after an overflow', { run_id: scope.context.runId, agent: options.agent });
    }
  }
}

interface Piece {
  text: string;
  reasoning: string;
  calls: ToolCall[];
  finish?: { reason: FinishReason; usage?: Usage; model: string };
}

async function* attemptAnswer(
  scope: RunScope,
  options: AnswerOptions,
  identity: MessageIdentity,
  sent: { any: boolean },
  attempt: number,
): AsyncGenerator<RunOutput, ModelAnswer> {
  const { model } = options;
  // Each overflow tells that the estimate was too low for this text, so the budget shrinks as well.
  const budget = Math.floor(promptBudget(model, options.request.maxTokens) * 0.7 ** attempt);
  const request: ModelRequest = {
    ...options.request,
    agent: options.role ?? options.agent,
    messages: fitDrafts(options.drafts, budget),
    runId: scope.context.runId,
  };
  const answer: ModelAnswer = { text: '', reasoning: '', calls: [], finishReason: 'stop' };
  let finished: Piece['finish'];
  const filters: Filters = {
    // The workflow reads what is hidden itself.
    text: options.filter ?? (options.hideText ? undefined : scope.egress.textFilter()),
    reasoning: scope.egress.textFilter(),
  };
  const pieces = coalesce(
    readPieces(model, request, options.signal, filters),
    scope.deps.limits.chunkIntervalMs,
    joinPieces,
  );
  for await (const piece of pieces) {
    answer.text += piece.text;
    answer.reasoning += piece.reasoning;
    answer.calls.push(...piece.calls);
    finished = piece.finish;
    if (finished) {
      yield finishAnswer(scope, options, identity, answer, piece, sent);
      continue;
    }
    const content = options.hideText ? '' : piece.text;
    if (content || piece.reasoning) {
      sent.any = true;
      yield { event: messageChunk(identity, { content, reasoning: piece.reasoning }) };
    }
  }
  if (!finished) throw fail('internal_error', `The model ${model.name} ended its answer without a finish.`);
  return answer;
}

interface Filters {
  text: TextFilter | undefined;
  reasoning: TextFilter | undefined;
}

async function* readPieces(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  filters: Filters,
): AsyncGenerator<Piece> {
  const empty = (): Piece => ({ text: '', reasoning: '', calls: [] });
  for await (const event of model.stream(request, signal)) {
    if (event.type === 'text') {
      const text = filters.text ? filters.text.push(event.text) : event.text;
      for (const part of splitLong(text)) yield { ...empty(), text: part };
    } else if (event.type === 'reasoning') {
      const reasoning = filters.reasoning ? filters.reasoning.push(event.text) : event.text;
      for (const part of splitLong(reasoning)) yield { ...empty(), reasoning: part };
    } else if (event.type === 'tool_call') yield { ...empty(), calls: [event.call] };
    else {
      const { reason, usage, model: name } = event;
      const rest = { text: filters.text?.end() ?? '', reasoning: filters.reasoning?.end() ?? '' };
      yield { ...empty(), ...rest, finish: { reason, model: name, ...(usage ? { usage } : {}) } };
    }
  }
}

/** Providers that do not stream send the whole answer at once, which may be more than one event can hold. */
function splitLong(text: string): string[] {
  return text.match(/.{1,32768}/gsu) ?? [];
}

function joinPieces(first: Piece, second: Piece): Piece | undefined {
  const length = first.text.length + first.reasoning.length + second.text.length + second.reasoning.length;
  if (length > PIECE_CHARACTERS) return undefined;
  return {
    text: first.text + second.text,
    reasoning: first.reasoning + second.reasoning,
    calls: [...first.calls, ...second.calls],
    ...(second.finish ? { finish: second.finish } : {}),
  };
}

function finishAnswer(
  scope: RunScope,
  options: AnswerOptions,
  identity: MessageIdentity,
  answer: ModelAnswer,
  last: Piece,
  sent: { any: boolean },
): RunOutput {
  const finish = last.finish as NonNullable<Piece['finish']>;
  answer.calls = answer.calls.map((call) => withUniqueId(call, scope.callIds));
  answer.finishReason =
    answer.calls.length > 0 ? 'tool_calls' : finish.reason === 'tool_calls' ? 'stop' : finish.reason;
  const content = options.hideText ? '' : last.text;
  const extra = options.onDone?.(answer) ?? {};
  const output: RunOutput = {
    ...extra,
    journal: [{ key: options.key, value: answer }, ...(extra.journal ?? [])],
    ...(finish.usage ? { usage: { agent: options.agent, model: finish.model, ...finish.usage } } : {}),
  };
  if (answer.calls.length > 0 && !options.hideCalls) {
    const shown = answer.calls.map((call) => scope.egress.shown(call));
    const event = toolCalls(identity, shown, { content, reasoning: last.reasoning });
    return { ...output, event };
  }
  if (options.openMessage !== undefined) {
    return last.reasoning ? { ...output, event: messageChunk(identity, { reasoning: last.reasoning }) } : output;
  }
  if (!content && !last.reasoning && !sent.any) return output;
  const finishReason = answer.calls.length > 0 ? 'stop' : answer.finishReason;
  return { ...output, event: messageChunk(identity, { content, reasoning: last.reasoning, finishReason }) };
}

function withUniqueId(call: ToolCall, used: Set<string>): ToolCall {
  const id = call.id && !used.has(call.id) ? call.id : createId('call');
  used.add(id);
  return id === call.id ? call : { ...call, id };
}

/** Tokens a prompt may have so that an answer still fits in the window. */
function promptBudget(model: Model, maxTokens: number | undefined): number {
  const window = model.contextWindow;
  const answer = Math.min(maxTokens ?? 4096, Math.floor(window / 3));
  return Math.floor((window - answer) * 0.95);
}

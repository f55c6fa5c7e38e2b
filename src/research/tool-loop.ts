import { fail, isAbort, toAppError } from '../errors.ts';
import { createId } from '../lib/id.ts';
import { mergeGenerators } from '../lib/merge.ts';
import type { AgentRole, Model, ToolCall } from '../models/model.ts';
import type { AgentTask } from '../models/task.ts';
import type { RunOutput } from '../runs/model.ts';
import { cutToTokens } from '../text/tokens.ts';
import { streamAnswer } from './answer.ts';
import { readArguments } from './arguments.ts';
import { type Draft, fenced } from './drafts.ts';
import type { WireAgent } from './events.ts';
import { InterruptAnswer, type ModelAnswer, recall } from './journal.ts';
import type { RunScope } from './run-scope.ts';
import { type RetrievedSource, type Tool, ToolOutcome } from './tool.ts';
import { toolCallResult } from './wire.ts';

/** Tool calls of one answer that run at the same time. */
const PARALLEL_CALLS = 8;
/** Calls of one answer that are run at all. */
const MAX_CALLS = 16;
const TOOL_TIMEOUT_MS = 120_000;

export interface LoopOptions {
  /** Prefix of the journal keys. */
  key: string;
  agent: WireAgent;
  role?: AgentRole;
  model: Model;
  drafts: Draft[];
  tools: Tool[];
  task: AgentTask;
  signal: AbortSignal;
  /** Sources are put here as they are retrieved, so that they outlive a failure. */
  sources: RetrievedSource[];
}

/** How a loop ended: with a text, or waiting for the user to approve a tool call. */
export type LoopResult =
  | { status: 'done'; text: string }
  | { status: 'suspended'; key: string; tool: string; input: unknown };

const WRITE_NOW =
  'You have used all your tool calls. Do not ask for more. Write your result now from what you have found so far, and say what is missing.';

/** Lets an agent call tools, several at once, until it answers without a call or the bound is reached. */
export async function* runToolLoop(scope: RunScope, options: LoopOptions): AsyncGenerator<RunOutput, LoopResult> {
  const drafts = [...options.drafts];
  const { maxToolRounds } = scope.deps.limits;
  for (let round = 0; ; round++) {
    const last = round >= maxToolRounds;
    if (last) drafts.push({ role: 'user', pieces: [WRITE_NOW] });
    const answer = yield* answerOnce(scope, options, drafts, `${options.key}:a${round}`, last);
    if (answer.calls.length === 0 || last) {
      if (answer.text.trim() !== '') return { status: 'done', text: answer.text };
      throw fail('upstream_rejected', `The model ${options.model.name} gave an empty answer.`, {
        retryable: true,
      });
    }
    const calls = answer.calls.slice(0, MAX_CALLS);
    const waiting = findUnapproved(scope, options, calls, round);
    if (waiting) return waiting;
    drafts.push({ role: 'assistant', pieces: [answer.text], toolCalls: calls });
    const runs = calls.map((call, index) => runCall(scope, options, call, `${options.key}:t${round}.${index}`, round));
    const outcomes = yield* mergeGenerators(runs, PARALLEL_CALLS);
    for (const [index, outcome] of outcomes.entries()) {
      const call = calls[index] as ToolCall;
      const content = cutToTokens(outcome.content, scope.deps.limits.maxToolOutputTokens * 2);
      drafts.push({ role: 'tool', toolCallId: call.id, name: call.name, pieces: fenced(scope.fence, content) });
      options.sources.push(...(outcome.sources ?? []));
    }
  }
}

async function* answerOnce(
  scope: RunScope,
  options: LoopOptions,
  drafts: Draft[],
  key: string,
  last: boolean,
): AsyncGenerator<RunOutput, ModelAnswer> {
  const { tools } = options;
  const request = (attempt: number) => ({
    key: attempt === 0 ? key : `${key}:again`,
    agent: options.agent,
    ...(options.role ? { role: options.role } : {}),
    model: options.model,
    drafts,
    request: {
      task: options.task,
      ...(last || tools.length === 0 ? {} : { tools: tools.map((tool) => tool.definition) }),
    },
    signal: options.signal,
    ...(last ? { hideCalls: true } : {}),
  });
  const answer = yield* streamAnswer(scope, request(0));
  if (answer.text.trim() !== '' || (answer.calls.length > 0 && !last)) return answer;
  // Weak models now and then say nothing at all; once more usually helps.
  return yield* streamAnswer(scope, request(1));
}

/** The first call that needs the user's word and has none yet. */
function findUnapproved(
  scope: RunScope,
  options: LoopOptions,
  calls: ToolCall[],
  round: number,
): LoopResult | undefined {
  for (const [index, call] of calls.entries()) {
    const tool = options.tools.find((entry) => entry.definition.name === call.name);
    const names = [call.name, ...(tool?.aliases ?? [])];
    if (!names.some((name) => scope.input.interruptBeforeTools.includes(name))) continue;
    const key = approvalKey(options.key, round, index);
    if (!scope.context.journal.has(key)) {
      return { status: 'suspended', key, tool: call.name, input: readArguments(call) ?? call.argumentsText };
    }
  }
  return undefined;
}

function approvalKey(key: string, round: number, index: number): string {
  return `${key}:approve${round}.${index}`;
}

async function* runCall(
  scope: RunScope,
  options: LoopOptions,
  call: ToolCall,
  key: string,
  round: number,
): AsyncGenerator<RunOutput, ToolOutcome> {
  const tool = options.tools.find((entry) => entry.definition.name === call.name);
  const known = recall(scope.context.journal, key, ToolOutcome);
  if (known) {
    scope.egress.addOutcome(tool, known);
    return known;
  }
  const index = Number(key.slice(key.lastIndexOf('.') + 1));
  const approval = recall(scope.context.journal, approvalKey(options.key, round, index), InterruptAnswer);
  const isDeclined = approval !== undefined && !isApproval(approval.feedback);
  const outcome: ToolOutcome = isDeclined
    ? { content: 'The user declined this tool call. Do not try it again; go on without it.' }
    : await attemptCall(scope, options, call, approval !== undefined);
  scope.egress.addOutcome(tool, outcome);
  const identity = { threadId: scope.context.threadId, agent: options.agent, id: createId('msg') };
  yield { event: toolCallResult(identity, call.id, outcome.content), journal: [{ key, value: outcome }] };
  return outcome;
}

async function attemptCall(
  scope: RunScope,
  options: LoopOptions,
  call: ToolCall,
  isApproved: boolean,
): Promise<ToolOutcome> {
  const tool = options.tools.find((entry) => entry.definition.name === call.name);
  if (!tool) {
    const names = options.tools.map((entry) => entry.definition.name).join(', ') || 'none';
    return { content: `Error: there is no tool named ${call.name}. Available tools: ${names}.` };
  }
  const args = readArguments(call);
  if (!args) return { content: 'Error: the arguments of the call are not a valid JSON object.' };
  const timeout = AbortSignal.timeout(TOOL_TIMEOUT_MS);
  try {
    if (isApproved) scope.egress.approve(args);
    else scope.egress.check(tool, args);
    return await tool.run(args, AbortSignal.any([options.signal, timeout]));
  } catch (error) {
    options.signal.throwIfAborted();
    if (timeout.aborted) return { content: `Error: ${call.name} did not answer within ${TOOL_TIMEOUT_MS / 1000} s.` };
    if (isAbort(error)) throw error;
    const { code, message } = toAppError(error);
    if (code === 'url_unknown' || code === 'egress_refused')
      scope.deps.log.info('tool call refused', { run_id: scope.context.runId, tool: call.name, code });
    return { content: `Error: ${message}` };
  }
}

/** True for the exact words that let a tool run. */
export function isApproval(feedback: string): boolean {
  return /^\[?(accepted|approved)\]?$/i.test(feedback.trim());
}

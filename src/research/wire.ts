import { createId } from '../lib/id.ts';
import type { FinishReason, ToolCall } from '../models/model.ts';
import type { RunEvent } from '../runs/model.ts';
import { readArguments } from './arguments.ts';
import type { Citation } from './model.ts';

/** Agents as clients know them. */
export type WireAgent = 'coordinator' | 'planner' | 'researcher' | 'analyst' | 'coder' | 'reporter';

/** Identity of one model answer on the wire. */
export interface MessageIdentity {
  threadId: string;
  agent: WireAgent;
  /** The same for all events of one answer. */
  id: string;
}

interface MessageParts {
  content?: string | undefined;
  reasoning?: string | undefined;
  finishReason?: FinishReason | undefined;
}

// Clients compare key order in recorded streams, so the order here is part of the contract.
function base({ threadId, agent, id }: MessageIdentity, parts: MessageParts = {}): Record<string, unknown> {
  return {
    thread_id: threadId,
    agent,
    id,
    role: 'assistant',
    ...(parts.content ? { content: parts.content } : {}),
    ...(parts.reasoning ? { reasoning_content: parts.reasoning } : {}),
    ...(parts.finishReason ? { finish_reason: parts.finishReason } : {}),
  };
}

/** A piece of an answer. */
export function messageChunk(identity: MessageIdentity, parts: MessageParts): RunEvent {
  return { type: 'message_chunk', data: base(identity, parts) };
}

/** All tool calls of an answer; ends its message. */
export function toolCalls(identity: MessageIdentity, calls: ToolCall[]): RunEvent {
  return {
    type: 'tool_calls',
    data: {
      ...base(identity, { finishReason: 'tool_calls' }),
      tool_calls: calls.map((call) => ({
        name: call.name,
        args: readArguments(call) ?? {},
        id: call.id,
        type: 'tool_call',
      })),
      tool_call_chunks: calls.map((call, index) => ({
        name: call.name,
        args: escapeBrackets(call.argumentsText),
        id: call.id,
        index,
        type: 'tool_call_chunk',
      })),
    },
  };
}

/** The result of one call. */
export function toolCallResult(identity: MessageIdentity, toolCallId: string, content: string): RunEvent {
  return { type: 'tool_call_result', data: { ...base(identity), content, tool_call_id: toolCallId } };
}

/** The question for the review of a plan. */
export function planInterrupt(threadId: string): RunEvent {
  return interrupt(threadId, 'Please review the plan.', [
    { text: 'Edit plan', value: 'edit_plan' },
    { text: 'Start research', value: 'accepted' },
  ]);
}

/** The question before a tool runs. */
export function toolInterrupt(threadId: string, tool: string, input: unknown): RunEvent {
  // In a fence: clients show this as Markdown, and a picture in the input would be loaded before anyone says yes. No line
  // of the JSON can begin with the backticks that close it.
  const json = JSON.stringify(input, null, 2);
  const content = `The tool ${tool} is about to run with this input:\n\n\`\`\`json\n${json}\n\`\`\`\n\nMay it run?`;
  return interrupt(threadId, content, [
    { text: 'Approve', value: 'approved' },
    { text: 'Reject', value: 'rejected' },
  ]);
}

function interrupt(threadId: string, content: string, options: { text: string; value: string }[]): RunEvent {
  const data = {
    thread_id: threadId,
    id: createId('interrupt'),
    role: 'assistant',
    content,
    finish_reason: 'interrupt',
    options,
  };
  return { type: 'interrupt', data };
}

/** The sources of a completed run. */
export function citationsEvent(threadId: string, citations: Citation[]): RunEvent {
  return { type: 'citations', data: { thread_id: threadId, citations } };
}

function escapeBrackets(text: string): string {
  return text.replaceAll('[', '&#91;').replaceAll(']', '&#93;').replaceAll('{', '&#123;').replaceAll('}', '&#125;');
}

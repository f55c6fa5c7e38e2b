import { createId } from '../lib/id.ts';
import type { FinishReason, ToolCall } from '../models/model.ts';
import { readArguments } from './arguments.ts';
import type { EventData, EventOf, WireAgent } from './events.ts';
import type { Citation } from './model.ts';

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
function base({ threadId, agent, id }: MessageIdentity, parts: MessageParts = {}): EventData<'message_chunk'> {
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
export function messageChunk(identity: MessageIdentity, parts: MessageParts): EventOf<'message_chunk'> {
  return { type: 'message_chunk', data: base(identity, parts) };
}

/** All tool calls of an answer, with its last text; ends its message. */
export function toolCalls(
  identity: MessageIdentity,
  calls: ToolCall[],
  parts: Omit<MessageParts, 'finishReason'> = {},
): EventOf<'tool_calls'> {
  return {
    type: 'tool_calls',
    data: {
      ...base(identity, { ...parts, finishReason: 'tool_calls' }),
      tool_calls: calls.map((call) => ({
        name: call.name,
        args: readArguments(call) ?? {},
        id: call.id,
        type: 'tool_call' as const,
      })),
      tool_call_chunks: calls.map((call, index) => ({
        name: call.name,
        args: escapeBrackets(call.argumentsText),
        id: call.id,
        index,
        type: 'tool_call_chunk' as const,
      })),
    },
  };
}

/** The result of one call. */
export function toolCallResult(
  identity: MessageIdentity,
  toolCallId: string,
  content: string,
): EventOf<'tool_call_result'> {
  return { type: 'tool_call_result', data: { ...base(identity), content, tool_call_id: toolCallId } };
}

/** The question for the review of a plan. */
export function planInterrupt(threadId: string): EventOf<'interrupt'> {
  return interrupt(threadId, 'Please review the plan.', [
    { text: 'Edit plan', value: 'edit_plan' },
    { text: 'Start research', value: 'accepted' },
  ]);
}

/** The question before a tool runs. */
export function toolInterrupt(threadId: string, tool: string, input: unknown): EventOf<'interrupt'> {
  // In a fence: clients show this as Markdown, and a picture in the input would be loaded before anyone says yes. No line
  // of the JSON can begin with the backticks that close it.
  const json = JSON.stringify(input, null, 2);
  const content = `The tool ${tool} is about to run with this input:\n\n\`\`\`json\n${json}\n\`\`\`\n\nMay it run?`;
  return interrupt(threadId, content, [
    { text: 'Approve', value: 'approved' },
    { text: 'Reject', value: 'rejected' },
  ]);
}

function interrupt(
  threadId: string,
  content: string,
  options: EventData<'interrupt'>['options'],
): EventOf<'interrupt'> {
  const id = createId('interrupt');
  return {
    type: 'interrupt',
    data: { thread_id: threadId, id, role: 'assistant', content, finish_reason: 'interrupt', options },
  };
}

/** The sources of a completed run. */
export function citationsEvent(threadId: string, citations: Citation[]): EventOf<'citations'> {
  return { type: 'citations', data: { thread_id: threadId, citations } };
}

function escapeBrackets(text: string): string {
  return text.replaceAll('[', '&#91;').replaceAll(']', '&#93;').replaceAll('{', '&#123;').replaceAll('}', '&#125;');
}

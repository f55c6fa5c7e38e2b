import { isRecord, parseJson } from '../lib/json.ts';
import { estimateTokens } from '../text/tokens.ts';
import type { ModelMessage, ModelRequest, ToolCall } from './model.ts';
import type { Quirks } from './quirks.ts';
import { describeTools } from './tool-prompt.ts';

/** The configured limits of a model. */
export interface ChatDefaults {
  model: string;
  maxTokens?: number;
  temperature?: number;
}

/** The smallest answer that is worth asking for when the prompt fills the window. */
const MIN_ANSWER_TOKENS = 256;

/** The body of a streamed chat completion, leaving out what the endpoint was found not to know. */
export function chatBody(
  request: ModelRequest,
  defaults: ChatDefaults,
  quirks: Quirks,
  contextWindow: number,
): Record<string, unknown> {
  const inPrompt = quirks.tools === 'prompt';
  const messages = inPrompt ? describeTools(request.messages, request.tools ?? []) : request.messages;
  const body: Record<string, unknown> = {
    model: defaults.model,
    messages: messages.map((message) => wireMessage(message, quirks)),
    stream: true,
  };
  if (quirks.streamOptions) body['stream_options'] = { include_usage: true };
  if (request.tools?.length && !inPrompt)
    body['tools'] = request.tools.map((tool) => ({ type: 'function', function: tool }));
  const format = responseFormat(request.responseFormat, quirks.json);
  if (format) body['response_format'] = format;
  // What the operator configured wins over what an agent would like.
  const temperature = defaults.temperature ?? request.temperature;
  if (temperature !== undefined && quirks.temperature) body['temperature'] = temperature;
  const wanted = Math.min(defaults.maxTokens ?? Infinity, request.maxTokens ?? Infinity);
  if (Number.isFinite(wanted) && quirks.maxTokens !== 'none') {
    // Providers refuse a prompt that fits if the answer asked for does not.
    const room = contextWindow - promptTokens(request);
    body[quirks.maxTokens] = Math.min(wanted, Math.max(room, MIN_ANSWER_TOKENS));
  }
  return body;
}

/** Estimated tokens of a request's messages and tools. */
export function promptTokens(request: ModelRequest): number {
  let tokens = request.tools?.length ? estimateTokens(JSON.stringify(request.tools)) : 0;
  for (const message of request.messages) {
    tokens += 4;
    if (typeof message.content === 'string') tokens += estimateTokens(message.content);
    // An image is some hundred tokens whatever its bytes.
    else for (const part of message.content) tokens += part.type === 'text' ? estimateTokens(part.text) : 800;
    if (message.role === 'assistant')
      for (const call of message.toolCalls ?? []) tokens += estimateTokens(call.argumentsText) + 8;
  }
  return tokens;
}

function wireMessage(message: ModelMessage, quirks: Quirks): Record<string, unknown> {
  switch (message.role) {
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant':
      if (!message.toolCalls?.length) return { role: 'assistant', content: message.content };
      return {
        role: 'assistant',
        content: message.content || null,
        ...givenReasoning(message.toolCalls, quirks),
        tool_calls: message.toolCalls.map(wireCall),
      };
    case 'user':
      if (typeof message.content === 'string') return message;
      return {
        role: 'user',
        content: message.content.map((part) =>
          part.type === 'text' ? part : { type: 'image_url', image_url: { url: part.imageUrl } },
        ),
      };
    case 'system':
      return message;
  }
}

/** DeepSeek refuses a turn with tool calls whose reasoning is not given back; others refuse the field. */
function givenReasoning(calls: ToolCall[], quirks: Quirks): { reasoning_content?: string } {
  const reasoning = calls[0]?.extra?.reasoning_content;
  if (quirks.reasoning === 'never' || (reasoning === undefined && quirks.reasoning === 'if-known')) return {};
  return { reasoning_content: reasoning ?? '' };
}

function wireCall(call: ToolCall): Record<string, unknown> {
  // Several servers parse the arguments of earlier calls and fail on what the model itself wrote wrongly.
  const isValid = isRecord(parseJson(call.argumentsText));
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: isValid ? call.argumentsText : '{}' },
    ...(call.extra?.extra_content ? { extra_content: call.extra.extra_content } : {}),
  };
}

function responseFormat(format: ModelRequest['responseFormat'], support: Quirks['json']): object | undefined {
  if (format === undefined || format === 'text' || support === 'prompt') return undefined;
  if (format === 'json' || support === 'object') return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name: format.name, schema: format.schema } };
}

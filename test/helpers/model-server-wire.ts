/** A tool call of a scripted reply; arguments that are not text are written as JSON. */
interface ReplyCall {
  name: string;
  arguments: unknown;
  id?: string;
}

/** What the model server answers to one chat completion; everything left out has a sensible value. */
export interface Reply {
  /** One chunk per element; a single text is cut into words. */
  text?: string | string[];
  reasoning?: string | string[];
  /** Field of the delta that carries the reasoning: DeepSeek and vLLM differ from OpenRouter and Ollama. */
  reasoningField?: 'reasoning_content' | 'reasoning';
  toolCalls?: ReplyCall[];
  /** `deltas` as OpenAI; `whole` one chunk per call; `no-index` as Gemini; `no-id` without any id. */
  toolCallStyle?: 'deltas' | 'whole' | 'no-index' | 'no-id';
  finishReason?: string;
  /** `false` leaves usage out although it was asked for. */
  usage?: { prompt_tokens: number; completion_tokens: number } | false;
  /** Wait before the first byte. */
  latencyMs?: number;
  /** Pace of the chunks; absent sends all at once. */
  tokensPerSecond?: number;

  // Faults
  /** A refusal instead of an answer. */
  status?: number;
  headers?: Record<string, string>;
  error?: string | Record<string, unknown>;
  /** Raw answer body instead of everything else (with `status`, default 200). */
  body?: string;
  contentType?: string;
  /** Never sends a byte. */
  never?: boolean;
  /** Sends this many chunks, then is silent. */
  hangAfter?: number;
  /** Sends this many chunks, then drops the connection. */
  dropAfter?: number;
  /** Raw bytes put into the event stream before chunk number `at`. */
  insert?: { at: number; raw: string };
  /** Ends the body without finish reason and `[DONE]`, as a proxy that cuts. */
  cutAfter?: number;
}

/** Body of a chat completion request, as far as the server reads it. */
export interface ChatBody {
  model: string;
  messages: { role: string; content: unknown; tool_calls?: unknown[] }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  tools?: { type: 'function'; function: { name: string; description?: string; parameters: Record<string, unknown> } }[];
  response_format?: { type: string; json_schema?: { name: string; schema: Record<string, unknown> } };
  max_tokens?: number;
  max_completion_tokens?: number;
  temperature?: number;
}

/** The events of a streamed reply, framed, without the closing `[DONE]`. */
export function streamChunks(reply: Reply, body: ChatBody, id: string): string[] {
  const head = { id, object: 'chat.completion.chunk', created: 1_700_000_000, model: body.model };
  const frame = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const chunks = [frame({ role: 'assistant', content: '' })];
  for (const text of words(reply.reasoning))
    chunks.push(frame({ [reply.reasoningField ?? 'reasoning_content']: text }));
  for (const text of words(reply.text)) chunks.push(frame({ content: text }));
  for (const [index, call] of (reply.toolCalls ?? []).entries())
    for (const delta of callDeltas(call, index, id, reply.toolCallStyle ?? 'deltas'))
      chunks.push(frame({ tool_calls: [delta] }));
  chunks.push(frame({}, finishReason(reply)));
  if (body.stream_options?.include_usage && reply.usage !== false)
    chunks.push(`data: ${JSON.stringify({ ...head, choices: [], usage: usage(reply, body) })}\n\n`);
  if (reply.insert) chunks.splice(reply.insert.at, 0, reply.insert.raw);
  return chunks;
}

/** The whole reply as one JSON answer (`stream: false`). */
export function wholeAnswer(reply: Reply, body: ChatBody, id: string): object {
  const content = words(reply.text).join('');
  const reasoning = words(reply.reasoning).join('');
  const message = {
    role: 'assistant',
    content: content || null,
    ...(reasoning ? { [reply.reasoningField ?? 'reasoning_content']: reasoning } : {}),
    ...(reply.toolCalls?.length
      ? {
          tool_calls: reply.toolCalls.map((call, index) => ({
            id: call.id ?? `call_${id}_${index}`,
            type: 'function',
            function: { name: call.name, arguments: argumentsText(call) },
          })),
        }
      : {}),
  };
  return {
    id,
    object: 'chat.completion',
    created: 1_700_000_000,
    model: body.model,
    choices: [{ index: 0, message, finish_reason: finishReason(reply) }],
    ...(reply.usage === false ? {} : { usage: usage(reply, body) }),
  };
}

function callDeltas(call: ReplyCall, index: number, id: string, style: NonNullable<Reply['toolCallStyle']>): object[] {
  const text = argumentsText(call);
  const callId = call.id ?? `call_${id}_${index}`;
  const whole = { type: 'function', function: { name: call.name, arguments: text } };
  if (style === 'whole') return [{ index, id: callId, ...whole }];
  if (style === 'no-index') return [{ id: callId, ...whole }];
  if (style === 'no-id') return [{ index, ...whole }];
  const third = Math.ceil(text.length / 3);
  return [
    { index, id: callId, type: 'function', function: { name: call.name, arguments: '' } },
    ...[0, 1, 2]
      .map((part) => text.slice(part * third, (part + 1) * third))
      .filter(Boolean)
      .map((part) => ({ index, function: { arguments: part } })),
  ];
}

function argumentsText(call: ReplyCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
}

function finishReason(reply: Reply): string {
  return reply.finishReason ?? (reply.toolCalls?.length ? 'tool_calls' : 'stop');
}

function usage(reply: Reply, body: ChatBody): object {
  const given = reply.usage || {
    prompt_tokens: estimateTokens(JSON.stringify(body.messages)),
    completion_tokens: words(reply.text).length + words(reply.reasoning).length + 10 * (reply.toolCalls?.length ?? 0),
  };
  return { ...given, total_tokens: given.prompt_tokens + given.completion_tokens };
}

/** About four characters a token. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Cuts a text into word-sized pieces which join to the text. */
function words(text: string | string[] | undefined): string[] {
  if (text === undefined) return [];
  return typeof text === 'string' ? text.split(/(?<=\s)(?=\S)/).filter(Boolean) : text;
}

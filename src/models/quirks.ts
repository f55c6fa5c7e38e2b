import type { Refusal } from './provider-errors.ts';

/** What an endpoint was found not to support; learnt from its refusals and kept while the process runs. */
export interface Quirks {
  /** `prompt` describes the tools in the prompt and reads the call from the answer. */
  tools: 'native' | 'prompt';
  streamOptions: boolean;
  json: 'schema' | 'object' | 'prompt';
  maxTokens: 'max_tokens' | 'max_completion_tokens' | 'none';
  temperature: boolean;
  /** Whether the reasoning before tool calls is given back; `always` sends it empty where it is not known. */
  reasoning: 'if-known' | 'always' | 'never';
}

/** What is assumed of an endpoint before it refused anything. */
export function initialQuirks(host: string): Quirks {
  // OpenAI's newer models refuse `max_tokens`; most compatible servers know nothing else.
  const isOpenAi = host === 'api.openai.com' || host.endsWith('.openai.azure.com');
  return {
    tools: 'native',
    streamOptions: true,
    json: 'schema',
    maxTokens: isOpenAi ? 'max_completion_tokens' : 'max_tokens',
    temperature: true,
    reasoning: 'if-known',
  };
}

/** The texts in which providers refuse tools; texts about one bad tool or message must not match. */
const TOOLS_REFUSED = [
  // Ollama, DeepSeek; "does not support tools / function calling / tool use"
  /(?:not|n't) support(?:ed)?[^.]{0,40}\b(?:tools?|functions?)\b/i,
  // OpenRouter: No endpoints found that support tool use
  /no endpoints found that support (?:the provided )?['"]?tool/i,
  // OpenAI, Groq, Mistral, Gemini: tools is not supported / Function calling is not enabled for this model
  /\b(?:tools?|functions?|tool[ _]choice)\b['"`]?(?: (?:use|calling|calls?))?['"`]? (?:is|are) (?:not (?:supported|enabled|available|allowed)|unsupported|disabled)/i,
  // vLLM: "auto" tool choice requires --enable-auto-tool-choice; llama.cpp: tools param requires --jinja flag
  /tool[\w ]{0,60} requires --/i,
  // Strict servers
  /(?:unrecognized|unknown|unexpected|unsupported|extra)[^.]{0,60}['"` :]tools?\b/i,
  /\btools\b[^.]{0,20}(?:extra inputs|not permitted)/i,
];

/**
 * Learns from a refusal which part of the request the endpoint does not know; true when the request is worth sending
 * again. Decided by what the refused request held, because several calls may learn the same at once.
 */
export function learnQuirk(quirks: Quirks, refusal: Refusal, body: Record<string, unknown>): boolean {
  // llama.cpp answers 500 for a missing template, OpenRouter 404 for missing tool use.
  if (![400, 404, 405, 415, 422, 500, 501].includes(refusal.status)) return false;
  const text = `${refusal.message} ${refusal.error['param'] ?? ''}`;
  if (body['stream_options'] !== undefined && /stream_options|include_usage/i.test(text)) {
    quirks.streamOptions = false;
    return true;
  }
  if (body['response_format'] !== undefined && /response_format|json[_ ](?:object|schema|mode)/i.test(text)) {
    const isSchema = (body['response_format'] as { type: string }).type === 'json_schema';
    quirks.json = isSchema ? 'object' : 'prompt';
    return true;
  }
  if (body['tools'] !== undefined && TOOLS_REFUSED.some((pattern) => pattern.test(text))) {
    quirks.tools = 'prompt';
    return true;
  }
  if (/reasoning_content/.test(text)) {
    const wanted = /missing|must be|required|pass(?:ed)? back/i.test(text) ? 'always' : 'never';
    const turns = (body['messages'] as Record<string, unknown>[]).filter((message) => message['tool_calls']);
    quirks.reasoning = wanted;
    return turns.some((turn) => (turn['reasoning_content'] !== undefined) !== (wanted === 'always'));
  }
  for (const key of ['max_tokens', 'max_completion_tokens'] as const) {
    if (body[key] === undefined || !text.includes(key)) continue;
    const other = key === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    // A number that is too large is left to the provider's default.
    const isUnknown = /unsupported|not supported|unrecognized|unknown|extra inputs|unexpected|not permitted/i.test(
      text,
    );
    quirks.maxTokens = isUnknown ? other : 'none';
    return true;
  }
  if (body['temperature'] !== undefined && /temperature/i.test(text)) {
    quirks.temperature = false;
    return true;
  }
  return false;
}

import { isRecord } from '../lib/json.ts';

/** Window of a model nobody knows: large enough to work with, small enough for what is served today. */
export const DEFAULT_WINDOW = 32_768;

/** Ollama serves 4,096 tokens unless told otherwise and cuts longer prompts silently, so it must not be guessed higher. */
const OLLAMA_WINDOW = 4_096;
const OLLAMA_PORT = '11434';

/** Context windows by the start of the model's name, as the providers' model pages give them; the longest match wins. */
const WINDOWS: Record<string, number> = {
  'gpt-5': 400_000,
  'gpt-5-chat': 128_000,
  'gpt-4.1': 1_047_576,
  'gpt-4.5': 128_000,
  'gpt-4o': 128_000,
  'gpt-4-turbo': 128_000,
  'gpt-4-1106': 128_000,
  'gpt-4-0125': 128_000,
  'gpt-4': 8_192,
  'gpt-3.5': 16_385,
  'gpt-oss': 131_072,
  'chatgpt-4o': 128_000,
  o1: 200_000,
  'o1-mini': 128_000,
  'o1-preview': 128_000,
  o3: 200_000,
  o4: 200_000,
  claude: 200_000,
  'claude-2.0': 100_000,
  'claude-instant': 100_000,
  gemini: 1_048_576,
  'gemini-1.0': 32_760,
  gemma: 8_192,
  'gemma-3': 131_072,
  gemma3: 131_072,
  'gemma3:1b': 32_768,
  deepseek: 131_072,
  'deepseek-v4': 1_048_576,
  'deepseek-coder': 16_384,
  qwen: 32_768,
  'qwen-plus': 131_072,
  'qwen-turbo': 131_072,
  'qwen3-coder': 262_144,
  'qwen3-next': 262_144,
  qwq: 131_072,
  'llama-2': 4_096,
  llama2: 4_096,
  'llama-3': 8_192,
  llama3: 8_192,
  'llama-3.1': 131_072,
  'llama-3.2': 131_072,
  'llama-3.3': 131_072,
  'llama3.1': 131_072,
  'llama3.2': 131_072,
  'llama3.3': 131_072,
  'llama-4': 131_072,
  llama4: 131_072,
  'meta-llama-3.1': 131_072,
  'meta-llama-3': 8_192,
  mistral: 32_768,
  'mistral-large': 131_072,
  'mistral-medium': 131_072,
  'mistral-nemo': 131_072,
  'mistral-small3': 131_072,
  ministral: 131_072,
  mixtral: 32_768,
  'mixtral-8x22b': 65_536,
  magistral: 40_960,
  devstral: 131_072,
  'command-r': 131_072,
  'command-a': 262_144,
  'phi-3': 4_096,
  phi3: 4_096,
  'phi-4': 16_384,
  phi4: 16_384,
  grok: 131_072,
  'grok-4': 262_144,
  kimi: 131_072,
  glm: 131_072,
  minimax: 196_608,
  doubao: 32_768,
  hunyuan: 32_768,
  sonar: 127_072,
  granite: 131_072,
  'nova-micro': 128_000,
  nova: 300_000,
};

/** Tokens that fit in one call of a model, by its name and where it is served. */
export function windowOf(model: string, baseUrl = ''): number {
  if (URL.canParse(baseUrl) && new URL(baseUrl).port === OLLAMA_PORT) return OLLAMA_WINDOW;
  // `openai/gpt-4o`, `models/gemini-2.5-pro`, `us.anthropic.claude-…`, `accounts/x/models/y` are the same models.
  const name = (model.toLowerCase().split('/').at(-1) ?? '').replace(
    /^(?:[a-z]{2,4}\.)?(?:anthropic|amazon|meta)\./,
    '',
  );
  const inName = /[-_](\d{1,4})k(?=[-_:.]|$)/.exec(name)?.[1];
  if (inName) return Number(inName) * 1_024;
  const known = Object.keys(WINDOWS)
    .filter((prefix) => name.startsWith(prefix))
    .sort((a, b) => b.length - a.length)[0];
  return known ? WINDOWS[known]! : DEFAULT_WINDOW;
}

const NUMBER = String.raw`[^\d]{0,20}?(\d[\d,]{2,10})`;
/** Error texts that name the window, in the words of the providers they come from. */
const WITH_LIMIT = [
  // OpenAI, Azure, DeepSeek, vLLM, OpenRouter, Fireworks
  `maximum context length(?: is|:| of)?${NUMBER}`,
  // vLLM
  `context length is only${NUMBER}`,
  `maximum model length of${NUMBER}`,
  // Anthropic
  String.raw`tokens? > (\d[\d,]+)(?: tokens)? maximum`,
  String.raw`exceed context limit: [\d,]+ \+ [\d,]+ > (\d[\d,]+)`,
  // llama.cpp, LM Studio
  `available context size${NUMBER}`,
  `context length of only${NUMBER}`,
  // Gemini
  `maximum number of tokens allowed${NUMBER}`,
  `model only supports up to${NUMBER}`,
  // Mistral
  String.raw`(\d[\d,]+) maximum context length`,
  // Ollama
  `(?:exceeds|exceeded) (?:the )?(?:model's )?(?:maximum |max )?context length${String.raw` (?:of|\()`}${NUMBER}`,
  // xAI
  `maximum prompt length is${NUMBER}`,
  // Together, text-generation-inference
  `must be <=${NUMBER}`,
  // Qwen
  String.raw`range of input length should be \[\d+, ?(\d[\d,]+)\]`,
  // OpenAI and Groq, of one call over the limit of a minute: waiting never helps
  `request too large.{0,200}?limit:?${NUMBER}`,
  // Moonshot
  `exceeded model token limit:${NUMBER}`,
].map((source) => new RegExp(source, 'i'));

/** Error texts that only say the prompt is too long. */
const WITHOUT_LIMIT = [
  /context_length_exceeded|exceed_context_size|model_context_window_exceeded/i,
  /exceeds? the (?:available )?context (?:window|size|length|limit)/i,
  /(?:exceeds?|exceeded) (?:the )?(?:maximum |max )?context (?:window|size|length|limit)/i,
  /(?:prompt|input|request|context) (?:is|are) too (?:long|large)/i,
  /input token count .{0,30}exceeds/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /prompt too long|context (?:window|length) exceeds limit/i,
  /(?:greater|longer) than the (?:maximum )?context length/i,
  /too many (?:input )?tokens in/i,
];

/** A provider's refusal of a prompt that is too long, with the window if it names one. */
export interface ContextOverflow {
  limit?: number;
}

/** Reads a provider's error; undefined when it is not about the length of the prompt. */
export function readContextOverflow(message: string, error?: unknown): ContextOverflow | undefined {
  // llama.cpp gives the number as a field.
  if (isRecord(error) && typeof error['n_ctx'] === 'number') return { limit: error['n_ctx'] };
  for (const pattern of WITH_LIMIT) {
    const limit = Number(pattern.exec(message)?.[1]?.replaceAll(',', ''));
    if (limit >= 256) return { limit };
  }
  const code = isRecord(error) && typeof error['code'] === 'string' ? error['code'] : '';
  return WITHOUT_LIMIT.some((pattern) => pattern.test(message) || pattern.test(code)) ? {} : undefined;
}

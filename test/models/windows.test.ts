import { describe, expect, test } from 'bun:test';
import { DEFAULT_WINDOW, readContextOverflow, windowOf } from '../../src/models/windows.ts';

describe('context window by name', () => {
  test.each([
    ['gpt-4o-mini', 128_000],
    ['gpt-4', 8_192],
    ['gpt-4.1-nano', 1_047_576],
    ['openai/gpt-4o', 128_000],
    ['o3-mini', 200_000],
    ['claude-sonnet-4-5', 200_000],
    ['us.anthropic.claude-3-7-sonnet', 200_000],
    ['models/gemini-2.5-flash', 1_048_576],
    ['Qwen/Qwen2.5-7B-Instruct', 32_768],
    ['llama3.1:8b', 131_072],
    ['llama3:8b', 8_192],
    ['moonshot-v1-8k', 8_192],
    ['gpt-4-32k', 32_768],
    ['microsoft/Phi-3-medium-128k-instruct', 131_072],
    ['mixtral-8x22b', 65_536],
    ['a-model-of-my-own', DEFAULT_WINDOW],
    ['', DEFAULT_WINDOW],
  ])('%s has %d', (name, tokens) => {
    expect(windowOf(name)).toBe(tokens);
  });

  test('an Ollama server counts by what it serves, because it cuts silently', () => {
    expect(windowOf('llama3.1:8b', 'http://localhost:11434/v1')).toBe(4_096);
  });
});

describe('a provider that says the prompt is too long', () => {
  test.each([
    [
      'OpenAI',
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 150012 tokens. Please reduce the length of the messages.",
      128_000,
    ],
    [
      'Azure',
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion).",
      8_192,
    ],
    [
      'DeepSeek',
      "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (66000 in the messages, 4000 in the completion).",
      65_536,
    ],
    [
      'OpenRouter',
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000.",
      32_768,
    ],
    [
      'vLLM',
      "'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context length is 4096 tokens and your request has 500 input tokens",
      4_096,
    ],
    [
      'vLLM, newer',
      "You passed 5000 input tokens and requested 100 output tokens. However, the model's context length is only 4096 tokens",
      4_096,
    ],
    ['vLLM, decoder', 'The decoder prompt (length 5001) is longer than the maximum model length of 4096.', 4_096],
    ['Anthropic', 'prompt is too long: 210044 tokens > 200000 maximum', 200_000],
    [
      'Anthropic, with the answer',
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
      200_000,
    ],
    ['llama.cpp', 'request (5013 tokens) exceeds the available context size (4096 tokens), try increasing it', 4_096],
    [
      'LM Studio',
      'Trying to keep the first 5064 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      4_096,
    ],
    ['Gemini', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
    [
      'Vertex',
      'Unable to submit request because the input token count is 40000 but model only supports up to 32768.',
      32_768,
    ],
    [
      'Mistral',
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      32_768,
    ],
    ['xAI', "This model's maximum prompt length is 131072 but the request contains 150000 tokens.", 131_072],
    ['Together', '`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000', 4_097],
    ['Qwen', 'InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]', 30_720],
    ['Moonshot', 'Invalid request: Your request exceeded model token limit: 8192', 8_192],
    ['Fireworks', 'The prompt is too long: 50000, model maximum context length: 32,768', 32_768],
    [
      'Groq, per minute',
      'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000',
      6_000,
    ],
    ['Ollama', 'the input length exceeds the context length', undefined],
    ['Ollama, older', 'input length exceeds maximum context length', undefined],
    ['llama.cpp, older', 'the request exceeds the available context size. try increasing the context size', undefined],
    [
      'OpenAI, newer',
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      undefined,
    ],
    ['Bedrock', 'Input is too long for requested model.', undefined],
    ['MiniMax', 'invalid params, context window exceeds limit (2013)', undefined],
  ])('%s', (_provider, message, limit) => {
    expect(readContextOverflow(message)).toEqual(limit === undefined ? {} : { limit });
  });

  test('llama.cpp gives the number as a field, OpenAI a code', () => {
    expect(readContextOverflow('x', { n_ctx: 2048 })).toEqual({ limit: 2_048 });
    expect(readContextOverflow('x', { code: 'context_length_exceeded' })).toEqual({});
  });

  test.each([
    'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.',
    'Incorrect API key provided',
    'max_tokens is too large: 100000. This model supports at most 4096 completion tokens.',
    "Invalid value for 'content': expected a string.",
    'The server is overloaded',
    '',
  ])('%j is something else', (message) => {
    expect(readContextOverflow(message)).toBeUndefined();
  });
});

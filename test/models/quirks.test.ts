import { describe, expect, test } from 'bun:test';
import type { Refusal } from '../../src/models/provider-errors.ts';
import { initialQuirks, learnQuirk } from '../../src/models/quirks.ts';

const refusal = (message: string, status = 400): Refusal => ({ status, message, error: {}, headers: new Headers() });
const body = { tools: [{}], max_tokens: 5 };

describe('refused tools', () => {
  test.each([
    ['Ollama', 'registry.ollama.ai/library/gemma:2b does not support tools', 400],
    ['vLLM', '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', 400],
    ['llama.cpp', 'tools param requires --jinja flag', 500],
    ['OpenRouter', 'No endpoints found that support tool use. To learn more about provider routing, visit', 404],
    ['OpenAI', 'tools is not supported in this model. For a list of supported models, refer to the page.', 400],
    ['OpenAI, older', 'Unrecognized request argument supplied: tools', 400],
    ['DeepSeek', 'deepseek-reasoner does not support Function Calling', 400],
    ['Groq', '`tool calling` is not supported with this model', 400],
    ['Mistral', 'Function calling is not enabled for this model', 400],
    ['Gemini', 'Function calling is not enabled for models/gemma-3-27b-it', 400],
    ['Strict', 'tools: Extra inputs are not permitted', 422],
  ])('%s: %s', (_provider, message, status) => {
    const quirks = initialQuirks('x');
    expect(learnQuirk(quirks, refusal(message, status), body)).toBe(true);
    expect(quirks.tools).toBe('prompt');
  });

  test.each([
    ["Invalid schema for function 'web_search': schema must be of type object", 400],
    [
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
      400,
    ],
    ["Invalid 'tools[0].function.name': string does not match pattern", 400],
    ['The model is overloaded', 503],
    ['does not support tools', 401],
  ])('%s is about something else', (message, status) => {
    const quirks = initialQuirks('x');
    expect(learnQuirk(quirks, refusal(message, status), body)).toBe(false);
    expect(quirks).toEqual(initialQuirks('x'));
  });

  test('a call that sent no tools learns nothing from the text', () => {
    expect(learnQuirk(initialQuirks('x'), refusal('does not support tools'), {})).toBe(false);
  });
});

describe('the longest answer', () => {
  test('is asked for under the name OpenAI wants there, and under the old one elsewhere', () => {
    expect(initialQuirks('api.openai.com').maxTokens).toBe('max_completion_tokens');
    expect(initialQuirks('localhost:8080').maxTokens).toBe('max_tokens');
  });

  test.each([
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_completion_tokens',
    ],
    ['max_tokens is too large: 100000. This model supports at most 4096 completion tokens.', 'none'],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 'none'],
  ] as const)('%s', (message, key) => {
    const quirks = initialQuirks('x');
    expect(learnQuirk(quirks, refusal(message), { max_tokens: 100_000 })).toBe(true);
    expect(quirks.maxTokens).toBe(key);
  });
});

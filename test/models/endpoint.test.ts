import { describe, expect, test } from 'bun:test';
import { resolveEndpoint } from '../../src/models/endpoint.ts';

describe('base URL of a model', () => {
  test.each([
    [undefined, 'https://api.openai.com/v1', {}],
    ['http://localhost:11434/v1/', 'http://localhost:11434/v1', {}],
    ['http://localhost:1234/v1/chat/completions', 'http://localhost:1234/v1', {}],
    ['https://api.anthropic.com/v1/', 'https://api.anthropic.com/v1', {}],
    [
      'https://generativelanguage.googleapis.com/v1beta/openai/',
      'https://generativelanguage.googleapis.com/v1beta/openai',
      {},
    ],
    ['https://x.openai.azure.com', 'https://x.openai.azure.com/openai/v1', {}],
    [
      'https://x.openai.azure.com/openai/deployments/d',
      'https://x.openai.azure.com/openai/deployments/d',
      { 'api-version': '2024-10-21' },
    ],
    [
      'https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2025-01-01-preview',
      'https://x.openai.azure.com/openai/deployments/d',
      { 'api-version': '2025-01-01-preview' },
    ],
  ])('%s', (text, baseUrl, query) => {
    expect(resolveEndpoint(text, 'k')).toMatchObject({ baseUrl, query });
  });

  test('Azure takes the key in a header of its own, the others as a bearer token, none without a key', () => {
    expect(resolveEndpoint('https://x.openai.azure.com', 'k').headers).toEqual({ 'api-key': 'k' });
    expect(resolveEndpoint('https://openrouter.ai/api/v1', 'k').headers).toEqual({ authorization: 'Bearer k' });
    expect(resolveEndpoint('http://localhost/v1', '').headers).toEqual({});
  });

  test.each(['localhost:11434', 'ftp://x', 'not a url', ''])('%j is refused', (text) => {
    expect(() => resolveEndpoint(text, undefined)).toThrow('base_url');
  });
});

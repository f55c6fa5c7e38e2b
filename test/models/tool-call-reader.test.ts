import { describe, expect, test } from 'bun:test';
import { ToolCallReader } from '../../src/models/tool-call-reader.ts';

function run(deltas: string[]) {
  const reader = new ToolCallReader(['web_search', 'crawl_tool']);
  const reads = [...deltas.map((delta) => reader.push(delta)), reader.end()];
  return { text: reads.map((read) => read.text).join(''), calls: reads.flatMap((read) => read.calls) };
}

const search = (query: string) => ({ name: 'web_search', argumentsText: JSON.stringify({ query }) });
const CALL = '{"tool": "web_search", "arguments": {"query": "a } \\" { b"}}';

const CALLS: [answer: string, text: string, calls: { name: string; argumentsText: string }[]][] = [
  [CALL, '', [search('a } " { b')]],
  [`I will search.\n\`\`\`json\n${CALL}\n\`\`\``, 'I will search.\n', [search('a } " { b')]],
  [`\`\`\`\n${CALL}\n\`\`\`\nDone.`, '\nDone.', [search('a } " { b')]],
  [`\`\`\`json${CALL}\`\`\``, '', [search('a } " { b')]],
  [`<tool_call>\n${CALL}\n</tool_call>`, '', [search('a } " { b')]],
  ['{"name": "web_search", "parameters": {"query": "x"}}', '', [search('x')]],
  ['{"function": {"name": "web_search", "arguments": "{\\"query\\":\\"x\\"}"}}', '', [search('x')]],
  ['{"tool_calls": [{"name": "web_search", "args": {"query": "x"}}]}', '', [search('x')]],
  ['{"thought": "hm", "tool": "web_search", "arguments": {"query": "x"}}', '', [search('x')]],
  [
    '[{"tool":"web_search","arguments":{"query":"x"}},{"tool":"web_search","arguments":{"query":"y"}}]',
    '',
    [search('x'), search('y')],
  ],
  [`${CALL}\n${CALL}`, '', [search('a } " { b'), search('a } " { b')]],
  ["{'tool': 'web_search', 'arguments': {'query': 'x',}}", '', [search('x')]],
  ['{"tool": "web_search", "arguments": {"query": "x"', '', [search('x')]],
  ['{"tool": "no_such", "arguments": {}}', '', [{ name: 'no_such', argumentsText: '{}' }]],
  ['{"tool": "web_search"}', '', [{ name: 'web_search', argumentsText: '{}' }]],
];

const TEXTS = [
  'Just prose with [1], [a](https://example.org) and `code`.',
  'Use `{` and { or < b, 2 < 3, <b>bold</b>.',
  '```json\n{"locale": "en-US", "steps": []}\n```\nEnd',
  '```python\nprint({"tool": 1})\n```',
  '{"name": "Bob", "parameters": {"age": 3}}',
  '{"tool": 3}',
  '{"tool": "web_search", oh no',
  '[{"a": 1}]',
  '``` ',
  '<tool_call> nothing',
  '{',
  '[',
  '`',
  '',
];

describe('tool call reader', () => {
  test.each(CALLS)('reads the call in %j at every split', (answer, text, calls) => {
    for (let at = 0; at <= answer.length; at++) {
      const result = run([answer.slice(0, at), answer.slice(at)]);
      expect(result.calls).toEqual(calls);
      expect(result.text.trim()).toBe(text.trim());
    }
    expect(run(answer.split('')).calls).toEqual(calls);
  });

  test.each(TEXTS)('leaves %j as it is at every split', (answer) => {
    for (let at = 0; at <= answer.length; at++)
      expect(run([answer.slice(0, at), answer.slice(at)])).toEqual({ text: answer, calls: [] });
    expect(run(answer.split(''))).toEqual({ text: answer, calls: [] });
  });

  test('sends prose on at once and holds only what may be a call', () => {
    const reader = new ToolCallReader(['web_search']);
    expect(reader.push('Some prose [1] and ').text).toBe('Some prose [1] and ');
    expect(reader.push('{"tool": ').text).toBe('');
    expect(reader.push('3} rest').text).toBe('{"tool": 3} rest');
  });

  test('gives up holding what is too long for a call', () => {
    const reader = new ToolCallReader(['web_search']);
    const long = `{"tool": "${'x'.repeat(70_000)}`;
    expect(reader.push(long).text).toBe(long);
  });
});

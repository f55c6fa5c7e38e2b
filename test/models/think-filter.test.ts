import { describe, expect, test } from 'bun:test';
import { ThinkFilter } from '../../src/models/think-filter.ts';

function run(deltas: string[]): { text: string; reasoning: string } {
  const filter = new ThinkFilter();
  const joined = { text: '', reasoning: '' };
  for (const piece of [...deltas.flatMap((delta) => filter.push(delta)), ...filter.end()])
    joined[piece.type] += piece.text;
  return joined;
}

const CASES: [answer: string, text: string, reasoning: string][] = [
  ['plain answer', 'plain answer', ''],
  ['<think>why</think>answer', 'answer', 'why'],
  ['<thinking>why</thinking>answer', 'answer', 'why'],
  ['before<think>a</think>mid<think>b</think>after', 'beforemidafter', 'ab'],
  ['<think></think>x', 'x', ''],
  ['<think>never closed', '', 'never closed'],
  ['<think>a < b and </thin no', '', 'a < b and </thin no'],
  ['<think>a</thinking>b</think>c', 'c', 'a</thinking>b'],
  ['a < b, <thin ice, <t', 'a < b, <thin ice, <t', ''],
  ['<<think>x</think>>', '<>', 'x'],
  ['a stray </think> stays', 'a stray </think> stays', ''],
  ['<think>ü漢🙂</think>🙂', '🙂', 'ü漢🙂'],
  ['', '', ''],
];

describe('think filter', () => {
  test.each(CASES)('%j at every split in three', (answer, text, reasoning) => {
    for (let first = 0; first <= answer.length; first++)
      for (let second = first; second <= answer.length; second++)
        expect(run([answer.slice(0, first), answer.slice(first, second), answer.slice(second)])).toEqual({
          text,
          reasoning,
        });
  });

  test.each(CASES)('%j character by character', (answer, text, reasoning) => {
    expect(run(answer.split(''))).toEqual({ text, reasoning });
  });

  test('text that cannot be a tag is not held back', () => {
    const filter = new ThinkFilter();
    expect(filter.push('x < y')).toEqual([{ type: 'text', text: 'x < y' }]);
    expect(filter.push('and <thi')).toEqual([{ type: 'text', text: 'and ' }]);
    expect(filter.push('s> is')).toEqual([{ type: 'text', text: '<this> is' }]);
  });
});

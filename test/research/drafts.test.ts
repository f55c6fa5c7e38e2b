import { expect, test } from 'bun:test';
import { type Draft, fenced, fitDrafts } from '../../src/research/drafts.ts';
import { cutToTokens, estimateTokens } from '../../src/text/tokens.ts';

const total = (messages: { content: unknown }[]) =>
  messages.reduce((sum, message) => sum + estimateTokens(String(message.content)) + 8, 0);

test('drafts that fit are left as they are', () => {
  const drafts: Draft[] = [
    { role: 'system', pieces: ['You are.'] },
    { role: 'user', pieces: ['a ', { cuttable: 'b' }] },
  ];
  expect(fitDrafts(drafts, 1000)).toEqual([
    { role: 'system', content: 'You are.' },
    { role: 'user', content: 'a b' },
  ]);
});

test('only the longest cuttable pieces are shortened, and the whole stays within the budget', () => {
  const drafts: Draft[] = [
    { role: 'system', pieces: ['Fixed instructions.'] },
    { role: 'tool', toolCallId: '1', name: 't', pieces: fenced('f', 'word '.repeat(20_000)) },
    { role: 'tool', toolCallId: '2', name: 't', pieces: fenced('f', 'short result') },
    { role: 'tool', toolCallId: '3', name: 't', pieces: fenced('f', '字'.repeat(20_000)) },
  ];
  const messages = fitDrafts(drafts, 2000);
  expect(total(messages)).toBeLessThanOrEqual(2000);
  expect(messages[0]?.content).toBe('Fixed instructions.');
  expect(messages[2]?.content).toBe('<<<DATA f\nshort result\nDATA f>>>');
  for (const index of [1, 3]) {
    expect(String(messages[index]?.content)).toStartWith('<<<DATA f\n');
    expect(String(messages[index]?.content)).toEndWith('… [cut]\nDATA f>>>');
  }
});

test('a cut never splits a code point', () => {
  for (let tokens = 1; tokens < 40; tokens++) expect(cutToTokens('a😀'.repeat(200), tokens).isWellFormed()).toBe(true);
});

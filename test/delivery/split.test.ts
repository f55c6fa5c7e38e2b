import { describe, expect, test } from 'bun:test';
import { splitText, utf8Length } from '../../src/delivery/split.ts';

const table: { name: string; text: string; limit: number; parts: string[] }[] = [
  { name: 'a text that fits stays whole', text: 'a\n\nb', limit: 10, parts: ['a\n\nb'] },
  { name: 'an empty text has no parts', text: ' \n ', limit: 10, parts: [] },
  {
    name: 'paragraphs are kept whole when each fits',
    text: 'short\n\none two three four\n\nlast',
    limit: 20,
    parts: ['short', 'one two three four', 'last'],
  },
  { name: 'small paragraphs share a part', text: 'aa\n\nbb\n\ncc\n\ndd', limit: 10, parts: ['aa\n\nbb\n\ncc', 'dd'] },
  {
    name: 'a paragraph that is too long is cut between lines',
    text: 'first line\nsecond line\nthird line',
    limit: 24,
    parts: ['first line\nsecond line', 'third line'],
  },
  {
    name: 'a line that is too long is cut between sentences',
    text: 'One two three. Four five six. Seven eight nine.',
    limit: 31,
    parts: ['One two three. Four five six.', 'Seven eight nine.'],
  },
  {
    name: 'Chinese sentences end without a space',
    text: '第一句话。第二句话。第三句话。',
    limit: 11,
    parts: ['第一句话。第二句话。', '第三句话。'],
  },
  {
    name: 'a sentence that is too long is cut between words',
    text: 'aaa bbb ccc ddd',
    limit: 8,
    parts: ['aaa bbb', 'ccc ddd'],
  },
  { name: 'a word that is too long is cut inside', text: 'abcdefghij', limit: 4, parts: ['abcd', 'efgh', 'ij'] },
  { name: 'a character of two code units is not cut', text: 'abc🙂🙂', limit: 4, parts: ['abc', '🙂🙂'] },
  { name: 'a family emoji is not cut', text: 'ab👨‍👩‍👧cd', limit: 9, parts: ['ab', '👨‍👩‍👧c', 'd'] },
  {
    name: 'a fence that is cut is closed and opened again',
    text: 'x\n\n```ts\nline one\nline two\nline three\n```\n\nend',
    limit: 30,
    parts: ['x\n\n```ts\nline one\nline two\n```', '```ts\nline three\n```\n\nend'],
  },
  {
    name: 'a fence that fits alone is not cut',
    text: 'intro words\n\n```\na\n\nb\n```\n\nend',
    limit: 16,
    parts: ['intro words', '```\na\n\nb\n```', 'end'],
  },
  {
    name: 'a fence that is never closed is closed in each part',
    text: '~~~py\naaaa\nbbbb\ncccc',
    limit: 19,
    parts: ['~~~py\naaaa\nbbbb\n~~~', '~~~py\ncccc'],
  },
  { name: 'indentation after a cut line stays', text: 'aaaa\n  bbbb', limit: 7, parts: ['aaaa', '  bbbb'] },
];

describe('splitText', () => {
  for (const { name, text, limit, parts } of table) test(name, () => expect(splitText(text, { limit })).toEqual(parts));

  test('counts in the measure of the platform', () => {
    const parts = splitText('漢字漢字漢字', { limit: 12, measure: utf8Length });
    expect(parts).toEqual(['漢字漢字', '漢字']);
  });

  test('every part of a random text fits, no lone surrogate appears and every word arrives once', () => {
    const pieces = [
      'word',
      'a',
      '🙂🙂',
      '漢字。',
      '\n```\n',
      '\n```ts\n',
      'x'.repeat(40),
      '**b**',
      '\n',
      '\n\n',
      ' ',
      '. ',
      '- item\n',
    ];
    let seed = 7;
    const next = () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed;
    };
    for (let round = 0; round < 300; round++) {
      const text = Array.from({ length: 60 }, () => pieces[next() % pieces.length]).join('');
      const limit = 60 + (next() % 60);
      const parts = splitText(text, { limit, maxParts: 10_000 });
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(limit);
        expect(part.trim()).not.toBe('');
        expect(part.isWellFormed()).toBe(true);
      }
      expect(letters(parts.join('\n'))).toBe(letters(text));
    }
  });

  test('the same text is always cut the same way', () => {
    const text = 'Lorem ipsum dolor. '.repeat(500);
    expect(splitText(text, { limit: 777 })).toEqual(splitText(text, { limit: 777 }));
  });

  test('beyond the most parts it says how much is left out', () => {
    const parts = splitText('word '.repeat(1000), { limit: 100, maxParts: 3 });
    expect(parts).toHaveLength(3);
    expect(parts[2]).toMatch(/\[… \d{4} more characters\]$/);
    expect(parts[2]!.length).toBeLessThanOrEqual(100);
  });

  test('a megabyte without a border is cut in reasonable time', () => {
    const started = performance.now();
    const parts = splitText('x'.repeat(1_000_000), { limit: 4096, maxParts: 1000 });
    expect(parts.join('')).toHaveLength(1_000_000);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

/** Letters and emoji without fences, whose language is repeated in each part. */
function letters(text: string): string {
  return text.replace(/```(?:ts)?/g, '').replace(/[\s`]/g, '');
}

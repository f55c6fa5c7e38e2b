import { describe, expect, test } from 'bun:test';
import { readMarkdownBlocks } from '../../src/lib/markdown-blocks.ts';
import { readAloud } from '../../src/podcast/read-aloud.ts';
import { speakable } from '../../src/podcast/speakable.ts';

describe('what can be spoken of', () => {
  test.each([
    ['**bold**, *thin*, __both__ and ~~old~~', 'bold, thin, both and old'],
    ['snake_case_names and 2*3*4 stay', 'snake_case_names and 2*3*4 stay'],
    ['[a [nested] link](https://x.y/a_(b)) here', 'a [nested] link here'],
    ['![picture](data:image/png;base64,AAAA) seen', 'picture seen'],
    ['facts [1], [2, 3] and [^4].', 'facts, and.'],
    ['<b>html</b> and `code`', 'html and code'],
    ['see https://example.org/a?b=c#d now', 'see now'],
    ['Price: $5 * 3 &amp; more', 'Price: $5 * 3 & more'],
    ['😀 smile 👨‍👩‍👧 #1 © 2026', 'smile #1 © 2026'],
    ['two\nlines\tand \u0000 more', 'two lines and more'],
    ['月亮（[来源](https://a.example)）绕地球转', '月亮（来源）绕地球转'],
  ])('%j is %j', (text, spoken) => {
    expect(speakable(text)).toBe(spoken);
  });
});

describe('blocks of Markdown', () => {
  test('headings, quotes, lists, tables, code and definitions are told apart', () => {
    const text = [
      '---\ntitle: x\n---\n# One #\ntext\ngoes on\n\nTwo\n---\n> quoted\n> > twice',
      '\n- [x] done\n2) second\n   goes on\n\n***\n\n| a | b |\n|:--|--:|\n| 1 | x \\| y |\n| 2 |\n',
      'after\n\n~~~js\n# no heading\n~~~\n[ref]: https://a.example\n```\nopen',
    ].join('');
    expect(readMarkdownBlocks(text)).toEqual([
      { type: 'heading', depth: 1, text: 'One' },
      { type: 'paragraph', text: 'text\ngoes on' },
      { type: 'heading', depth: 2, text: 'Two' },
      { type: 'paragraph', text: 'quoted\ntwice' },
      { type: 'item', text: 'done' },
      { type: 'item', text: 'second\ngoes on' },
      { type: 'row', header: ['a', 'b'], cells: ['1', 'x | y'] },
      { type: 'row', header: ['a', 'b'], cells: ['2'] },
      { type: 'paragraph', text: 'after' },
      { type: 'code', text: '# no heading' },
      { type: 'code', text: 'open' },
    ]);
  });

  test.each([
    ['[', 300_000],
    ['_a', 300_000],
    ['<a\n', 100_000],
    ['> ', 300_000],
    ['- ', 300_000],
    ['|a', 300_000],
    ['```\n', 100_001],
    ['![a](', 100_000],
  ])('%j many times takes no time', (piece, times) => {
    const started = performance.now();
    readMarkdownBlocks(piece.repeat(times));
    // A parser that goes back takes half a minute.
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

test('a table is read by its columns, Chinese ends with its own full stop', () => {
  const { lines } = readAloud('| 城市 | 人口 |\n|--|--|\n| 伯尔尼 | 十三万 |\n', { locale: null, maxCharacters: 1000 });
  expect(lines.map((line) => line.paragraph)).toEqual(['伯尔尼, 人口: 十三万。']);
});

test('a long paragraph is shared by both voices', () => {
  const { lines } = readAloud('The tide rises and falls twice a day. '.repeat(40), {
    locale: null,
    maxCharacters: 5000,
  });
  expect(lines.length).toBeGreaterThan(2);
  for (const [index, line] of lines.entries()) {
    expect(line.speaker).toBe(index % 2 === 0 ? 'male' : 'female');
    expect(Buffer.byteLength(line.paragraph)).toBeLessThanOrEqual(600);
    expect(line.paragraph.endsWith('.')).toBe(true);
  }
});

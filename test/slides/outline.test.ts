import { describe, expect, test } from 'bun:test';
import { attachment, fileNameOf } from '../../src/slides/file-name.ts';
import { formulaRuns } from '../../src/slides/formula.ts';
import { parseInline, plainText } from '../../src/slides/inline.ts';
import { outlineDeck } from '../../src/slides/outline.ts';
import { resolveLocale } from '../../src/slides/phrases.ts';
import { splitSentences } from '../../src/slides/sentences.ts';

const slidesOf = (content: string) => outlineDeck(content, 'en-US').deck.slides;
const kinds = (content: string) => slidesOf(content).map((slide) => slide.kind);

describe('the outline of a document', () => {
  test('takes its title from the first heading, front matter or the first words', () => {
    expect(outlineDeck('# A **bold** title\n\nText.', 'en-US').deck.title).toBe('A bold title');
    expect(outlineDeck('---\ntitle: "From the site"\ndate: 2024-01-01\n---\n\nText.', 'en-US').deck.title).toBe(
      'From the site',
    );
    expect(outlineDeck('Just a line of text', 'en-US').deck.title).toBe('Just a line of text');
    expect(outlineDeck('| Year | Value |\n|---|---|\n| 2020 | 3 |\n| 2021 | 4 |', 'en-US').deck.title).toBe(
      'Year · Value',
    );
  });

  test('says in the notes that no language model wrote it', () => {
    expect(slidesOf('# A')[0]).toMatchObject({ kind: 'title', notes: expect.stringContaining('no language model') });
  });

  test('makes each kind of block its own kind of slide', () => {
    const content =
      '# T\n\n## Text\n\nOne.\n\n## Rest\n\n| A | B |\n|---|---|\n| x | y |\n\n> Wise words.\n> — Somebody\n\n```ts\nx\n```\n\n$$\nx^2\n$$\n\n![alt](https://example.org/a.png)\n';
    expect(kinds(content)).toEqual([
      'title',
      'agenda',
      'bullets',
      'section',
      'table',
      'quote',
      'code',
      'formula',
      'image',
      'closing',
    ]);
  });

  test('shows a line that leads in above what it introduces', () => {
    expect(slidesOf('# T\n\n## A\n\nThe table shows it:\n\n| A | B |\n|---|---|\n| x | y |\n').at(-1)).toMatchObject({
      kind: 'table',
      lead: 'The table shows it:',
    });
  });

  test('puts a list under the line that ends in a colon, and keeps the numbers of an ordered one', () => {
    const bullets = slidesOf('# T\n\n## A\n\nReasons:\n\n3. first\n4. second\n').find(
      (slide) => slide.kind === 'bullets',
    );
    expect(bullets).toMatchObject({
      bullets: [{ text: 'Reasons:' }, { text: 'first', level: 1, number: 3 }, { text: 'second', level: 1, number: 4 }],
    });
  });

  test('reads a bold line as a heading', () => {
    expect(slidesOf('# T\n\n## A\n\n**Details**\n\nText.').find((slide) => slide.kind === 'bullets')).toMatchObject({
      title: 'Details',
    });
  });

  test('puts two short lists with headings side by side', () => {
    expect(slidesOf('# T\n\n## Choice\n\n### Pro\n\n- a\n\n### Con\n\n- b\n')).toContainEqual(
      expect.objectContaining({
        kind: 'columns',
        title: 'Choice',
        left: { heading: 'Pro', bullets: [{ text: 'a' }] },
        right: { heading: 'Con', bullets: [{ text: 'b' }] },
      }),
    );
  });

  test('reads the list of sources, whatever it is called', () => {
    for (const heading of ['References', 'Key Citations', 'Quellen', '参考资料', '7. Sources'])
      expect(
        slidesOf(
          `# T\n\nText [1].\n\n## ${heading}\n\n- [The site](https://example.org/x)\n- [2] Plain book, 1999\n- https://example.org/y\n`,
        ).find((slide) => slide.kind === 'references'),
      ).toMatchObject({
        items: [
          { text: 'The site', url: 'https://example.org/x' },
          { text: 'Plain book, 1999' },
          { text: 'example.org', url: 'https://example.org/y' },
        ],
      });
  });

  test('keeps a section about citing as text', () => {
    expect(
      kinds('# T\n\n## A\n\nx\n\n## Citations\n\nA report may cite only what it read. Other links go.'),
    ).not.toContain('references');
  });

  test('loses no sentence of a long text', () => {
    const sentences = Array.from(
      { length: 40 },
      (_, index) => `Sentence number ${index} says that the value was ${index}.5 in that year.`,
    );
    const text = JSON.stringify(slidesOf(`# T\n\n## A\n\n${sentences.join(' ')}`));
    for (const sentence of sentences) expect(text).toContain(sentence);
  });
});

describe('sentences', () => {
  test.each([
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    [
      'Costs fell by 3.5 percent, e.g. in Oslo. Then they rose.',
      ['Costs fell by 3.5 percent, e.g. in Oslo.', 'Then they rose.'],
    ],
    ['It works [1]. It **does. Really** so.', ['It works [1].', 'It **does. Really** so.']],
    ['Cited.[2] Next.', ['Cited.[2]', 'Next.']],
    ['第一句。第二句！“第三句。”', ['第一句。', '第二句！', '“第三句。”']],
    ['Dr. Smith met J. Doe.', ['Dr. Smith met J. Doe.']],
  ])('%p', (text, sentences) => expect(splitSentences(text)).toEqual(sentences));
});

describe('inline text', () => {
  test('raises footnote marks, and leaves them out of titles', () => {
    expect(parseInline('tripled[^1].')).toEqual([
      { text: 'tripled' },
      { text: '1', script: 'upper', isFootnote: true },
      { text: '.' },
    ]);
    expect(parseInline('`a[^1]`')).toEqual([{ text: 'a[^1]', code: true }]);
    expect(plainText('**Tides**[^note-2] rise')).toBe('Tides rise');
    expect(plainText('[^1]: NOAA')).toBe('[^1]: NOAA');
  });

  test('becomes runs of one style', () => {
    expect(parseInline('**a** `b` *c* ~~d~~ [e](https://example.org)')).toEqual([
      { text: 'a', bold: true },
      { text: ' ' },
      { text: 'b', code: true },
      { text: ' ' },
      { text: 'c', italic: true },
      { text: ' ' },
      { text: 'd', strike: true },
      { text: ' ' },
      { text: 'e', href: 'https://example.org' },
    ]);
  });

  test('leaves money alone and reads formulas', () => {
    expect(
      parseInline('From $5 to $10, so $x_1 = 2^{n}$.')
        .map((run) => run.text)
        .join(''),
    ).toBe('From $5 to $10, so x1 = 2n.');
  });

  test.each([
    ['\\frac{a}{b}', 'a/b'],
    ['\\frac{n \\lambda}{1-p}', '(n λ)/(1−p)'],
    ['\\sqrt{x} \\leq \\infty', '√x ≤ ∞'],
    ['\\unknown{x}', '\\unknown{x}'],
  ])('formula %p reads %p', (latex, text) =>
    expect(
      formulaRuns(latex)
        .map((run) => run.text)
        .join(''),
    ).toBe(text),
  );

  test('raises and lowers', () => {
    expect(formulaRuns('x^{2}_i')).toEqual([
      { text: 'x', italic: true },
      { text: '2', italic: true, script: 'upper' },
      { text: 'i', italic: true, script: 'lower' },
    ]);
  });
});

describe('the language', () => {
  test.each([
    ['de_DE', 'x', 'de-DE'],
    ['de', 'x', 'de-DE'],
    ['Deutsch!', 'The cost of the plan is in the report and it is for the city', 'en-US'],
    [null, 'Der Bericht ist nicht lang und die Kosten werden auch für das Jahr gezeigt', 'de-DE'],
    [null, '新能源汽车市场', 'zh-CN'],
    [null, 'これはレポートです', 'ja-JP'],
    [null, '', 'en-US'],
  ])('%p for %p is %s', (locale, content, tag) => expect(resolveLocale(locale, content)).toBe(tag));
});

describe('the file name', () => {
  test.each([
    ['../../etc/passwd', 'etc passwd.pptx'],
    ['a/b:c*d?"e"', 'a b c d e.pptx'],
    ['   ', 'presentation.pptx'],
    ['line\r\nSet-Cookie: x', 'line Set-Cookie x.pptx'],
  ])('of %p is %p', (title, name) => expect(fileNameOf(title, 'pptx')).toBe(name));

  test('is no header injection', () => {
    expect(attachment('a"; filename="b\r\nX: y', 'pptx')).toBe(
      'attachment; filename="a filename= b X y.pptx"; filename*=UTF-8\'\'a%20%3B%20filename%3D%20b%20X%20y.pptx',
    );
  });
});

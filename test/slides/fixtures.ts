import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuiltDeck, buildFromMarkdown } from '../../src/slides/build.ts';
import type { ThemeName } from '../../src/slides/model.ts';
import { resolveLocale } from '../../src/slides/phrases.ts';

/** Reports of the kinds people bring. */
export const REPORTS = ['long-report', 'tables', 'cjk', 'code-and-formulas', 'nearly-empty'] as const;

export const FIXTURES = join(import.meta.dir, '../fixtures/slides');

export function report(name: (typeof REPORTS)[number]): string {
  return readFileSync(join(FIXTURES, `${name}.md`), 'utf8');
}

/** Builds a deck of text without images in this thread. */
export async function build(
  content: string,
  options: { locale?: string; theme?: ThemeName; maxSlides?: number } = {},
): Promise<BuiltDeck> {
  const locale = resolveLocale(options.locale, content);
  const built = await buildFromMarkdown(content, locale, {
    theme: options.theme ?? 'light',
    maxSlides: options.maxSlides ?? 120,
    createdAt: 1_700_000_000,
  });
  if (!('bytes' in built)) throw new Error('the content has images');
  return built;
}

/** A 2 × 1 pixel PNG. */
export const PNG = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAAEUlEQVR4nGP4z8Dwn4GBgQEADQAC/3Wq3WAAAAAASUVORK5CYII=',
    'base64',
  ),
);

const SENTENCE = 'The committee compared three proposals and found the second one cheaper to run. ';

/** Content nobody would write on purpose. */
export const HOSTILE: Record<string, string> = {
  'one byte': 'x',
  'sixty headings with text': Array.from(
    { length: 60 },
    (_, index) => `## Heading ${index}\n\nText ${index} says something.`,
  ).join('\n\n'),
  'sixty bare headings': Array.from({ length: 60 }, (_, index) => `# Heading ${index}`).join('\n'),
  'only a table': '| Year | Value |\n|---|---|\n| 2020 | 3 |\n| 2021 | 5 |\n| 2022 | 9 |\n',
  'only code': '```\nlet x = 1;\n```',
  'only rules': '\n---\n\n---\n',
  'a table without rows': '| a | b |\n|---|---|\n',
  'a cell of a page': `| a | b |\n|---|---|\n| x | ${SENTENCE.repeat(60)} |\n`,
  'sixty columns': `|${'c|'.repeat(60)}\n|${'-|'.repeat(60)}\n|${'value|'.repeat(60)}\n`,
  'negative values': '| Region | Change |\n|---|---|\n| North | -3 |\n| South | 5 |\n| East | −1.5 |\n',
  'a heading of 3,000 letters': `# ${'W'.repeat(3000)}\n\n## ${'Überschrift'.repeat(200)}\n\ntext`,
  'control characters': '# a\u0000b\u0008\n\nx\ud800y \uffff z &#0; &#x1F; <script>alert(1)</script> \u202egnp.exe',
  'markup characters': '# 5 < 6 & 7 > 3 "quoted"\n\n- `<a:t>` & "x" \'y\'\n\n| <b> | & |\n|---|---|\n| "q" | \'r\' |\n',
  'nested lists': Array.from({ length: 300 }, (_, index) => `${' '.repeat(index % 40)}- item ${index}`).join('\n'),
  'nested quotes': `${'>'.repeat(20_000)} deep`,
  'unclosed brackets': '['.repeat(50_000),
  'unclosed emphasis': '_a __b'.repeat(20_000),
  'unclosed images': '!['.repeat(50_000),
  'unclosed tags': '<a '.repeat(300_000),
  'unclosed comments': `<div>\n${'<!--'.repeat(200_000)}`,
  'unclosed addresses': '![a](b'.repeat(150_000),
  'unclosed scripts': `<div>\n${'<script '.repeat(100_000)}`,
  'endless table separators': `${'|-'.repeat(200_000)}\n`,
  'spaces and stars': `${'* '.repeat(200_000)}`,
  backslashes: '\\\\'.repeat(200_000),
  hashes: '#'.repeat(500_000),
  'full stops': '. '.repeat(300_000),
  'dollar signs': '$a_'.repeat(50_000),
  'a megabyte in sections': Array.from(
    { length: 300 },
    (_, index) => `## Section ${index}\n\n${SENTENCE.repeat(42)}\n`,
  ).join('\n'),
  'a megabyte in one paragraph': SENTENCE.repeat(13_000),
  'a megabyte without a space': 'a'.repeat(1_000_000),
  'a megabyte of Chinese': '新能源汽车市场持续增长。'.repeat(29_000),
};

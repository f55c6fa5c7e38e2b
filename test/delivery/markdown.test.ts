import { describe, expect, test } from 'bun:test';
import { slackDialect, telegramDialect, whatsappDialect } from '../../src/delivery/dialects.ts';
import { createHtmlRenderer, createMarkdownRenderer } from '../../src/delivery/markdown.ts';
import { readMarkdownV2 } from '../helpers/markdown-v2.ts';

const telegram = await createMarkdownRenderer(telegramDialect);
const slack = await createMarkdownRenderer(slackDialect);
const whatsapp = await createMarkdownRenderer(whatsappDialect);
const html = await createHtmlRenderer();

const rows: { markdown: string; telegram: string; slack: string; whatsapp: string }[] = [
  {
    markdown: '**bold** *it* ~~no~~',
    telegram: '*bold* _it_ ~no~',
    slack: '*bold* _it_ ~no~',
    whatsapp: '*bold* _it_ ~no~',
  },
  { markdown: '# A **b** c', telegram: '*A b c*', slack: '*A b c*', whatsapp: '*A b c*' },
  { markdown: '1.5 - a_b! #1', telegram: '1\\.5 \\- a\\_b\\! \\#1', slack: '1.5 - a_b! #1', whatsapp: '1.5 - a_b! #1' },
  { markdown: '`a\\b`', telegram: '`a\\\\b`', slack: '`a\\b`', whatsapp: '`a\\b`' },
  {
    markdown: '[x.y](https://e.org/(1))',
    telegram: '[x\\.y](https://e.org/(1\\))',
    slack: '<https://e.org/(1)|x.y>',
    whatsapp: 'x.y (https://e.org/(1))',
  },
  {
    markdown: 'https://e.org/a_b',
    telegram: 'https://e\\.org/a\\_b',
    slack: '<https://e.org/a_b>',
    whatsapp: 'https://e.org/a_b',
  },
  { markdown: '[x](javascript:alert)', telegram: 'x', slack: 'x', whatsapp: 'x' },
  { markdown: '- a\n- b', telegram: '• a\n• b', slack: '• a\n• b', whatsapp: '• a\n• b' },
  { markdown: '3. a\n4. b', telegram: '3\\. a\n4\\. b', slack: '3. a\n4. b', whatsapp: '3. a\n4. b' },
  { markdown: '> q', telegram: '>q', slack: '> q', whatsapp: '> q' },
  { markdown: 'a\nb', telegram: 'a\nb', slack: 'a\nb', whatsapp: 'a\nb' },
  {
    markdown: '<!channel> & <b>',
    telegram: '<\\!channel\\> & <b\\>',
    slack: '&lt;!channel&gt; &amp; &lt;b&gt;',
    whatsapp: '<!channel> & <b>',
  },
  {
    markdown: '|a|b|\n|-|-|\n|1|long|',
    telegram: '```\na | b\n--+-----\n1 | long\n```',
    slack: '```\na | b\n--+-----\n1 | long\n```',
    whatsapp: '```a | b\n--+-----\n1 | long```',
  },
];

describe('Markdown for chat platforms', () => {
  for (const row of rows)
    test(`renders ${JSON.stringify(row.markdown)}`, () => {
      expect(telegram(row.markdown)).toBe(row.telegram);
      expect(slack(row.markdown)).toBe(row.slack);
      expect(whatsapp(row.markdown)).toBe(row.whatsapp);
    });

  test('what Telegram gets is always well-formed', () => {
    const pieces = [
      '*',
      '_',
      '**',
      '~~',
      '`',
      '```',
      '[',
      ']',
      '(',
      ')',
      '>',
      '#',
      '+',
      '-',
      '=',
      '|',
      '{',
      '}',
      '.',
      '!',
      '\\',
      'a',
      ' ',
      '\n',
      '\n\n',
      '1. ',
      'http://x.y/',
    ];
    let seed = 3;
    for (let round = 0; round < 500; round++) {
      let markdown = '';
      for (let index = 0; index < 30; index++) {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        markdown += pieces[(seed >> 8) % pieces.length];
      }
      expect(() => readMarkdownV2(telegram(markdown)), markdown).not.toThrow();
    }
  });

  test('text nested thousands of levels deep is shown as it is', () => {
    const deep = '>'.repeat(30_000);
    expect(telegram(deep)).toBe('\\>'.repeat(30_000));
    expect(html(deep)).toBe(`<pre>${'&gt;'.repeat(30_000)}</pre>`);
  });

  test('HTML holds no raw tag, script or unsafe address of the text', () => {
    const rendered = html('# T\n\n<script>x</script>\n\n[a](javascript:b) ![p](data:x) **b** <img src=x onerror=y>');
    expect(rendered).toContain('<h1>T</h1>');
    expect(rendered).toContain('<strong>b</strong>');
    expect(rendered).not.toMatch(/<script|<img|javascript:|data:/);
  });
});

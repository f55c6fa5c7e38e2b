import { describe, expect, test } from 'bun:test';
import { escapeLine, escapeLines, escapeText } from '../../src/lib/escape-controls.ts';
import { createLogger } from '../../src/lib/log.ts';
import { expectCalm, HOSTILE } from '../helpers/hostile-text.ts';

describe('escaping', () => {
  const rows: [name: string, text: string, line: string, content: string][] = [
    ['plain text', 'naïve 漢字 🏴 שלום', 'naïve 漢字 🏴 שלום', 'naïve 漢字 🏴 שלום'],
    ['a tab', 'a\tb', 'a\tb', 'a\tb'],
    ['line breaks', 'a\nb\r\nc\rd', 'a\\nb\\u000d\\nc\\u000dd', 'a\nb\ncd'],
    ['an escape sequence', '\u001b[2J', '\\u001b[2J', '\\u001b[2J'],
    ['C1 and DEL', '\u009b2J\u007f', '\\u009b2J\\u007f', '\\u009b2J\\u007f'],
    ['overrides and isolates', '\u202ea\u2066b\u2069', '\\u202ea\\u2066b\\u2069', '\\u202ea\\u2066b\\u2069'],
    ['separators', 'a\u2028b\u2029', 'a\\u2028b\\u2029', 'a\\u2028b\\u2029'],
    ['marks of direction', 'א\u200f!', 'א\\u200f!', 'א\u200f!'],
    [
      'joiners of emoji and Persian',
      '👩\u200d💻 می\u200cخواهم',
      '👩\u200d💻 می\u200cخواهم',
      '👩\u200d💻 می\u200cخواهم',
    ],
  ];
  test.each(rows)('%s', (_name, text, line, content) => {
    expect(escapeLine(text)).toBe(line);
    expect(escapeText(text)).toBe(content);
  });

  test('JSON stays the same JSON', () => {
    const value = { [HOSTILE]: [HOSTILE, 'א\u200f'] };
    expect(JSON.parse(escapeLine(JSON.stringify(value)))).toEqual(value);
    const pretty = escapeLines(JSON.stringify(value, null, 2));
    expect(JSON.parse(pretty)).toEqual(value);
    expect(pretty.split('\n')).toHaveLength(6);
  });
});

test.each(['text', 'json'] as const)('a log entry in %s is one calm line, whatever its values hold', (format) => {
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', format, write: (line) => lines.push(line) }).with({ base: HOSTILE });
  log.info(HOSTILE, { [HOSTILE]: HOSTILE, error: new Error(HOSTILE), list: [HOSTILE], word: 'x\u001b[2J' });
  log.warn('plain', { event: 'push' });
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line).not.toContain('\n');
    expectCalm(line);
  }
  expect(lines[0]).toContain('\\u001b[2J');
  if (format === 'json')
    expect(JSON.parse(lines[0]!)).toMatchObject({ message: HOSTILE, base: HOSTILE, list: [HOSTILE] });
  else expect(lines[1]).toMatch(/ WARN {2}plain base="evil.*" event=push$/);
});

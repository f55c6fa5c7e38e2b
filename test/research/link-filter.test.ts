import { expect, test } from 'bun:test';
import { LinkFilter } from '../../src/research/link-filter.ts';
import { createCitable } from '../../src/research/sources.ts';

const allowed = createCitable(['https://ok.org/a', 'https://ok.org/b_(c)', 'handbook://runs']);

/** Rows: what the model writes, what the client gets, how many addresses are taken out. */
const rows: [string, string, number][] = [
  ['plain text, nothing else', 'plain text, nothing else', 0],
  ['[a](https://ok.org/a)', '[a](https://ok.org/a)', 0],
  ['[a](https://ok.org/a#part "title")', '[a](https://ok.org/a#part "title")', 0],
  ['[a](<https://ok.org/a>)', '[a](<https://ok.org/a>)', 0],
  ['[a](https://OK.org/a/)', '[a](https://OK.org/a/)', 0],
  ['[w](https://ok.org/b_(c)) end', '[w](https://ok.org/b_(c)) end', 0],
  ['[h](handbook://runs#leases)', '[h](handbook://runs#leases)', 0],
  ['[a](https://bad.org/)', 'a', 1],
  ['[a](https://ok.org/a/../x)', 'a', 1],
  ['[a](https://ok.org/a?x=1)', 'a', 1],
  ['[a](https://ok.org@bad.org/a)', 'a', 1],
  ['[a](javascript:alert(1))', 'a', 1],
  ['[a](JaVaScRiPt:alert(1))', 'a', 1],
  ['[a](data:text/html,hi)', 'a', 1],
  ['[a](mailto:x@y.z)', 'a', 1],
  ['[a](/relative)', 'a', 1],
  ['[a](#section)', '[a](#section)', 0],
  ['![pic](https://bad.org/p.png) x', 'pic x', 1],
  ['![pic](https://ok.org/a)', '![pic](https://ok.org/a)', 0],
  ['[![i](https://bad.org/i)](https://ok.org/a)', '[i](https://ok.org/a)', 1],
  ['[see https://bad.org/x](https://ok.org/a)', '[see ](https://ok.org/a)', 1],
  ['<https://ok.org/a> <https://bad.org>', '<https://ok.org/a> ', 1],
  ['at https://ok.org/a, and https://bad.org/x.', 'at https://ok.org/a, and .', 1],
  ['(https://ok.org/a)', '(https://ok.org/a)', 0],
  ['www.bad.org is', ' is', 1],
  ['ftp://bad.org/x', '', 1],
  ['见https://bad.org/x。好', '见。好', 1],
  ['[1]: https://bad.org/x\nnext', 'next', 1],
  ['[1]: https://ok.org/a\nnext', '[1]: https://ok.org/a\nnext', 0],
  ['text [1] and [note]: fine', 'text [1] and [note]: fine', 0],
  ['<a href="https://bad.org">x</a>', 'x</a>', 1],
  ["<img src='https://bad.org/i.png'>y", 'y', 1],
  ['a < b and c > d', 'a < b and c > d', 0],
  ['`curl http://localhost:8000`', '`curl http://localhost:8000`', 0],
  ['```sh\ncurl http://localhost\n```\nhttps://bad.org', '```sh\ncurl http://localhost\n```\n', 1],
  ['an unclosed ` tick\n\nhttps://bad.org/x y', 'an unclosed ` tick\n\n y', 1],
  ['[unclosed https://bad.org/x', '[unclosed ', 1],
  ['[a](https://ok.org/a', '[a](https://ok.org/a', 0],
  ['- [x] done\n- [ ] open', '- [x] done\n- [ ] open', 0],
  ['| a | https://ok.org/a |\n', '| a | https://ok.org/a |\n', 0],
  ['**https://ok.org/a**', '**https://ok.org/a**', 0],
];

test.each(rows)('%j becomes %j', (input, output, removed) => {
  const filter = new LinkFilter(allowed);
  expect(filter.push(input) + filter.end()).toBe(output);
  expect(filter.removed).toBe(removed);
});

test('the result does not depend on where the text is split', () => {
  for (const [input, output] of rows) {
    for (let at = 0; at <= input.length; at++) {
      const filter = new LinkFilter(allowed);
      const got = filter.push(input.slice(0, at)) + filter.push(input.slice(at)) + filter.end();
      expect([input, at, got]).toEqual([input, at, output]);
    }
    const filter = new LinkFilter(allowed);
    expect([...input].map((char) => filter.push(char)).join('') + filter.end()).toBe(output);
  }
});

test('ordinary words are not held back', () => {
  const filter = new LinkFilter(allowed);
  expect(filter.push('The Moon orbits Earth. ')).toBe('The Moon orbits Earth. ');
  expect(filter.push('- item one\n')).toBe('- item one\n');
});

test('an endless address is dropped and does not grow without bound', () => {
  const filter = new LinkFilter(allowed);
  let out = filter.push('x https://bad.org/');
  for (let index = 0; index < 200; index++) out += filter.push('a'.repeat(100));
  out += filter.end();
  expect(out).not.toContain('bad.org');
  expect(filter.removed).toBeGreaterThan(0);
});

test('an endless bracket is plain text', () => {
  const filter = new LinkFilter(allowed);
  const text = `[${'b '.repeat(4000)}`;
  expect(filter.push(text) + filter.end()).toBe(text);
});

test('many brackets and ticks take linear time', () => {
  const filter = new LinkFilter(allowed);
  const started = performance.now();
  for (let index = 0; index < 200; index++) filter.push('[[[[```` <<<< https://'.repeat(20));
  filter.end();
  expect(performance.now() - started).toBeLessThan(2000);
});

test('a long text without spaces is filtered in linear time', () => {
  const filter = new LinkFilter(allowed);
  const word = 'w'.repeat(400_000);
  const begin = performance.now();
  expect(filter.push(word) + filter.end() === word).toBe(true);
  // Quadratic work would take minutes.
  expect(performance.now() - begin).toBeLessThan(2000);
  const joined = new LinkFilter(allowed);
  expect(joined.push(`${'w'.repeat(50)}https://bad.org/x`) + joined.end()).not.toContain('bad.org');
});

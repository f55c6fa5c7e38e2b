import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { AppError } from '../../src/errors.ts';
import { parseDocument } from '../../src/knowledge/parse-document.ts';
import { bytesOf, makeDocx, makePdf, paragraph } from './make-documents.ts';

const FIXTURES = join(import.meta.dir, '../fixtures/knowledge');
const parse = (name: string, content: string | Uint8Array, mediaType?: string) =>
  parseDocument({
    name,
    bytes: typeof content === 'string' ? bytesOf(content) : content,
    ...(mediaType && { mediaType }),
  });
const fixture = async (name: string) => parse(name, await Bun.file(join(FIXTURES, name)).bytes());

describe('titles and descriptions', () => {
  test.each([
    [
      'front matter',
      'x.md',
      '---\ntitle: From matter\ndescription: What it says.\n---\n# Head\n\nText.',
      'From matter',
      'What it says.',
    ],
    ['first heading', 'x.md', 'Intro.\n\n## The *head* `code`\n\nText.', 'The head code', 'Intro.'],
    ['file name', 'quarterly-figures.md', 'Just text.', 'quarterly-figures', 'Just text.'],
    ['no heading in code', 'note.md', '```\n# comment\n```\n\nText.', 'note', 'Text.'],
    [
      'first paragraph of text',
      'x.txt',
      'A wing in\na slipstream .\n\nThe body follows here.',
      'A wing in a slipstream .',
      'The body follows here.',
    ],
    ['text of one paragraph', 'path/to/one.txt', 'Only this.', 'one', 'Only this.'],
    ['rule that is no front matter', 'x.md', '---\nnot: [yaml\n---\n\n# Head\n\nText', 'Head', '--- not: [yaml ---'],
  ])('%s', async (_name, name, text, title, description) => {
    expect(await parse(name, text)).toMatchObject({ title, description });
  });

  test('a long first paragraph is no title', async () => {
    const parsed = await parse('essay.txt', `${'word '.repeat(100)}\n\nMore.`);
    expect(parsed.title).toBe('essay');
    expect(parsed.description!.length).toBeLessThanOrEqual(200);
  });

  test('front matter is not part of the text', async () => {
    const { chunks } = await parse('x.md', '---\ntitle: T\nsecret_key: hunter2\n---\nBody.');
    expect(chunks.map((chunk) => chunk.content)).toEqual(['Body.']);
  });
});

describe('HTML', () => {
  test('becomes readable text with headings, lists, tables and code, nothing escaped', async () => {
    const { title, chunks } = await fixture('harbour.html');
    expect(title).toBe('Harbour report');
    expect(chunks).toHaveLength(1);
    const text = chunks[0]!.content;
    expect(text).toContain('The harbour of Osterby handled 4,120 ships in the last year.');
    expect(text).toContain('## Dredging');
    expect(text).toContain('- North basin finished\n- South basin delayed');
    expect(text).toContain('| Ferry | 120 EUR |');
    expect(text).toContain('lighthouse keeper & her lamp.');
  });

  test('leaves out scripts, navigation, forms and what is hidden', async () => {
    const { chunks } = await parse(
      'x.html',
      `<html><head><style>p{}</style></head><body><nav>Menu</nav><script>evil()</script><!-- comment -->
       <p>Seen <b>text</b> [1] snake_case *.</p><p hidden>hidden-a</p><div style="display: none">hidden-b</div><span aria-hidden="true">hidden-c</span>
       <form>Login</form><pre>a  b\n  c</pre><footer>Imprint</footer></body></html>`,
    );
    expect(chunks[0]!.content).toBe('Seen text [1] snake_case *.\n\n```\na  b\n  c\n```');
  });

  test('reads the declared encoding and bare fragments', async () => {
    const cyrillic = Uint8Array.from([...bytesOf('<meta charset="windows-1251"><p>'), 0xcf, 0xf0, ...bytesOf('</p>')]);
    expect((await parse('x.html', cyrillic)).chunks[0]!.content).toBe('Пр');
    expect((await parse('x.htm', 'bare <i>words</i>')).chunks[0]!.content).toBe('bare words');
  });

  test('survives a page nested ten thousand deep', async () => {
    const { chunks } = await parse('x.html', `${'<div>'.repeat(10_000)}deep${'</div>'.repeat(10_000)}`);
    expect(chunks[0]!.content).toBe('deep');
  });
});

describe('PDF', () => {
  test('of an office program keeps pages, paragraphs and title', async () => {
    const { title, chunks } = await fixture('harbour.pdf');
    expect(title).toBe('Harbour report');
    expect(chunks.map((chunk) => chunk.page)).toEqual([1, 2, 3]);
    expect(chunks[1]!.content).toContain('The channel was dredged to a depth of 9.4 metres; work ended in March.');
    expect(chunks[2]!.content).toContain('Grüße aus dem Hafen – naïve café.');
  });

  test('with a blank page keeps the numbers of the others', async () => {
    const { chunks } = await parse('x.pdf', makePdf([['One'], [], ['Three']]));
    expect(chunks.map((chunk) => [chunk.page, chunk.content])).toEqual([
      [1, 'One'],
      [3, 'Three'],
    ]);
  });
});

describe('DOCX', () => {
  test('keeps headings, lists and tables and takes no external file', async () => {
    const table = `<w:tbl><w:tr><w:tc>${paragraph('Class')}</w:tc><w:tc>${paragraph('Fee')}</w:tc></w:tr><w:tr><w:tc>${paragraph('Ferry')}</w:tc><w:tc>${paragraph('120 EUR')}</w:tc></w:tr></w:tbl>`;
    const docx = makeDocx(
      paragraph('Harbour', 'Heading1') +
        paragraph('It handled 4,120 ships &amp; boats.') +
        paragraph('Fees', 'Heading2') +
        table,
      { 'docProps/core.xml': strToU8('<x xmlns:dc="d"><dc:title>Harbour &amp; fees</dc:title></x>') },
    );
    const { title, chunks } = await parse('x.docx', docx);
    expect(title).toBe('Harbour & fees');
    expect(chunks[0]!.content).toBe(
      '# Harbour\n\nIt handled 4,120 ships & boats.\n\n## Fees\n\n| Class | Fee |\n| --- | --- |\n| Ferry | 120 EUR |',
    );
  });
});

describe('bad documents', () => {
  test.each<[string, string, string | Uint8Array, string]>([
    ['an empty file', 'x.md', '', 'empty_file'],
    ['white space only', 'x.txt', ' \n\t\n', 'empty_file'],
    ['front matter only', 'x.md', '---\ntitle: x\n---\n', 'empty_file'],
    ['HTML without text', 'x.html', '<html><body><img src="x"></body></html>', 'empty_file'],
    ['an unknown extension', 'x.exe', 'MZ', 'unsupported_type'],
    ['no extension', 'README', 'text', 'unsupported_type'],
    ['binary text', 'x.txt', Uint8Array.from([0, 1, 2, 255, 0]), 'unreadable_content'],
    [
      'a picture named .md',
      'x.md',
      Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13]),
      'unreadable_content',
    ],
    ['text named .pdf', 'x.pdf', 'hello', 'unreadable_content'],
    ['a cut-off PDF', 'x.pdf', makePdf([['One'], ['Two']]).subarray(0, 200), 'unreadable_content'],
    ['a PDF with a password', 'x.pdf', makePdf([['One']], { locked: true }), 'unreadable_content'],
    ['a PDF without text', 'x.pdf', makePdf([[], []]), 'unreadable_content'],
    ['text named .docx', 'x.docx', 'hello', 'unreadable_content'],
    ['another zip named .docx', 'x.docx', zipSync({ 'a.txt': bytesOf('a') }), 'unreadable_content'],
    ['an old Word file', 'x.docx', Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0]), 'unreadable_content'],
    ['broken XML', 'x.docx', makeDocx('<w:p><w:r>'), 'unreadable_content'],
  ])('%s is refused', async (_name, name, content, code) => {
    const error = await parse(name, content).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code, status: 400, category: 'user' });
    expect((error as AppError).message).toMatch(/^[A-Z].*\.$/);
  });

  const bomb = zipSync({ 'word/document.xml': new Uint8Array(80 << 20).fill(32) });
  const nested = `${'<w:tbl><w:tr><w:tc>'.repeat(200)}${'</w:tc></w:tr></w:tbl>'.repeat(200)}`;
  test.each<[string, string, () => string | Uint8Array, string, number, string]>([
    ['a zip bomb', 'x.docx', () => bomb, 'document_too_large', 413, '67108864 bytes once it is unpacked'],
    [
      'one huge paragraph in a small DOCX',
      'x.docx',
      () => makeDocx(paragraph('word '.repeat(4_100_000))),
      'document_too_large',
      413,
      '20000000 characters of text',
    ],
    [
      'a DOCX of a million paragraphs',
      'x.docx',
      () => makeDocx('<w:p/>'.repeat(1_000_000)),
      'document_too_complex',
      422,
      '500000 elements',
    ],
    ['a DOCX of tables in tables', 'x.docx', () => makeDocx(nested), 'document_too_complex', 422, '500 elements deep'],
    [
      'a page of a million elements',
      'x.html',
      () => '<p>a<b>c'.repeat(500_000),
      'document_too_complex',
      422,
      '500000 elements',
    ],
  ])('%s is refused by name of the limit', async (_name, name, content, code, status, limit) => {
    const error = await parse(name, content()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, status, category: 'user', message: expect.stringContaining(limit) });
  });

  test('a text file is bounded by its own size only, and a long line in it costs no more than short ones', async () => {
    const { chunks } = await parse('x.txt', 'word '.repeat(1_000_000));
    expect(chunks.length).toBeGreaterThan(2_000);
  }, 5_000);

  test('a size that lies does not unpack more than it says', async () => {
    const liar = zipSync({ 'word/document.xml': new Uint8Array(4 << 20).fill(32) });
    const view = new DataView(liar.buffer, liar.byteOffset);
    for (let at = 0; at + 4 <= liar.length; at++)
      if (view.getUint32(at, true) === 4 << 20) view.setUint32(at, 6_000, true);
    const before = process.memoryUsage.rss();
    expect(await parse('x.docx', liar).catch((error) => error)).toMatchObject({ code: 'unreadable_content' });
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 << 20);
  });
});

import { describe, expect, test } from 'bun:test';
import { readHtml } from '../../src/crawl/html.ts';

const URL_ = 'https://example.com/dir/page';
const markdownOf = async (html: string) => (await readHtml(html, URL_)).markdown;

describe('readHtml', () => {
  test.each([
    ['a fragment', '<p>one<p>two', 'one\n\ntwo'],
    ['text without tags', 'just text', 'just text'],
    ['a second body', '<html><body><p>a</body><body><p>b</body></html>', 'a\n\nb'],
    ['entities and odd spaces', '<p>caf&eacute;&nbsp;&amp; bar\u200b</p>', 'café & bar'],
    ['underscores and stars as they are', '<p>snake_case * 2 [x] 1. y</p>', 'snake_case * 2 [x] 1. y'],
    ['a link to an anchor', '<p><a href="#part">part</a></p>', '[part](https://example.com/dir/page#part)'],
    ['a link without text', '<p>a<a href="/x"></a>b</p>', 'ab'],
    [
      'mail and script links as text',
      '<p><a href="mailto:a@b.c">mail</a> <a href=" JavaScript:x()">run</a></p>',
      'mail run',
    ],
    ['images with data dropped', '<p>a <img src="data:image/png;base64,AAAA" alt="x"> b</p>', 'a b'],
    ['a table without head', '<table><tr><td>a</td><td>b</td></tr></table>', '| a | b |\n| --- | --- |'],
    ['a layout table as text', '<table><tr><td><p>only</p></td></tr></table>', 'only'],
    [
      'a nested table as text',
      '<table><tr><td><table><tr><td>a</td><td>b</td></tr></table></td><td>c</td></tr></table>',
      'a\n\nb\n\nc',
    ],
    ['struck text', '<p><del>old</del> new</p>', '~old~ new'],
    ['a page inside a form', '<form><p>all of it</p><input value="no"></form>', 'all of it'],
    ['a quote', '<blockquote><p>said</p></blockquote>', '> said'],
  ])('keeps %s', async (_name, html, expected) => {
    expect(await markdownOf(html)).toBe(expected);
  });

  test.each([
    ['scripts', '<script>X</script>'],
    ['unclosed scripts', '<p>text</p><script>X'],
    ['styles', '<style>X</style>'],
    ['comments', '<!-- X -->'],
    ['templates', '<template><p>X</p></template>'],
    ['frames', '<iframe src="/x">X</iframe>'],
    ['forms', '<form><input value="X"><button>X</button></form>'],
    ['drawings', '<svg><title>X</title><text>X</text></svg>'],
    ['navigation', '<nav>X</nav><div role="navigation">X</div>'],
    ['hidden text', '<p hidden>X</p><div style="color:red;DISPLAY : none">X</div><p aria-hidden="true">X</p>'],
    ['invisible text', '<p style="visibility:hidden">X</p>'],
  ])('drops %s', async (_name, html) => {
    expect(await markdownOf(`<title>t</title><p>kept text</p>${html}`)).not.toContain('X');
  });

  test('takes the whole body of a page that is not an article', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => `<div><a href="/${index}">Entry ${index}</a></div>`).join('');
    const markdown = await markdownOf(`<title>Index</title><header role="banner">BANNER</header><div>${rows}</div>`);
    expect(markdown).toContain('[Entry 29](https://example.com/29)');
    expect(markdown).not.toContain('BANNER');
  });

  test('finds the title in the head, else in the first heading', async () => {
    expect((await readHtml('<title> A\n title </title><p>x', URL_)).title).toBe('A title');
    expect((await readHtml('<h1>Heading</h1><p>x', URL_)).title).toBe('Heading');
    expect((await readHtml('<p>x', URL_)).title).toBe('');
  });

  test('stays within its limits on a very long page', async () => {
    const { markdown } = await readHtml(`<article>${'<p>some words</p>'.repeat(100_000)}</article>`, URL_);
    expect(markdown.length).toBeLessThan(1_000_000);
    expect(markdown.length).toBeGreaterThan(500_000);
  });
});

import { describe, expect, test } from 'bun:test';
import { paragraphsHeight, typesetting } from '../../src/slides/fit-text.ts';
import { layOutDeck } from '../../src/slides/layout.ts';
import type { Deck, Slide } from '../../src/slides/model.ts';
import { outlineDeck } from '../../src/slides/outline.ts';
import { type Box, FOOTER_Y, MIN_POINTS, PANEL_INSET, type Page, SLIDE } from '../../src/slides/page.ts';
import { resolveLocale } from '../../src/slides/phrases.ts';
import { HOSTILE, REPORTS, report } from './fixtures.ts';

function pagesOf(content: string, maxSlides = 120): { pages: Page[]; locale: string } {
  const locale = resolveLocale(undefined, content);
  const { deck, images } = outlineDeck(content, locale);
  return { pages: layOutDeck(deck, { maxSlides, images: [], alts: images.map(({ alt }) => alt) }), locale };
}

function layOut(...slides: Slide[]): Page[] {
  const deck: Deck = { title: 'Deck', locale: 'en-US', slides };
  return layOutDeck(deck, { maxSlides: 120, images: [], alts: [] });
}

/** What a viewer would see as an error: text outside its box, boxes outside the slide, small print, long lists. */
function visibleProblems(pages: Page[], locale: string): string[] {
  const setting = typesetting(locale);
  return pages.flatMap((page, index) => {
    const where = `slide ${index + 1} (${page.layout}, ${page.title.slice(0, 30)})`;
    const inBoxes = page.boxes.flatMap((box): string[] => {
      const problems: string[] = [];
      const isOutside =
        box.x < 0 || box.y < 0 || box.x + box.w > SLIDE.width + 0.001 || box.y + box.h > SLIDE.height + 0.001;
      if (isOutside) problems.push(`${where}: ${box.type} outside the slide`);
      for (const paragraph of paragraphsIn(box))
        if (paragraph.size < MIN_POINTS) problems.push(`${where}: ${paragraph.size} pt`);
      const isCover = ['title', 'section', 'closing'].includes(page.layout);
      if (!isCover && box.y + box.h > FOOTER_Y) problems.push(`${where}: ${box.type} in the footer`);
      if (box.type !== 'text') return problems;
      const inset = box.panel ? PANEL_INSET : 0;
      const height = paragraphsHeight(box.paragraphs, box.w - 2 * inset, setting) + 2 * inset;
      if (height > box.h + 0.02)
        problems.push(`${where}: ${box.name ?? box.role} needs ${height.toFixed(2)} of ${box.h.toFixed(2)} in`);
      const bullets = box.paragraphs.filter((paragraph) => paragraph.bullet);
      if (page.layout === 'bullets' && bullets.length > 6) problems.push(`${where}: ${bullets.length} bullets`);
      if (box.paragraphs.every((paragraph) => paragraph.runs.length === 0)) problems.push(`${where}: empty text`);
      return problems;
    });
    return [...inBoxes, ...overlaps(page).map((problem) => `${where}: ${problem}`)];
  });
}

/** Boxes on others; a rule may stand beside a text. */
function overlaps({ boxes }: Page): string[] {
  const solid = boxes.filter((box) => box.type !== 'bar');
  const nameOf = (box: Box) => (box.type === 'text' ? (box.name ?? box.role) : box.type);
  return solid.flatMap((box, index) =>
    solid.slice(index + 1).flatMap((other) => {
      const width = Math.min(box.x + box.w, other.x + other.w) - Math.max(box.x, other.x);
      const height = Math.min(box.y + box.h, other.y + other.h) - Math.max(box.y, other.y);
      return width > 0.03 && height > 0.03 ? [`${nameOf(box)} on ${nameOf(other)}`] : [];
    }),
  );
}

function paragraphsIn(box: Box) {
  if (box.type === 'text') return box.paragraphs;
  return box.type === 'table' ? [...box.header, ...box.rows.flat()] : [];
}

function textOf(pages: Page[]): string {
  return pages
    .flatMap((page) =>
      page.boxes.flatMap((box) => paragraphsIn(box).map((paragraph) => paragraph.runs.map((run) => run.text).join(''))),
    )
    .join('\n');
}

describe('the layout', () => {
  test('numbers a section as the agenda does, also when sections before it have no slide of their own', () => {
    const long = '- one\n\n```\ncode\n```\n\n> quote\n\n| a | b |\n|---|---|\n| x | y |\n';
    const { pages } = pagesOf(`# T\n\n## Short\n\na\n\n## 2 * 3\n\n${long}\n## Brief\n\nb\n\n## Last\n\n${long}`);
    const numbers = pages
      .filter((page) => page.layout === 'section')
      .map((page) => [page.title, textOf([{ ...page, boxes: page.boxes.slice(0, 1) }])]);
    expect(numbers).toEqual([
      ['2 * 3', '2'],
      ['Last', '4'],
    ]);
  });

  test('counts the sections of a deck whose agenda uses other words', () => {
    const pages = layOut(
      { kind: 'agenda', title: 'Agenda', items: ['First things'] },
      { kind: 'section', title: 'A' },
      { kind: 'section', title: 'B' },
    );
    expect(textOf(pages.slice(1))).toBe('1\nA\n2\nB');
  });

  for (const name of REPORTS)
    test(`keeps every text of ${name} in its box, at 12 points or more`, () => {
      const { pages, locale } = pagesOf(report(name));
      expect(visibleProblems(pages, locale)).toEqual([]);
    });

  for (const [name, content] of Object.entries(HOSTILE))
    test(`keeps every text of ${name} in its box`, () => {
      const { pages, locale } = pagesOf(content);
      expect(visibleProblems(pages, locale)).toEqual([]);
    });

  test('continues long lists on even slides and loses no item', () => {
    const bullets = Array.from({ length: 7 }, (_, index) => ({ text: `Item number ${index + 1}` }));
    const pages = layOut({ kind: 'bullets', title: 'Items', bullets });
    expect(pages.map((page) => page.title)).toEqual(['Items (1/2)', 'Items (2/2)']);
    const counts = pages.map((page) => page.boxes.flatMap(paragraphsIn).filter((paragraph) => paragraph.bullet).length);
    expect(counts).toEqual([4, 3]);
    for (const { text } of bullets) expect(textOf(pages)).toContain(text);
  });

  test('splits one endless bullet and keeps every word in order', () => {
    const words = Array.from({ length: 2500 }, (_, index) => `word${index}`);
    const pages = layOut({ kind: 'bullets', title: 'Long', bullets: [{ text: words.join(' ') }] });
    expect(pages.length).toBeGreaterThan(2);
    expect([...(textOf(pages).match(/word\d+/g) ?? [])]).toEqual(words);
    expect(visibleProblems(pages, 'en-US')).toEqual([]);
  });

  test('repeats the header of a table on each of its slides and shows every row', () => {
    const rows = Array.from({ length: 45 }, (_, index) => [`Row ${index}`, 'some text']);
    const pages = layOut({ kind: 'table', title: 'Rows', header: ['Name', 'Text'], rows });
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(textOf([page])).toStartWith('Rows (');
    const shown = pages.flatMap((page) =>
      page.boxes.flatMap((box) => (box.type === 'table' ? box.rows.map((row) => row[0]!.runs[0]!.text) : [])),
    );
    expect(shown).toEqual(rows.map((row) => row[0]!));
    for (const page of pages)
      expect(page.boxes.some((box) => box.type === 'table' && box.header[0]!.runs[0]!.text === 'Name')).toBe(true);
  });

  test('shows a wide table in groups of columns, each with the first', () => {
    const header = Array.from({ length: 14 }, (_, index) => `C${index}`);
    const pages = layOut({ kind: 'table', title: 'Wide', header, rows: [header.map((name) => `v${name}`)] });
    const shown = pages.flatMap((page) =>
      page.boxes.flatMap((box) => (box.type === 'table' ? [box.header.map((cell) => cell.runs[0]!.text)] : [])),
    );
    expect(shown.every((names) => names[0] === 'C0')).toBe(true);
    expect(new Set(shown.flat())).toEqual(new Set(header));
  });

  test('shows every line of long code', () => {
    const lines = Array.from({ length: 120 }, (_, index) => `line${index}();`);
    const pages = layOut({ kind: 'code', title: 'Code', language: 'js', code: lines.join('\n') });
    expect([...(textOf(pages).match(/line\d+\(\);/g) ?? [])]).toEqual(lines);
    expect(visibleProblems(pages, 'en-US')).toEqual([]);
  });

  test('keeps columns apart when they do not fit side by side', () => {
    const bullets = Array.from({ length: 9 }, (_, index) => ({
      text: `A long statement number ${index} that needs two lines in a narrow column`,
    }));
    const pages = layOut({
      kind: 'columns',
      title: 'Both',
      left: { heading: 'Pro', bullets },
      right: { heading: 'Con', bullets: [{ text: 'One' }] },
    });
    expect(pages.map((page) => page.title.replace(/ \(.*/, ''))).toEqual(['Both – Pro', 'Both – Pro', 'Both – Con']);
    expect(visibleProblems(pages, 'en-US')).toEqual([]);
  });

  test('says what it left out when the content is too long, and keeps the references', () => {
    const content = `# Long\n\n${Array.from({ length: 40 }, (_, index) => `## Part ${index}\n\n${'A sentence that fills some room on a slide. '.repeat(40)}`).join('\n\n')}\n\n## References\n\n1. [Source](https://example.org/s)\n`;
    const { pages } = pagesOf(content, 30);
    expect(pages.length).toBeLessThanOrEqual(30);
    expect(pages.some((page) => page.layout === 'references')).toBe(true);
    expect(pages.at(-1)!.title).toStartWith('Left out of this deck');
    expect(textOf(pages.slice(-2))).toMatch(/would fill \d+ slides; this deck shows 28 of them/);
    expect(textOf(pages.slice(-2))).toMatch(/Part \d+: \d+ more/);
  });

  test('cuts a takeaway and a name that are too long for their place', () => {
    const long = 'The committee compared three proposals and found the second one cheaper to run. '.repeat(9);
    const pages = layOut(
      { kind: 'table', title: 'T', header: ['h'], rows: [['v']], takeaway: long },
      { kind: 'quote', title: 'Q', text: long, attribution: long },
    );
    expect(visibleProblems(pages, 'en-US')).toEqual([]);
    expect(textOf(pages)).toMatch(/The committee[^\n]* …\n/);
  });

  test('sets a heading in one line where a smaller size allows it, so that it is one line in any font', () => {
    const sizeOf = (title: string) => {
      const [page] = layOut({ kind: 'section', title, subtitle: 'Below it' });
      const [, heading] = page!.boxes.flatMap(paragraphsIn);
      return heading!.size;
    };
    expect(sizeOf('Short')).toBe(40);
    expect(sizeOf('Warranty claims and measured')).toBe(40);
    expect(sizeOf('Warranty claims and measured results')).toBe(32);
    // Two lines in each of the sizes: the largest.
    expect(sizeOf('Warranty claims and measured performance')).toBe(40);
  });

  test('has all thirteen kinds of slides', () => {
    const pages = layOut(
      { kind: 'title', title: 'T', subtitle: 'S' },
      { kind: 'agenda', title: 'A', items: ['One', 'Two'] },
      { kind: 'section', title: 'S' },
      { kind: 'bullets', title: 'B', bullets: [{ text: 'b' }] },
      {
        kind: 'columns',
        title: 'C',
        left: { heading: 'l', bullets: [{ text: 'x' }] },
        right: { heading: 'r', bullets: [{ text: 'y' }] },
      },
      { kind: 'table', title: 'T', header: ['h'], rows: [['v']], takeaway: 'All is v.' },
      {
        kind: 'chart',
        title: 'C',
        chart: 'bar',
        categories: ['a', 'b'],
        series: [{ name: 's', values: [1, 2] }],
        takeaway: 'b leads.',
      },
      { kind: 'quote', title: 'Q', text: 'q', attribution: 'somebody' },
      { kind: 'code', title: 'C', code: 'x' },
      { kind: 'formula', title: 'F', formula: 'x^2' },
      { kind: 'references', title: 'R', items: [{ text: 'r', url: 'https://example.org' }] },
      { kind: 'closing', title: 'E', points: ['p'] },
    );
    expect(pages.map((page) => page.layout)).toEqual([
      'title',
      'agenda',
      'section',
      'bullets',
      'columns',
      'table',
      'chart',
      'quote',
      'code',
      'formula',
      'references',
      'closing',
    ]);
    expect(visibleProblems(pages, 'en-US')).toEqual([]);
  });
});

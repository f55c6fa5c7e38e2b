import { describe, expect, test } from 'bun:test';
import { build, HOSTILE, REPORTS, report } from './fixtures.ts';
import { openPptx, packageProblems, wellFormedProblem } from './pptx.ts';

describe('the package', () => {
  for (const name of REPORTS)
    for (const theme of ['light', 'dark'] as const)
      test(`of ${name} in ${theme} is clean`, async () => {
        const { bytes, slides } = await build(report(name), { theme });
        expect(packageProblems(bytes)).toEqual([]);
        expect(openPptx(bytes).slides).toHaveLength(slides);
      });

  for (const [name, content] of Object.entries(HOSTILE))
    test(`of ${name} is clean and bounded`, async () => {
      const startedAt = performance.now();
      const { bytes, slides } = await build(content);
      expect(packageProblems(bytes)).toEqual([]);
      expect(slides).toBeGreaterThan(0);
      expect(slides).toBeLessThanOrEqual(120);
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    });

  test('names the title, the language and the time, and nobody else', async () => {
    const { bytes } = await build(report('long-report'), { locale: 'de-DE' });
    const pptx = openPptx(bytes);
    const core = pptx.xml('docProps/core.xml');
    expect(core).toContain('<dc:title>Heat pumps in European homes: costs, adoption and the grid</dc:title>');
    expect(core).toContain('<dc:language>de-DE</dc:language>');
    expect(core).toContain('2023-11-14T22:13:20Z');
    for (const path of Object.keys(pptx.parts).filter((part) => part.endsWith('.xml')))
      expect(pptx.xml(path)).not.toContain('PptxGenJS');
    for (const path of pptx.slides) {
      expect(pptx.xml(path)).toContain('lang="de-DE"');
      expect(pptx.xml(path)).not.toContain('lang="en-US"');
    }
  });

  test('has a native chart with a workbook, a native table and speaker notes with sources', async () => {
    const pptx = openPptx((await build(report('long-report'))).bytes);
    const paths = Object.keys(pptx.parts);
    expect(paths.filter((path) => /^ppt\/charts\/chart\d+\.xml$/.test(path))).toHaveLength(2);
    expect(paths.filter((path) => path.endsWith('.xlsx'))).toHaveLength(2);
    const tables = openPptx((await build(report('tables'))).bytes);
    expect(tables.slides.filter((path) => tables.xml(path).includes('<a:tbl>')).length).toBeGreaterThan(0);
    const notes = paths
      .filter((path) => path.startsWith('ppt/notesSlides/notes'))
      .map((path) => pptx.texts(path).join('\n'));
    expect(
      notes.some(
        (text) =>
          text.includes('[1] European heat pump market') &&
          text.includes('https://example.org/ehpa/market?year=2024&lang=en'),
      ),
    ).toBe(true);
  });

  test('links only from references', async () => {
    const pptx = openPptx(
      (await build('# A\n\n## B\n\nSee [the site](https://example.org/x?a=1&b=2) and [bad](javascript:alert(1)).\n'))
        .bytes,
    );
    const links = Object.keys(pptx.parts)
      .filter((path) => path.endsWith('.rels'))
      .flatMap((path) =>
        [...pptx.xml(path).matchAll(/Target="([^"]*)" TargetMode="External"/g)].map((match) => match[1]),
      );
    expect(links).toEqual(['https://example.org/x?a=1&amp;b=2']);
    const last = pptx.slides.find((path) => pptx.texts(path).includes('References'))!;
    expect(pptx.xml(last)).toContain('hlinkClick');
    expect(pptx.allText()).not.toContain('javascript:');
  });

  test('puts a title into the title placeholder and a number on every slide', async () => {
    const pptx = openPptx((await build(report('long-report'))).bytes);
    for (const path of pptx.slides) {
      expect(pptx.xml(path)).toMatch(/<p:ph [^>]*type="title"/);
      expect(pptx.xml(path)).toContain('type="slidenum"');
    }
  });

  test('uses East Asian fonts for a Chinese deck', async () => {
    const { bytes } = await build(report('cjk'));
    const pptx = openPptx(bytes);
    expect(pptx.xml('ppt/theme/theme1.xml')).toContain('<a:ea typeface="Microsoft YaHei"/>');
    expect(pptx.xml(pptx.slides[1]!)).toContain('lang="zh-CN"');
  });

  test('maps light text on dark in the dark theme', async () => {
    const pptx = openPptx((await build(report('nearly-empty'), { theme: 'dark' })).bytes);
    expect(pptx.xml('ppt/slideMasters/slideMaster1.xml')).toContain('bg1="dk1" tx1="lt1"');
    expect(pptx.xml('ppt/theme/theme1.xml')).toContain('Agent dark');
  });
});

describe('the XML check of these tests', () => {
  test.each([
    ['<a><b/></a>', undefined],
    ['<a x="1" x="2"/>', 'attribute twice in <a>'],
    ['<a><b></a>', '</a> closes something else'],
    ['<a>', '<a> is not closed'],
    ['<a>1 & 2</a>', 'bad text "1 & 2"'],
    ['<a>\u0001</a>', 'a character XML cannot hold'],
  ])('judges %p', (text, problem) => {
    expect(wellFormedProblem(text)).toBe(problem as string);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDeck } from '../../src/slides/build.ts';
import { build, HOSTILE, PNG, REPORTS, report } from './fixtures.ts';

const MISSING = ['soffice', 'pdfinfo', 'pdftotext', 'pdftoppm'].filter((program) => !Bun.which(program));
if (MISSING.length > 0)
  console.log(
    `Presentations were not opened in LibreOffice: ${MISSING.join(', ')} missing (Debian: libreoffice-impress poppler-utils).`,
  );

/** Decks that are opened; the hostile ones that look most like trouble. */
const HOSTILE_NAMES = [
  'one byte',
  'sixty headings with text',
  'sixty bare headings',
  'sixty columns',
  'a cell of a page',
  'negative values',
  'a heading of 3,000 letters',
  'control characters',
  'markup characters',
  'nested lists',
];
const PAGE_WIDTH = 960;
const PAGE_HEIGHT = 540;
const FOOTER_TOP = 500;

interface Word {
  text: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

describe.skipIf(MISSING.length > 0)('LibreOffice Impress', () => {
  let folder: string;
  const slideCounts = new Map<string, number>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agent-slides-'));
    const save = (name: string, deck: { bytes: Uint8Array; slides: number }) => {
      writeFileSync(join(folder, `${name}.pptx`), deck.bytes);
      slideCounts.set(name, deck.slides);
    };
    for (const name of REPORTS)
      for (const theme of ['light', 'dark'] as const) save(`${name}-${theme}`, await build(report(name), { theme }));
    for (const name of HOSTILE_NAMES) save(name.replace(/\W/g, '-'), await build(HOSTILE[name]!));
    save('every-kind', await everyKind());
    const run = Bun.spawnSync(
      [
        'soffice',
        '--headless',
        `-env:UserInstallation=file://${folder}/profile`,
        '--convert-to',
        'pdf',
        '--outdir',
        folder,
        ...[...slideCounts.keys()].map((name) => join(folder, `${name}.pptx`)),
      ],
      { stdout: 'ignore', stderr: 'ignore', env: { PATH: Bun.env['PATH'] ?? '', HOME: folder } },
    );
    expect(run.exitCode).toBe(0);
  }, 180_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const names = [
    ...REPORTS.flatMap((name) => [`${name}-light`, `${name}-dark`]),
    ...HOSTILE_NAMES.map((name) => name.replace(/\W/g, '-')),
    'every-kind',
  ];
  for (const name of names)
    test(`shows ${name} with the slides expected, every word on its slide and none on another`, () => {
      const info = Bun.spawnSync(['pdfinfo', join(folder, `${name}.pdf`)]).stdout.toString();
      expect(Number(/Pages:\s+(\d+)/.exec(info)?.[1])).toBe(slideCounts.get(name)!);
      const pages = readWords(join(folder, `${name}.pdf`));
      expect(pages.every(([words]) => words.length > 0)).toBe(true);
      expect(pages.flatMap(([words, page]) => wordProblems(words, page))).toEqual([]);
    });

  for (const name of REPORTS)
    test(`paints every slide of ${name} dark in the dark theme`, () => {
      const colors = corners(join(folder, `${name}-dark.pdf`));
      expect(colors).toHaveLength(slideCounts.get(`${name}-dark`)!);
      for (const color of colors) expect(Math.max(...color)).toBeLessThan(80);
    });
});

/** The colours of the upper left corner of each page. */
function corners(path: string): [red: number, green: number, blue: number][] {
  const pages = Bun.spawnSync(['pdftoppm', '-r', '6', path]).stdout;
  const corners: [number, number, number][] = [];
  for (let offset = 0; offset < pages.length; ) {
    const header = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(pages.subarray(offset, offset + 30).toString('latin1'))!;
    const [head, width, height] = [header[0].length, Number(header[1]), Number(header[2])];
    const pixel = offset + head + 3 * (width + 1);
    corners.push([pages[pixel]!, pages[pixel + 1]!, pages[pixel + 2]!]);
    offset += head + 3 * width * height;
  }
  return corners;
}

/** One deck with each kind of slide, an image among them. */
export async function everyKind() {
  const image = { mediaType: 'image/png' as const, bytes: PNG, width: 2, height: 1 };
  return buildDeck(
    {
      title: 'Every kind of slide',
      locale: 'en-US',
      slides: [
        { kind: 'title', title: 'Every kind of slide', subtitle: 'With a subtitle' },
        { kind: 'agenda', title: 'Agenda', items: ['One', 'Two', 'Three'] },
        { kind: 'section', title: 'A section', subtitle: 'What it is about' },
        {
          kind: 'bullets',
          title: 'Bullets',
          bullets: [{ text: '**Bold** and *italic*' }, { text: 'deeper', level: 1 }, { text: 'third', number: 3 }],
        },
        {
          kind: 'columns',
          title: 'Columns',
          left: { heading: 'Left', bullets: [{ text: 'l' }] },
          right: { heading: 'Right', bullets: [{ text: 'r' }] },
        },
        {
          kind: 'table',
          title: 'Table',
          lead: 'It leads in.',
          header: ['Name', 'Value'],
          rows: [
            ['a', '1'],
            ['b', '2'],
          ],
          takeaway: 'b is more.',
        },
        {
          kind: 'chart',
          title: 'Bars',
          chart: 'bar',
          categories: ['a', 'b'],
          series: [
            { name: 'x', values: [1, null] },
            { name: 'y', values: [-2, 3] },
          ],
          unit: 'GW',
          takeaway: 'x leads.',
        },
        {
          kind: 'chart',
          title: 'Line',
          chart: 'line',
          categories: ['2020', '2021', '2022'],
          series: [{ name: 'x', values: [1, 4, 9] }],
          takeaway: 'It grows.',
        },
        {
          kind: 'chart',
          title: 'Parts',
          chart: 'pie',
          categories: ['a', 'b'],
          series: [{ name: 'share', values: [60, 40] }],
          unit: '%',
          takeaway: 'a has most.',
        },
        { kind: 'quote', title: 'Quote', text: 'Less, but better.', attribution: 'A designer' },
        { kind: 'code', title: 'Code', language: 'ts', code: 'const x = 1;\n\nexport { x };' },
        { kind: 'formula', title: 'Formula', formula: '\\frac{a}{b} = x^{2}_{i}' },
        { kind: 'image', title: 'Image', image: 1, caption: 'Two pixels' },
        { kind: 'references', title: 'References', items: [{ text: 'A source', url: 'https://example.org/a' }] },
        { kind: 'closing', title: 'Summary', points: ['First', 'Second'] },
      ],
    },
    [{ source: '', alt: 'Two pixels' }],
    [image],
    { theme: 'light', maxSlides: 120, createdAt: 1_700_000_000 },
  );
}

function readWords(path: string): [Word[], number][] {
  const xml = Bun.spawnSync(['pdftotext', '-bbox', path, '-']).stdout.toString();
  return xml
    .split('<page ')
    .slice(1)
    .map((page, index) => [
      [...page.matchAll(/<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">([^<]*)</g)].map(
        (match) => ({
          left: Number(match[1]),
          top: Number(match[2]),
          right: Number(match[3]),
          bottom: Number(match[4]),
          text: match[5]!,
        }),
      ),
      index + 1,
    ]);
}

function wordProblems(words: Word[], page: number): string[] {
  const problems: string[] = [];
  for (const word of words) {
    if (word.left < 20 || word.right > PAGE_WIDTH - 20 || word.top < 10 || word.bottom > PAGE_HEIGHT - 5)
      problems.push(`page ${page}: "${word.text}" leaves the slide`);
    // Only the footer and the slide number stand there.
    if (word.bottom > FOOTER_TOP && word.top < FOOTER_TOP - 4)
      problems.push(`page ${page}: "${word.text}" runs into the footer`);
  }
  const sorted = words.toSorted((a, b) => a.top - b.top);
  for (const [index, word] of sorted.entries())
    for (let other = index + 1; other < sorted.length && sorted[other]!.top < word.bottom; other++) {
      const next = sorted[other]!;
      const width = Math.min(word.right, next.right) - Math.max(word.left, next.left);
      const height = Math.min(word.bottom, next.bottom) - Math.max(word.top, next.top);
      const smaller = Math.min(
        (word.right - word.left) * (word.bottom - word.top),
        (next.right - next.left) * (next.bottom - next.top),
      );
      if (width > 0 && height > 0 && width * height > smaller * 0.4)
        problems.push(`page ${page}: "${word.text}" and "${next.text}" overlap`);
    }
  return problems;
}

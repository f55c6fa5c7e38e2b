import { buildDeck } from '../../src/slides/build.ts';
import { PNG } from './fixtures.ts';

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

const WORDS =
  'Heat pumps were installed in more than WAREHOUSES, milliwatt meters and 1,284,907 modern bedrooms; administrators summed measurements from Wyoming, Minnesota and 25 % of MINIMUM-WAGE households. '.repeat(
    20,
  );

/** A deck whose texts end at every place of a line: one that is measured too short runs into what stands below it. */
export function everyLength() {
  const text = (letters: number) => WORDS.slice(0, letters).trim();
  const steps = Array.from({ length: 12 }, (_, index) => index);
  return buildDeck(
    {
      title: 'Texts of every length',
      locale: 'en-US',
      slides: steps.flatMap((step) => [
        { kind: 'section' as const, title: text(30 + 9 * step), subtitle: text(60 + 17 * step) },
        { kind: 'quote' as const, title: 'Quote', text: text(120 + 63 * step), attribution: text(20 + 12 * step) },
        {
          kind: 'columns' as const,
          title: text(40 + 8 * step),
          left: { heading: text(25 + 5 * step), bullets: [{ text: text(90 + 11 * step) }, { text: 'l' }] },
          right: { heading: 'Right', bullets: [{ text: text(40 + 13 * step) }] },
        },
        {
          kind: 'table' as const,
          title: 'Table',
          lead: text(100 + 21 * step),
          header: ['Manufacturer', 'Measured', 'Remarks'],
          rows: steps.slice(0, 6).map((row) => [text(12 + row), '1,234', text(40 + 19 * row + 5 * step)]),
          takeaway: text(60 + 25 * step),
        },
        {
          kind: 'chart' as const,
          title: 'Bars',
          chart: 'bar' as const,
          categories: steps.slice(0, 3 + (step % 6)).map((place) => text(6 + place)),
          series: [{ name: 'x', values: steps.map((place) => 1234 * place) }],
          unit: 'GW',
          takeaway: text(30 + 22 * step),
        },
        {
          kind: 'bullets' as const,
          title: 'Bullets',
          bullets: steps.map((place) => ({ text: text(50 + 9 * place + 7 * step), number: place + 1 })),
        },
        { kind: 'closing' as const, title: text(10 + 8 * step), points: [text(200 + 60 * step), text(80), text(300)] },
      ]),
    },
    [],
    [],
    { theme: 'light', maxSlides: 200, createdAt: 1_700_000_000 },
  );
}

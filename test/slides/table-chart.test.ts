import { describe, expect, test } from 'bun:test';
import { formatValue, isEmptyCell, parseNumberCell } from '../../src/slides/number-cell.ts';
import { phrasesFor } from '../../src/slides/phrases.ts';
import { tableSlides } from '../../src/slides/table-chart.ts';

describe('a number in a cell', () => {
  test.each([
    ['42', 'en-US', 42, ''],
    ['1,234.5', 'en-US', 1234.5, ''],
    ['1.234,5 €', 'de-DE', 1234.5, '€'],
    ['1.234', 'de-DE', 1234, ''],
    ['1.234', 'en-US', 1.234, ''],
    ['3,5 %', 'de-DE', 3.5, '%'],
    ['−2%', 'en-US', -2, '%'],
    ['+3.1%', 'en-US', 3.1, '%'],
    ['$1.2B', 'en-US', 1.2e9, '$'],
    ['$-5', 'en-US', -5, '$'],
    ['4.1 million', 'en-US', 4.1e6, ''],
    ['~40', 'en-US', 40, ''],
    ['688.7 [3]', 'en-US', 688.7, ''],
    ['302万辆', 'zh-CN', 302, '万辆'],
    ['12 345', 'fr-FR', 12_345, ''],
    ['80 m', 'en-US', 80, 'm'],
  ])('%s (%s) is %p with the unit %p', (text, locale, value, unit) => {
    expect(parseNumberCell(text, locale)).toMatchObject({ value, unit });
  });

  test.each([
    '',
    'n/a',
    'ten',
    '10–20',
    '2024-01-05',
    '12:30',
    'Q1 2023',
    'v1.2.3',
    '1,2,3',
    '5 of the first ten',
    '3/4',
  ])('%p is none', (text) => {
    expect(parseNumberCell(text, 'en-US')).toBeUndefined();
  });

  test.each(['-', '–', 'n/a', 'N.A.', '无'])('%p says there is no value', (text) =>
    expect(isEmptyCell(text)).toBe(true),
  );

  test.each([
    [1234.5, '', 'en-US', '1,235'],
    [5.1, '$B', 'en-US', '$5.1B'],
    [12.5, '%', 'en-US', '12.5%'],
    [12.5, '%', 'de-DE', '12,5 %'],
    [5.1, '€M', 'de-DE', '5,1 M €'],
    [58.9, 'GWh', 'en-US', '58.9 GWh'],
  ])('%p with %p in %s reads %p', (value, unit, locale, text) => expect(formatValue(value, unit, locale)).toBe(text));
});

describe('a table', () => {
  const slides = (header: string[], rows: string[][], locale = 'en-US') =>
    tableSlides('T', { header, rows }, locale, phrasesFor(locale));

  test('of one number per name becomes a bar chart that says who leads', () => {
    const [chart, ...rest] = slides(
      ['Country', 'Sites'],
      [
        ['Norway', '63'],
        ['Italy', '12'],
      ],
    );
    expect(rest).toEqual([]);
    expect(chart).toMatchObject({
      kind: 'chart',
      chart: 'bar',
      categories: ['Norway', 'Italy'],
      series: [{ name: 'Sites', values: [63, 12] }],
      takeaway: 'Norway is highest with 63; Italy is lowest with 12.',
    });
  });

  test('over years becomes a line with the change', () => {
    const [chart] = slides(
      ['Year', 'Cost ($)'],
      [
        ['2019', '156'],
        ['2020', '137'],
        ['2021', '78'],
      ],
    );
    expect(chart).toMatchObject({
      kind: 'chart',
      chart: 'line',
      unit: '$',
      takeaway: 'Cost: \\$156 (2019) to \\$78 (2021), −50%.',
    });
  });

  test('of shares of a hundred becomes a pie', () => {
    const [chart] = slides(
      ['Kind', 'Share'],
      [
        ['A', '62%'],
        ['B', '38%'],
      ],
    );
    expect(chart).toMatchObject({ kind: 'chart', chart: 'pie', unit: '%', takeaway: 'A has the largest share: 62%.' });
  });

  test('with months across is turned', () => {
    const [chart, ...rest] = slides(
      ['', 'Jan', 'Feb', 'Mar'],
      [
        ['2022', '10', '20', '30'],
        ['2023', '4', '5', '6'],
      ],
    );
    expect(rest).toEqual([]);
    expect(chart).toMatchObject({
      chart: 'line',
      categories: ['Jan', 'Feb', 'Mar'],
      series: [
        { name: '2022', values: [10, 20, 30] },
        { name: '2023', values: [4, 5, 6] },
      ],
    });
  });

  test('keeps the table beside the chart when the chart does not hold every column', () => {
    const both = slides(
      ['Name', 'Revenue', 'Remark'],
      [
        ['A', '$1.2B', 'x'],
        ['B', '$900M', 'y'],
      ],
    );
    expect(both.map((slide) => slide.kind)).toEqual(['chart', 'table']);
    expect(both[0]).toMatchObject({ unit: '$B', series: [{ values: [1.2, 0.9] }] });
  });

  test('keeps units apart: percent and dollars are not on one axis', () => {
    const both = slides(
      ['Name', 'Revenue', 'Growth'],
      [
        ['A', '$12', '3%'],
        ['B', '$9', '4%'],
      ],
    );
    expect(both[0]).toMatchObject({ kind: 'chart', series: [{ name: 'Revenue' }] });
    expect(both[1]).toMatchObject({ kind: 'table', header: ['Name', 'Revenue', 'Growth'] });
  });

  test('keeps a missing value missing', () => {
    const [chart] = slides(
      ['N', 'V'],
      [
        ['A', '1'],
        ['B', '–'],
        ['C', '3'],
      ],
    );
    expect(chart).toMatchObject({ series: [{ values: [1, null, 3] }] });
  });

  test.each([
    [
      'of words',
      ['A', 'B'],
      [
        ['x', 'y'],
        ['z', 'w'],
      ],
    ],
    ['with one row', ['A', 'B'], [['x', '1']]],
    [
      'with the same name twice',
      ['A', 'B'],
      [
        ['x', '1'],
        ['x', '2'],
      ],
    ],
    [
      'with mixed units',
      ['A', 'B'],
      [
        ['x', '1 kg'],
        ['y', '2 m'],
      ],
    ],
    [
      'of ranks',
      ['Name', 'Rank'],
      [
        ['x', '2'],
        ['y', '1'],
      ],
    ],
    [
      'that only counts its rows',
      ['Name', 'Order'],
      [
        ['x', '1'],
        ['y', '2'],
        ['z', '3'],
      ],
    ],
    [
      'of ranges',
      ['A', 'B'],
      [
        ['x', '1–2'],
        ['y', '3–4'],
      ],
    ],
  ])('%s stays a table', (_, header, rows) => {
    expect(slides(header, rows).map((slide) => slide.kind)).toEqual(['table']);
  });
});

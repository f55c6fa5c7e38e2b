import { expect, test } from 'bun:test';
import { chartOptions } from '../../src/slides/chart-options.ts';
import type { Box } from '../../src/slides/page.ts';
import { themeOf } from '../../src/slides/theme.ts';

type Chart = Extract<Box, { type: 'chart' }>;
const optionsOf = (categories: number, series: number[][]) =>
  chartOptions(
    {
      type: 'chart',
      chart: 'bar',
      x: 1,
      y: 2,
      w: 8,
      h: 4,
      alt: '',
      unit: '',
      categories: Array.from({ length: categories }, (_, index) => `c${index}`),
      series: series.map((values, index) => ({ name: `s${index}`, values })),
    } as Chart,
    themeOf('light'),
  );

test.each([
  [
    'short values of several series',
    5,
    [
      [621, 281, 513, 212, 208],
      [595, 439, 377, 177, 132],
    ],
    true,
  ],
  [
    'long values on narrow bars',
    5,
    [
      [621000, 1, 2, 3, 4],
      [5, 6, 7, 8, 9],
      [1, 1, 1, 1, 1],
    ],
    false,
  ],
  ['long values of one series, which has the whole width', 5, [[621000, 1, 2, 3, 4]], true],
  [
    'long values on wide bars',
    2,
    [
      [621000, 1],
      [5, 6],
    ],
    true,
  ],
  [
    'decimals, which count too',
    6,
    [
      [1234.56, 1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5, 6],
    ],
    false,
  ],
] as [string, number, number[][], boolean][])('%s: labels on the bars %#', (_, categories, series, showValue) => {
  // Without labels the axis has to say the values.
  expect(optionsOf(categories, series)).toMatchObject({ showValue, valAxisHidden: showValue });
});

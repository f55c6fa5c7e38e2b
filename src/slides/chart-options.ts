import { textWidth } from './measure.ts';
import type { Box } from './page.ts';
import { colorOf, FONT, type Theme } from './theme.ts';

/** Space between groups of bars, in widths of a bar. */
const SERIES_GAP = 0.6;
/** Width of a digit of a label (12 pt, the widest font that may stand in), and what the plot has of the width of its box. */
const DIGIT_INCHES = textWidth('0', 12);
const PLOT_SHARE = 0.97;

/** How pptxgenjs draws a chart: quiet axes, values on the bars, no decoration. A bar lies with its first category at the top. */
export function chartOptions(box: Extract<Box, { type: 'chart' }>, theme: Theme): Record<string, unknown> {
  const hex = (color: keyof Theme['slots']) => colorOf(theme, theme.slots[color]);
  const { accent1, accent2, accent3, accent4, accent5, folHlink } = theme.palette;
  const isPie = box.chart === 'pie';
  const isFlat = box.chart === 'bars';
  const points = box.categories.length * box.series.length;
  const all = box.series.flatMap((series) => series.values.filter((value) => value !== null));
  const format = numberFormat(all);
  // Labels of several lines would lie on each other, and so would long ones on narrow bars.
  const showsValues = points <= 24 && (box.chart !== 'line' || box.series.length === 1) && labelsFit(box, all);
  const showsAxis = box.chart === 'line' || points > 16 || !showsValues;
  const label = { fontFace: FONT, color: hex('muted'), size: 12 };
  return {
    x: box.x,
    y: box.y,
    w: box.w,
    h: box.h,
    altText: box.alt,
    objectName: 'Chart',
    // With several colours pptxgenjs paints each bar of a single series in another.
    chartColors:
      isPie || box.series.length > 1
        ? [accent1, accent2, accent3, accent4, accent5, hex('muted'), folHlink]
        : [accent1],
    ...(isPie
      ? {
          holeSize: 55,
          showPercent: false,
          showLabel: false,
          showValue: true,
          dataLabelFormatCode: box.unit === '%' ? `${format}"%"` : format,
          dataLabelColor: hex('background'),
          dataLabelFontBold: true,
          dataBorder: { pt: 1, color: hex('background') },
        }
      : {
          barDir: isFlat ? ('bar' as const) : ('col' as const),
          barGapWidthPct: box.series.length > 1 ? SERIES_GAP * 100 : 55,
          catAxisOrientation: isFlat ? ('maxMin' as const) : ('minMax' as const),
          valAxisHidden: !showsAxis,
          valGridLine: showsAxis
            ? { color: hex('panel'), size: 0.75, style: 'solid' as const }
            : { style: 'none' as const },
          catGridLine: { style: 'none' as const },
          valAxisLineShow: false,
          valAxisLabelFormatCode: Math.max(...all.map(Math.abs)) >= 10 ? '#,##0' : format,
          showValue: showsValues,
          dataLabelFormatCode: format,
          dataLabelPosition: box.chart === 'line' ? ('t' as const) : ('outEnd' as const),
          lineSize: 2.5,
          lineDataSymbolSize: 7,
          dataLabelColor: hex('text'),
        }),
    ...(all.some((value) => value < 0) ? { catAxisLabelPos: 'low' as const } : {}),
    dataLabelFontSize: 12,
    dataLabelFontFace: FONT,
    catAxisLabelColor: label.color,
    catAxisLabelFontFace: label.fontFace,
    catAxisLabelFontSize: label.size,
    catAxisLineColor: hex('muted'),
    valAxisLabelColor: label.color,
    valAxisLabelFontFace: label.fontFace,
    valAxisLabelFontSize: label.size,
    showLegend: isPie || box.series.length > 1,
    legendPos: isPie ? 'r' : 't',
    legendColor: hex('text'),
    legendFontFace: label.fontFace,
    legendFontSize: isPie ? 14 : 12,
    showTitle: false,
  };
}

/** True when the values fit above their bars: standing bars of several series have only their own width. */
function labelsFit(box: Extract<Box, { type: 'chart' }>, values: number[]): boolean {
  if (box.chart !== 'bar') return true;
  const digits = decimalsOf(values);
  const longest = Math.max(0, ...values.map((value) => value.toLocaleString('en-US', digits).length));
  const group = (box.w * PLOT_SHARE) / box.categories.length;
  const room = box.series.length > 1 ? group / (box.series.length + SERIES_GAP) : group;
  return longest * DIGIT_INCHES <= room;
}

function decimalsOf(values: number[]): { minimumFractionDigits: number; maximumFractionDigits: number } {
  const most = Math.max(0, ...values.map((value) => (String(value).split('.')[1] ?? '').length));
  const decimals = Math.min(2, most);
  return { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
}

/** As many decimals as the values have, at most two, the same for all; `0.##` would leave a bare point behind 5. */
function numberFormat(values: number[]): string {
  const decimals = decimalsOf(values).maximumFractionDigits;
  const whole = values.some((value) => Math.abs(value) >= 1000) ? '#,##0' : '0';
  return decimals === 0 ? whole : decimals === 1 ? `${whole}.0` : `${whole}.00`;
}

import { escapeMarkdown, plainText } from './inline.ts';
import type { Slide, SlideOf } from './model.ts';
import { formatValue, isEmptyCell, type NumberCell, parseNumberCell } from './number-cell.ts';
import type { Phrases } from './phrases.ts';

/** A table as written: cells are inline Markdown. */
export interface TableText {
  header: string[];
  rows: string[][];
}

interface NumberColumn {
  name: string;
  unit: string;
  cells: (NumberCell | undefined)[];
}

const MIN_POINTS = 2;
const MAX_BARS = 12;
const MAX_POINTS = 40;
const MAX_SERIES = 4;
/** Series on one axis whose largest values differ by more than this cannot be read together. */
const MAX_RATIO = 40;
const MAX_LABEL = 40;
const ORDINAL = /^(?:#|no\.?|nr\.?|rank|id|year|jahr|année|año|年|年份|排名|序号)$/i;
const TIME =
  /^(?:(?:19|20)\d\d\b.*|[QH][1-4]\b.*|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.*|\d{4}年.*|\d{1,2}月|(?:week|day|month|wk)\s*\d+)$/i;

/**
 * What a table becomes: a native chart where its numbers can be seen on one axis, else a table; both where a chart
 * would not show every cell. The takeaway is computed from the numbers.
 */
export function tableSlides(title: string, given: TableText, locale: string, phrases: Phrases): Slide[] {
  const table = timeDown(given);
  const slide: SlideOf<'table'> = { kind: 'table', title, header: given.header, rows: given.rows };
  const labels = table.rows.map((row) => plainText(row[0] ?? ''));
  const columns = numberColumns(table, locale);
  const usable = columns.filter((column) => !ORDINAL.test(column.name) && !isRunningNumber(column));
  const series = sameAxis(usable);
  const isTime = labels.every((label) => TIME.test(label));
  const fits =
    labels.length >= MIN_POINTS &&
    labels.length <= (isTime ? MAX_POINTS : MAX_BARS) &&
    labels.every((label) => label !== '' && label.length <= MAX_LABEL) &&
    new Set(labels).size === labels.length;
  if (series.length === 0 || !fits) return [slide];
  const chart = makeChart(title, labels, series, isTime, locale, phrases);
  const isWhole = series.length === table.header.length - 1;
  return isWhole ? [chart] : [chart, slide];
}

/** A table whose columns are months or years is turned, so that time runs down. */
function timeDown(table: TableText): TableText {
  const times = table.header.slice(1);
  const isTurned =
    times.length >= 3 && table.rows.length <= MAX_SERIES && times.every((time) => TIME.test(plainText(time)));
  if (!isTurned) return table;
  return {
    header: [table.header[0]!, ...table.rows.map((row) => row[0] ?? '')],
    rows: times.map((time, index) => [time, ...table.rows.map((row) => row[index + 1] ?? '')]),
  };
}

function numberColumns(table: TableText, locale: string): NumberColumn[] {
  return table.header.slice(1).flatMap((header, index) => {
    const texts = table.rows.map((row) => plainText(row[index + 1] ?? ''));
    const cells = texts.map((text) => (isEmptyCell(text) ? undefined : parseNumberCell(text, locale)));
    const isNumeric = texts.every((text, row) => isEmptyCell(text) || cells[row] !== undefined);
    const numbers = cells.filter((cell) => cell !== undefined);
    const name = plainText(header);
    if (!isNumeric || numbers.length < Math.max(MIN_POINTS, texts.length * 0.6)) return [];
    const units = new Set(numbers.map((cell) => cell.unit));
    if (units.size > 1) return [];
    const unit = [...units][0] || (/[([]([^)\]]{1,12})[)\]]\s*$/.exec(name)?.[1] ?? '');
    return [{ name: name || unit, unit, cells }];
  });
}

/** 1, 2, 3, … down the column: it counts rows and measures nothing. */
function isRunningNumber({ cells }: NumberColumn): boolean {
  return cells.length > 2 && cells.every((cell, index) => cell?.value === index + 1);
}

/** The first columns that share a unit and an order of magnitude. */
function sameAxis(columns: NumberColumn[]): NumberColumn[] {
  const first = columns[0];
  if (!first) return [];
  const top = peak(first);
  return columns
    .filter((column) => column.unit === first.unit && ratio(peak(column), top) <= MAX_RATIO)
    .slice(0, MAX_SERIES);
}

function peak(column: NumberColumn): number {
  return Math.max(...column.cells.map((cell) => Math.abs(cell?.value ?? 0)));
}

function ratio(a: number, b: number): number {
  return a === b ? 1 : Math.max(a, b) / Math.max(Math.min(a, b), Number.EPSILON);
}

function makeChart(
  title: string,
  categories: string[],
  columns: NumberColumn[],
  isTime: boolean,
  locale: string,
  phrases: Phrases,
): SlideOf<'chart'> {
  const { scale, mark } = commonScale(columns);
  const unit = scaledUnit(mark, columns[0]!.unit);
  const series = columns.map((column) => ({
    name: withoutUnit(column.name, unit),
    values: column.cells.map((cell) => (cell ? round(cell.value / scale) : null)),
  }));
  const chart = isTime && categories.length >= 3 ? 'line' : isShare(columns) ? 'pie' : 'bar';
  return {
    kind: 'chart',
    title,
    chart,
    categories,
    series,
    ...(unit ? { unit } : {}),
    takeaway: takeaway(chart, categories, series, unit, locale, phrases),
  };
}

/** The unit with the scale behind the currency: `$` and B give `$B`. */
function scaledUnit(mark: string, unit: string): string {
  const currency = /^(?:US\$|[$€£¥₹])/.exec(unit)?.[0] ?? '';
  const rest = unit.slice(currency.length).trim();
  return [`${currency}${mark}`, rest].filter(Boolean).join(' ');
}

/** "Shipments (GWh)" where the unit is said anyway. */
function withoutUnit(name: string, unit: string): string {
  const short = withoutLastBrackets(name.trimEnd());
  return short !== '' && unit !== '' && name.includes(unit) ? short : name;
}

/** Without what stands in brackets at the end. */
function withoutLastBrackets(name: string): string {
  if (!/[)\]]$/.test(name)) return name;
  const open = Math.max(name.lastIndexOf('('), name.lastIndexOf('['));
  return open < 0 ? name : name.slice(0, open).trimEnd();
}

/** Values written with a scale word are charted in it: 1.2B and 3.4B as 1.2 and 3.4 with the unit B. */
function commonScale(columns: NumberColumn[]): { scale: number; mark: string } {
  const scales = columns.flatMap((column) => column.cells.flatMap((cell) => (cell ? [cell.scale] : [])));
  const largest = Math.max(...scales);
  const marks: Record<number, string> = { 1e3: 'k', 1e4: '万', 1e6: 'M', 1e8: '亿', 1e9: 'B', 1e12: 'T' };
  return largest > 1 ? { scale: largest, mark: marks[largest] ?? '' } : { scale: 1, mark: '' };
}

function isShare(columns: NumberColumn[]): boolean {
  const [only] = columns;
  if (columns.length !== 1 || !only || only.unit !== '%' || only.cells.length > 7) return false;
  const values = only.cells.map((cell) => cell?.value ?? -1);
  const sum = values.reduce((total, value) => total + value, 0);
  return values.every((value) => value > 0) && Math.abs(sum - 100) <= 1.5;
}

function takeaway(
  chart: 'bar' | 'line' | 'pie',
  categories: string[],
  series: { name: string; values: (number | null)[] }[],
  unit: string,
  locale: string,
  phrases: Phrases,
): string {
  const format = (value: number) => escapeMarkdown(formatValue(value, unit, locale));
  const first = series[0]!;
  const points = first.values.flatMap((value, index) =>
    value === null ? [] : [{ value, label: escapeMarkdown(categories[index]!) }],
  );
  if (chart === 'line') {
    const [from, to] = [points[0]!, points.at(-1)!];
    const change = from.value > 0 ? (to.value / from.value - 1) * 100 : undefined;
    const difference = to.value - from.value;
    const isPercent = unit === '%' || change === undefined;
    const text = isPercent
      ? `${sign(difference)}${formatValue(Math.abs(difference), unit === '%' ? '' : unit, locale)}${unit === '%' ? ' pp' : ''}`
      : `${sign(change)}${formatValue(Math.abs(change), '%', locale)}`;
    return phrases.changed(
      escapeMarkdown(first.name),
      from.label,
      format(from.value),
      to.label,
      format(to.value),
      text,
    );
  }
  const sorted = [...points].sort((a, b) => b.value - a.value);
  const [top, bottom] = [sorted[0]!, sorted.at(-1)!];
  if (chart === 'pie') return phrases.share(top.label, format(top.value));
  const text = phrases.leads(top.label, format(top.value), bottom.label, format(bottom.value));
  return series.length > 1 ? `${escapeMarkdown(first.name)}: ${text}` : text;
}

function sign(value: number): string {
  return value < 0 ? '−' : '+';
}

function round(value: number): number {
  return Number(value.toPrecision(12));
}

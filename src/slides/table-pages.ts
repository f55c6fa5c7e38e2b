import { cutRuns, fitText, paragraphsHeight } from './fit-text.ts';
import { contentPage, type LayoutContext, numbered, withLead } from './frame.ts';
import { parseInline, plainText, type Run } from './inline.ts';
import { textWidth } from './measure.ts';
import type { SlideOf } from './model.ts';
import { isEmptyCell, parseNumberCell } from './number-cell.ts';
import type { Area, Box, Page, Paragraph } from './page.ts';
import { bulletPages } from './text-pages.ts';

/** Space left, right, above and below the text of a cell, inches. */
export const CELL_MARGIN = { x: 0.12, y: 0.055 } as const;
const SIZES = [16, 14, 12] as const;
/** More columns than this are shown in groups, each with the first column. */
const MAX_COLUMNS = 8;
const GROUP = 6;
const MIN_COLUMN = 0.7;
const TAKEAWAY_HEIGHT = 0.75;

/** A table, on as many slides as its rows and columns need, the header on each. */
export function tablePages(slide: SlideOf<'table'>, context: LayoutContext): Page[] {
  const width = slide.header.length;
  const rows = slide.rows.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? ''));
  const groups = columnGroups(width);
  const pages = groups.flatMap((columns) => {
    const part = {
      header: columns.map((column) => slide.header[column]!),
      rows: rows.map((row) => columns.map((column) => row[column]!)),
    };
    return layOut(part, slide, context) ?? [];
  });
  // A cell with a page of text: a table is the wrong shape for it.
  if (
    pages.length === 0 ||
    groups.some(
      (columns) =>
        !layOut(
          { header: columns.map((c) => slide.header[c]!), rows: rows.map((row) => columns.map((c) => row[c]!)) },
          slide,
          context,
        ),
    )
  )
    return asBullets(slide, rows, context);
  return pages.map((boxes, index) =>
    contentPage('table', numbered(slide.title, index, pages.length), boxes, slide.notes ?? '', context),
  );
}

function columnGroups(width: number): number[][] {
  const all = Array.from({ length: width }, (_, column) => column);
  if (width <= MAX_COLUMNS) return [all];
  const groups: number[][] = [];
  for (let start = 1; start < width; start += GROUP) groups.push([0, ...all.slice(start, start + GROUP)]);
  return groups;
}

function layOut(
  table: { header: string[]; rows: string[][] },
  slide: SlideOf<'table'>,
  context: LayoutContext,
): Box[][] | undefined {
  const { boxes: lead, area } = withLead(slide.lead, context);
  const takeaway = parseInline(slide.takeaway ?? '');
  const available = takeaway.length > 0 ? area.h - TAKEAWAY_HEIGHT : area.h;
  const header = table.header.map((cell) => parseInline(cell));
  const cells = table.rows.map((row) => row.map((cell) => parseInline(cell)));
  const aligns = table.header.map(
    (_, column) => (column > 0 && isNumberColumn(table.rows, column) ? 'right' : 'left') as 'left' | 'right',
  );
  let best: Box[][] | undefined;
  for (const size of SIZES) {
    const widths = columnWidths([header, ...cells], area.w, size);
    const paragraphs = (row: Run[][], isHeader: boolean): Paragraph[] =>
      row.map((runs, column) => ({
        runs,
        size,
        color: isHeader ? 'accent' : 'text',
        align: aligns[column],
        ...(isHeader ? { bold: true } : {}),
      }));
    const heightOf = (row: Paragraph[]) =>
      Math.max(
        ...row.map((cell, column) => paragraphsHeight([cell], widths[column]! - 2 * CELL_MARGIN.x, context.setting)),
      ) +
      2 * CELL_MARGIN.y;
    const head = paragraphs(header, true);
    const body = cells.map((row) => paragraphs(row, false));
    const headHeight = heightOf(head);
    const heights = body.map(heightOf);
    if (heights.some((height) => height + headHeight > available)) continue;
    const pages = splitRows(heights, available - headHeight);
    if (best && pages.length >= best.length) continue;
    const total = area.w;
    best = pages.map(([start, end], index) => {
      // Rows of a short table get some air.
      const used = headHeight + heights.slice(start, end).reduce((sum, height) => sum + height, 0);
      const air = Math.min(0.16, Math.max(0, (available - used) / (end - start + 1)));
      const rowHeights = [headHeight + air, ...heights.slice(start, end).map((height) => height + air)];
      const h = rowHeights.reduce((sum, height) => sum + height, 0);
      const y = area.y;
      const boxes: Box[] = [
        ...lead,
        {
          type: 'table',
          x: area.x,
          y,
          w: total,
          h,
          header: head,
          rows: body.slice(start, end),
          columnWidths: widths,
          rowHeights,
        },
      ];
      if (takeaway.length > 0 && index === pages.length - 1)
        boxes.push(takeawayBox(takeaway, { ...area, y: y + h + 0.15, h: TAKEAWAY_HEIGHT - 0.15 }, context));
      return boxes;
    });
    if (best.length === 1) break;
  }
  return best;
}

function takeawayBox(runs: Run[], area: Area, { setting }: LayoutContext): Box {
  const style = { color: 'text' as const, bold: true };
  const set = (piece: Run[]): Paragraph => ({ runs: piece, size: 12, ...style });
  const fits = (piece: Run[]) => paragraphsHeight([set(piece)], area.w, setting) <= area.h;
  const paragraph = fitText(runs, area, [16, 14, 12], style, setting) ?? set(cutRuns(runs, fits));
  return { type: 'text', name: 'Takeaway', ...area, paragraphs: [paragraph] };
}

function isNumberColumn(rows: string[][], column: number): boolean {
  const texts = rows.map((row) => plainText(row[column] ?? '')).filter((text) => !isEmptyCell(text) && text !== '');
  return texts.length > 0 && texts.every((text) => parseNumberCell(text, 'en-US') !== undefined);
}

/** Widths by what the columns hold: no word is broken if that can be had, and long text gets the most room. */
function columnWidths(rows: Run[][][], total: number, size: number): number[] {
  const count = rows[0]!.length;
  const sample = rows.slice(0, 60);
  const wanted = Array.from({ length: count }, (_, column) => {
    let longest = 0;
    let word = 0;
    for (const [index, row] of sample.entries()) {
      const runs = row[column] ?? [];
      const text = runs.map((run) => run.text).join('');
      const style = { bold: index === 0 || runs.some((run) => run.bold) };
      longest = Math.max(longest, textWidth(text.slice(0, 160), size, style));
      for (const part of text.slice(0, 400).split(/[\s\u2e80-\uffff]+/))
        word = Math.max(word, textWidth(part.slice(0, 30), size, style));
    }
    const padding = 2 * CELL_MARGIN.x + 0.06;
    return {
      min: Math.max(MIN_COLUMN, Math.min(word + padding, total / 3)),
      ideal: Math.min(longest + padding, total * 0.55),
    };
  });
  const minimum = wanted.reduce((sum, column) => sum + column.min, 0);
  if (minimum >= total) return wanted.map((column) => (column.min / minimum) * total);
  const demand = wanted.reduce((sum, column) => sum + Math.max(column.ideal - column.min, 0.05), 0);
  return wanted.map((column) => column.min + ((total - minimum) * Math.max(column.ideal - column.min, 0.05)) / demand);
}

/** Row ranges per page, filled alike so that no page has one row left over. */
function splitRows(heights: number[], available: number): [start: number, end: number][] {
  const fill = (limit: number) => {
    const pages: [number, number][] = [];
    let start = 0;
    let used = 0;
    for (const [index, height] of heights.entries()) {
      if (index > start && (used + height > available || index - start >= limit)) {
        pages.push([start, index]);
        start = index;
        used = 0;
      }
      used += height;
    }
    pages.push([start, heights.length]);
    return pages;
  };
  const tight = fill(Infinity);
  const even = fill(Math.ceil(heights.length / tight.length));
  return even.length === tight.length ? even : tight;
}

function asBullets(slide: SlideOf<'table'>, rows: string[][], context: LayoutContext): Page[] {
  const bullets = rows.flatMap((row) => {
    const [first = '', ...rest] = row;
    const said = rest.flatMap((cell, index) =>
      cell.trim() ? [{ text: `${slide.header[index + 1]}: ${cell}`, level: 1 }] : [],
    );
    return [{ text: first.trim() || slide.header[0]! || '–' }, ...said];
  });
  const { takeaway } = slide;
  return bulletPages(
    {
      kind: 'bullets',
      title: slide.title,
      bullets: takeaway ? [...bullets, { text: takeaway }] : bullets,
      ...(slide.notes ? { notes: slide.notes } : {}),
    },
    context,
  );
}

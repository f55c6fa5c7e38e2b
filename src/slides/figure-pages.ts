import { cutRuns, fitText, paragraphsHeight, type Typesetting } from './fit-text.ts';
import { formulaRuns } from './formula.ts';
import { contentPage, type LayoutContext, numbered, withLead } from './frame.ts';
import { cleanText, parseInline, plainText, type Run } from './inline.ts';
import { wrapCode } from './measure.ts';
import type { SlideOf } from './model.ts';
import { BODY_AREA, type Box, PANEL_INSET, type Page, type Paragraph } from './page.ts';
import { bulletPages } from './text-pages.ts';

const MONO_EM = 0.6;
const CODE_LINE = 1.2;
const TAKEAWAY_WIDTH = 3.3;
/** A category label longer than this is unreadable under a column, so the bars lie down. */
const LONG_LABEL = 12;

/** A native chart with what it says beside it. */
export function chartPage(slide: SlideOf<'chart'>, context: LayoutContext): Page {
  const { boxes, area } = withLead(slide.lead, context);
  const { setting } = context;
  const series = slide.series.map(({ name, values }) => ({
    name: cleanText(name),
    values: slide.categories.map((_, index) => values[index] ?? null),
  }));
  const categories = slide.categories.map((category) => plainText(category) || '–');
  const isLong = categories.some((category) => category.length > LONG_LABEL) || categories.length > 8;
  const chart = slide.chart === 'bar' && isLong ? 'bars' : slide.chart;
  const unit = cleanText(slide.unit ?? '');
  const takeaway = parseInline(slide.takeaway);
  const hasPanel = takeaway.length > 0;
  const chartArea = { ...area, w: hasPanel ? area.w - TAKEAWAY_WIDTH - 0.35 : area.w };
  const measure = measureOf(series, unit);
  if (measure) {
    const label: Paragraph = { runs: [{ text: measure }], size: 12, color: 'muted' };
    const fits = (runs: Run[]) => paragraphsHeight([{ ...label, runs }], chartArea.w, setting) <= 0.28;
    boxes.push({
      type: 'text',
      name: 'Measure',
      x: area.x,
      y: area.y - 0.05,
      w: chartArea.w,
      h: 0.28,
      paragraphs: [{ ...label, runs: cutRuns(label.runs, fits) }],
    });
    chartArea.y += 0.27;
    chartArea.h -= 0.27;
  }
  const alt = `${slide.title}. ${takeaway.map((run) => run.text).join('')}`.trim();
  boxes.push({ type: 'chart', ...chartArea, chart, categories, series, unit, alt });
  if (hasPanel)
    boxes.push(
      takeawayPanel(
        takeaway,
        { x: area.x + area.w - TAKEAWAY_WIDTH, y: area.y + 0.1, w: TAKEAWAY_WIDTH, h: area.h - 0.2 },
        context,
        setting,
      ),
    );
  const values = series.map(
    ({ name, values: numbers }) =>
      `${name}: ${categories.map((category, index) => `${category} ${numbers[index] ?? '–'}`).join('; ')}`,
  );
  return contentPage('chart', slide.title, boxes, [slide.notes, ...values].filter(Boolean).join('\n'), context);
}

/** What is measured, above the chart: a single series has no legend to say it. */
function measureOf(series: { name: string }[], unit: string): string {
  const name = series.length === 1 ? series[0]!.name : '';
  return name && unit && !name.includes(unit) ? `${name} (${unit})` : name || unit;
}

function takeawayPanel(
  runs: Run[],
  area: { x: number; y: number; w: number; h: number },
  { phrases }: LayoutContext,
  setting: Typesetting,
): Box {
  const width = area.w - 2 * PANEL_INSET;
  const label: Paragraph = { runs: [{ text: phrases.takeaway }], size: 12, color: 'accent', bold: true };
  const room = area.h - 2 * PANEL_INSET - 0.4;
  const fitted = fitText(runs, { w: width, h: room }, [20, 18, 16, 14, 12], { color: 'text' }, setting);
  const text: Paragraph = fitted ?? {
    runs: cutRuns(
      runs,
      (piece) => paragraphsHeight([{ runs: piece, size: 12, color: 'text' }], width, setting) <= room,
    ),
    size: 12,
    color: 'text',
  };
  const paragraphs = [label, { ...text, spaceBefore: 8 }];
  const h = Math.min(area.h, paragraphsHeight(paragraphs, width, setting) + 2 * PANEL_INSET + 0.08);
  return { type: 'text', name: 'Takeaway', ...area, h, paragraphs, panel: true, valign: 'top' };
}

/** Code in a panel, wrapped and continued; every line is shown. */
export function codePages(slide: SlideOf<'code'>, context: LayoutContext): Page[] {
  const { boxes, area } = withLead(slide.lead, context);
  const code = cleanText(slide.code).replace(/\r\n?/g, '\n');
  const width = area.w - 2 * PANEL_INSET - 0.05;
  const columns = (size: number) => Math.floor((width * 72) / (size * MONO_EM * 1.03));
  const longest = Math.max(...code.split('\n').map((line) => line.length));
  const lineCount = code.split('\n').length;
  const rows = (size: number) => Math.floor(((area.h - 2 * PANEL_INSET) * 72) / (size * CODE_LINE));
  const size =
    [18, 16, 14].find((candidate) => longest <= columns(candidate) && lineCount <= rows(candidate)) ??
    (longest <= columns(14) ? 14 : 12);
  const lines = wrapCode(code, columns(size));
  const perPage = Math.ceil(lines.length / Math.ceil(lines.length / rows(size)));
  const count = Math.ceil(lines.length / perPage);
  return Array.from({ length: count }, (_, index) => {
    const part = lines.slice(index * perPage, (index + 1) * perPage);
    const paragraphs = part.map(
      (line): Paragraph => ({ runs: [{ text: line || ' ', code: true }], size, color: 'text' }),
    );
    const h = Math.min(area.h, (part.length * size * CODE_LINE) / 72 + 2 * PANEL_INSET + 0.05);
    const box: Box = {
      type: 'text',
      name: slide.language ? `Code (${slide.language})` : 'Code',
      ...area,
      h,
      paragraphs,
      panel: true,
      valign: 'top',
    };
    return contentPage('code', numbered(slide.title, index, count), [...boxes, box], slide.notes ?? '', context);
  });
}

/** A formula in Unicode, in the middle of the slide; its LaTeX is in the notes. */
export function formulaPages(slide: SlideOf<'formula'>, context: LayoutContext): Page[] {
  const { boxes, area } = withLead(slide.lead, context);
  const runs: Run[] = formulaRuns(cleanText(slide.formula)).flatMap(({ text, ...style }) =>
    text.split(/(\n)/).map((piece) => ({ text: piece, ...style })),
  );
  const inner = { w: area.w - 1, h: area.h - 0.8 };
  const fitted = fitText(runs, inner, [36, 32, 28, 24, 20], { color: 'text', align: 'center' }, context.setting);
  const notes = [slide.notes, slide.formula].filter(Boolean).join('\n');
  if (!fitted || runs.length === 0)
    return codePages(
      {
        kind: 'code',
        title: slide.title,
        language: 'latex',
        code: slide.formula,
        ...(slide.notes ? { notes: slide.notes } : {}),
      },
      context,
    );
  const h = Math.max(1.4, paragraphsHeight([fitted], inner.w, context.setting) + 0.8);
  const lines: Paragraph[] = [{ ...fitted, runs: [] }];
  for (const run of runs) {
    if (run.text === '\n') lines.push({ ...fitted, runs: [] });
    else if (run.text !== '') lines.at(-1)!.runs.push(run);
  }
  const box: Box = {
    type: 'text',
    name: 'Formula',
    ...area,
    h: Math.min(h, area.h),
    paragraphs: lines.filter((line) => line.runs.length > 0),
    panel: true,
    valign: 'middle',
  };
  return [contentPage('formula', slide.title, [...boxes, box], notes, context)];
}

/** An image as large as it may be, with its caption; the alternative text where it could not be loaded. */
export function imagePages(slide: SlideOf<'image'>, context: LayoutContext): Page[] {
  const image = context.images[slide.image - 1];
  const alt = plainText(slide.caption ?? '') || (context.alts[slide.image - 1] ?? '');
  if (!image) {
    const text = `${context.phrases.image}: ${slide.caption || alt || '–'}`;
    return bulletPages(
      { kind: 'bullets', title: slide.title, bullets: [{ text }], ...(slide.notes ? { notes: slide.notes } : {}) },
      context,
    );
  }
  const caption = parseInline(slide.caption ?? '');
  const room = caption.length > 0 ? BODY_AREA.h - 0.5 : BODY_AREA.h;
  // 96 pixels per inch at most: a small image is not blown up.
  const scale = Math.min(BODY_AREA.w / image.width, room / image.height, 1 / 72);
  const w = Math.max(image.width * scale, 0.1);
  const h = Math.max(image.height * scale, 0.1);
  const x = BODY_AREA.x + (BODY_AREA.w - w) / 2;
  const y = BODY_AREA.y + (room - h) / 2;
  const boxes: Box[] = [{ type: 'image', x, y, w, h, image: slide.image - 1, alt }];
  if (caption.length > 0) {
    const area = { ...BODY_AREA, y: BODY_AREA.y + room + 0.08, h: 0.42 };
    const set = (runs: Run[]): Paragraph => ({ runs, size: 14, color: 'muted', align: 'center' });
    const runs = cutRuns(caption, (piece) => paragraphsHeight([set(piece)], area.w, context.setting) <= area.h);
    boxes.push({ type: 'text', name: 'Caption', ...area, paragraphs: [set(runs)] });
  }
  return [contentPage('image', slide.title, boxes, slide.notes ?? '', context)];
}

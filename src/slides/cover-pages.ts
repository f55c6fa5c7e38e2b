import { cutRuns, fitHeading, paragraphsHeight } from './fit-text.ts';
import { type LayoutContext, plainRuns } from './frame.ts';
import { parseInline, type Run } from './inline.ts';
import type { SlideOf } from './model.ts';
import { type Area, type Box, type Color, type Page, type Paragraph, SLIDE } from './page.ts';

const WIDTH = SLIDE.width - 2.4;
const X = 1.1;

/** The first slide: title and subtitle on the cover colour. */
export function titlePage(slide: SlideOf<'title'>, context: LayoutContext): Page {
  const title = largest(
    plainRuns(slide.title),
    { x: X, y: 1.9, w: WIDTH, h: 2.4 },
    [44, 40, 36, 32, 28, 24],
    'coverText',
    context,
  );
  const boxes: Box[] = [
    { type: 'text', role: 'title', x: X, y: 1.9, w: WIDTH, h: 2.4, paragraphs: [title.paragraph], valign: 'bottom' },
    { type: 'bar', x: X + 0.02, y: 4.5, w: 1.2, h: 0.06, color: 'coverAccent' },
  ];
  const subtitle = slide.subtitle ? plainRuns(slide.subtitle) : [];
  if (subtitle.length > 0) {
    const area = { x: X, y: 4.75, w: WIDTH, h: 1.3 };
    boxes.push({
      type: 'text',
      name: 'Subtitle',
      ...area,
      paragraphs: [largest(subtitle, area, [20, 18, 16], 'coverMuted', context).paragraph],
    });
  }
  return page('title', slide.title, boxes, title.isCut ? `${slide.title}\n${slide.notes ?? ''}` : (slide.notes ?? ''));
}

/** A slide that opens a section, with its number; 0 is none. */
export function sectionPage(slide: SlideOf<'section'>, number: number, context: LayoutContext): Page {
  const area = { x: X, y: 2.75, w: WIDTH, h: 1.9 };
  const title = largest(plainRuns(slide.title), area, [40, 36, 32, 28, 24], 'coverText', context);
  const boxes: Box[] = [{ type: 'text', role: 'title', ...area, paragraphs: [title.paragraph], valign: 'top' }];
  if (number > 0)
    boxes.unshift({
      type: 'text',
      name: 'Section number',
      x: X,
      y: 1.95,
      w: 3,
      h: 0.7,
      paragraphs: [{ runs: [{ text: String(number) }], size: 32, color: 'coverAccent', bold: true }],
      valign: 'bottom',
    });
  const subtitle = slide.subtitle ? parseInline(slide.subtitle) : [];
  if (subtitle.length > 0) {
    const below = {
      x: X,
      y: area.y + paragraphsHeight([title.paragraph], area.w, context.setting) + 0.2,
      w: WIDTH,
      h: 1.3,
    };
    boxes.push({
      type: 'text',
      name: 'Subtitle',
      ...below,
      paragraphs: [largest(subtitle, below, [20, 18, 16], 'coverMuted', context).paragraph],
    });
  }
  return page('section', slide.title, boxes, title.isCut ? slide.title : (slide.notes ?? ''));
}

/** The last slide: what to remember. */
export function closingPage(slide: SlideOf<'closing'>, context: LayoutContext): Page {
  const titleArea = { x: X, y: 0.75, w: WIDTH, h: 1.0 };
  const title = largest(plainRuns(slide.title), titleArea, [36, 32, 28, 24], 'coverText', context);
  const area = { x: X, y: 2.3, w: WIDTH, h: 4.4 };
  const points = slide.points.map((point) => parseInline(point)).filter((runs) => runs.length > 0);
  const set = (size: number, runs: Run[][]): Paragraph[] =>
    runs.map((piece) => ({
      runs: piece,
      size,
      color: 'coverText',
      bullet: 'dot',
      level: 0,
      spaceBefore: Math.round(size * 0.7),
    }));
  const size = [20, 18, 16, 14].find(
    (candidate) => paragraphsHeight(set(candidate, points), area.w, context.setting) <= area.h,
  );
  let shown = points;
  // More than fits: the last points go, and the notes keep them all.
  while (size === undefined && paragraphsHeight(set(14, shown), area.w, context.setting) > area.h && shown.length > 1)
    shown = shown.slice(0, -1);
  if (size === undefined && shown.length === 1)
    shown = [cutRuns(shown[0]!, (piece) => paragraphsHeight(set(14, [piece]), area.w, context.setting) <= area.h)];
  const boxes: Box[] = [
    { type: 'text', role: 'title', ...titleArea, paragraphs: [title.paragraph], valign: 'bottom' },
    { type: 'bar', x: X + 0.02, y: 1.88, w: 1.2, h: 0.06, color: 'coverAccent' },
  ];
  if (shown.length > 0) boxes.push({ type: 'text', role: 'body', ...area, paragraphs: set(size ?? 14, shown) });
  const said = points.map((runs) => runs.map((run) => run.text).join('')).join('\n');
  return page('closing', slide.title, boxes, [slide.notes, size === undefined ? said : ''].filter(Boolean).join('\n'));
}

function largest(
  runs: Run[],
  area: Area,
  sizes: number[],
  color: Color,
  context: LayoutContext,
): { paragraph: Paragraph; isCut: boolean } {
  const style = { color, bold: color === 'coverText' };
  const fitted = fitHeading(runs, area, sizes, style, context.setting);
  if (fitted) return { paragraph: fitted, isCut: false };
  const size = sizes.at(-1)!;
  const fits = (piece: Run[]) => paragraphsHeight([{ runs: piece, size, ...style }], area.w, context.setting) <= area.h;
  return { paragraph: { runs: cutRuns(runs, fits), size, ...style }, isCut: true };
}

function page(layout: Page['layout'], title: string, boxes: Box[], notes: string): Page {
  return { layout, title, boxes, notes: notes.trim() };
}

import { cutRuns, fitText, paragraphsHeight, type Typesetting } from './fit-text.ts';
import { cleanText, parseInline, type Run } from './inline.ts';
import {
  BODY_AREA,
  type Box,
  CONTENT_WIDTH,
  type LayoutName,
  type Page,
  type Paragraph,
  SLIDE,
  TITLE_AREA,
} from './page.ts';
import type { Phrases } from './phrases.ts';

/** What every layout works with. */
export interface LayoutContext {
  setting: Typesetting;
  phrases: Phrases;
  /** Loaded images by number minus one; undefined where loading failed. */
  images: readonly ({ width: number; height: number; alt: string } | undefined)[];
  /** What the content says of each image. */
  alts: readonly string[];
  /** Title of the section the slide is in. */
  section: string;
}

/** A content slide: eyebrow, title and the given boxes; a title that does not fit is cut and said in full in the notes. */
export function contentPage(
  layout: LayoutName,
  title: string,
  boxes: Box[],
  notes: string,
  context: LayoutContext,
): Page {
  const runs = plainRuns(title);
  const fitted = fitText(runs, TITLE_AREA, [28, 26, 24, 22], { color: 'text', bold: true }, context.setting);
  const paragraph: Paragraph = fitted ?? {
    runs: cutRuns(
      runs,
      (piece) =>
        paragraphsHeight([{ runs: piece, size: 22, color: 'text', bold: true }], TITLE_AREA.w, context.setting) <=
        TITLE_AREA.h,
    ),
    size: 22,
    color: 'text',
    bold: true,
  };
  const head: Box[] = [{ type: 'text', role: 'title', ...TITLE_AREA, paragraphs: [paragraph], valign: 'middle' }];
  const eyebrow =
    context.section !== '' && context.section !== title.replace(/ \(\d+\/\d+\)$/, '') ? [eyebrowBox(context)] : [];
  return {
    layout,
    title,
    boxes: [...head, ...eyebrow, ...boxes],
    notes: fitted ? notes : `${title}\n${notes}`.trim(),
  };
}

function eyebrowBox({ section, setting }: LayoutContext): Box {
  const area = { x: SLIDE.margin, y: 0.36, w: CONTENT_WIDTH, h: 0.28 };
  const style = { size: 12, color: 'accent' as const, bold: true };
  const runs = cutRuns(
    plainRuns(section),
    (piece) => paragraphsHeight([{ runs: piece, ...style }], area.w, setting) <= area.h,
  );
  return { type: 'text', name: 'Section', ...area, paragraphs: [{ runs, ...style }] };
}

/** An optional line above what the slide shows, and the area left for that. */
export function withLead(
  lead: string | undefined,
  { setting }: LayoutContext,
): { boxes: Box[]; area: typeof BODY_AREA } {
  const runs = parseInline(lead ?? '');
  if (runs.length === 0) return { boxes: [], area: BODY_AREA };
  const all: Paragraph = { runs, size: 16, color: 'muted' };
  const limit = 1.2;
  const fits = (piece: Run[]) => paragraphsHeight([{ ...all, runs: piece }], BODY_AREA.w, setting) <= limit;
  const paragraph = { ...all, runs: cutRuns(runs, fits) };
  const h = paragraphsHeight([paragraph], BODY_AREA.w, setting) + 0.08;
  const gap = h + 0.14;
  return {
    boxes: [{ type: 'text', name: 'Lead', ...BODY_AREA, h, paragraphs: [paragraph] }],
    area: { ...BODY_AREA, y: BODY_AREA.y + gap, h: BODY_AREA.h - gap },
  };
}

/** Text without formatting as runs. */
export function plainRuns(text: string): Run[] {
  const clean = cleanText(text).replace(/\s+/g, ' ').trim();
  return clean === '' ? [] : [{ text: clean }];
}

/** Titles of continued slides: "Costs (2/3)". */
export function numbered(title: string, index: number, count: number): string {
  return count > 1 ? `${title} (${index + 1}/${count})` : title;
}

import type { Run } from './inline.ts';

/** Size of a slide in inches (16:9), its margins, and where the parts of a content slide are. */
export const SLIDE = { width: 13.333, height: 7.5, margin: 0.75 } as const;
export const CONTENT_WIDTH = SLIDE.width - 2 * SLIDE.margin;
export const TITLE_AREA: Area = { x: SLIDE.margin, y: 0.62, w: CONTENT_WIDTH, h: 0.95 };
export const BODY_AREA: Area = { x: SLIDE.margin, y: 1.82, w: CONTENT_WIDTH, h: 4.93 };
export const FOOTER_Y = 6.98;
/** No text is smaller than this. */
export const MIN_POINTS = 12;

/** A rectangle on the slide, in inches. */
export interface Area {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** A place in the theme's palette; the theme decides what it looks like. */
export type Color = 'text' | 'muted' | 'background' | 'panel' | 'accent' | 'coverText' | 'coverMuted' | 'coverAccent';

export interface Paragraph {
  runs: Run[];
  /** Font size in points. */
  size: number;
  color: Color;
  bold?: boolean;
  align?: 'left' | 'center' | 'right';
  bullet?: 'dot' | 'dash' | { number: number };
  /** Depth of the bullet. */
  level?: number;
  /** Points above the paragraph. */
  spaceBefore?: number;
  /** Addresses become links. */
  linked?: boolean;
}

/** The master layouts; each has exactly the placeholders its slides fill. */
export const LAYOUTS = [
  'title',
  'agenda',
  'section',
  'bullets',
  'columns',
  'table',
  'chart',
  'quote',
  'code',
  'formula',
  'image',
  'references',
  'closing',
] as const;
export type LayoutName = (typeof LAYOUTS)[number];

export type Box =
  | (Area & {
      type: 'text';
      /** Placeholder of the layout that the text fills. */
      role?: 'title' | 'body';
      paragraphs: Paragraph[];
      valign?: 'top' | 'middle' | 'bottom';
      panel?: boolean;
      name?: string;
    })
  | (Area & { type: 'bar'; color: Color })
  | (Area & { type: 'table'; header: Paragraph[]; rows: Paragraph[][]; columnWidths: number[]; rowHeights: number[] })
  | (Area & {
      type: 'chart';
      chart: 'bar' | 'bars' | 'line' | 'pie';
      categories: string[];
      series: { name: string; values: (number | null)[] }[];
      unit: string;
      alt: string;
    })
  | (Area & { type: 'image'; image: number; alt: string });

/** One slide with everything placed. */
export interface Page {
  layout: LayoutName;
  title: string;
  boxes: Box[];
  notes: string;
}

/** Space inside the panel of code and takeaways, inches. */
export const PANEL_INSET = 0.18;

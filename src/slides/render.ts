import type PptxGenJS from 'pptxgenjs';
import { chartOptions } from './chart-options.ts';
import { cutRuns } from './fit-text.ts';
import type { Run } from './inline.ts';
import { bulletIndent, countLines } from './measure.ts';
import type { LoadedImage } from './model.ts';
import {
  BODY_AREA,
  type Box,
  CONTENT_WIDTH,
  FOOTER_Y,
  LAYOUTS,
  type LayoutName,
  PANEL_INSET,
  type Page,
  type Paragraph,
  SLIDE,
  TITLE_AREA,
} from './page.ts';
import { CELL_MARGIN } from './table-pages.ts';
import { CODE_FONT, FONT, type Theme } from './theme.ts';

export interface RenderOptions {
  title: string;
  theme: Theme;
  /** Line height as a multiple of the font size. */
  lineHeight: number;
  images: readonly (LoadedImage | undefined)[];
}

const COVERS: readonly LayoutName[] = ['title', 'section', 'closing'];
const WITH_BODY: readonly LayoutName[] = ['bullets', 'references', 'closing'];
const FOOTER_WIDTH = CONTENT_WIDTH - 1.2;
const NO_BORDER = { type: 'none' as const };

type TextOptions = PptxGenJS.TextPropsOptions;

/** The pages as pptxgenjs writes them, not compressed; `cleanPackage` puts right what is wrong with it. */
export async function renderPages(pages: readonly Page[], options: RenderOptions): Promise<Uint8Array> {
  const deck = await drawPages(pages, options);
  return (await deck.write({ outputType: 'uint8array' })) as Uint8Array;
}

/** Draws the pages with pptxgenjs. */
export async function drawPages(pages: readonly Page[], options: RenderOptions): Promise<PptxGenJS> {
  const { default: Pptx } = await import('pptxgenjs');
  const deck = new Pptx();
  deck.layout = 'LAYOUT_WIDE';
  deck.title = options.title;
  deck.theme = { headFontFace: FONT, bodyFontFace: FONT };
  const painter = new Painter(options);
  const used = new Map<LayoutName, Page>();
  for (const page of pages) if (!used.has(page.layout)) used.set(page.layout, page);
  for (const layout of LAYOUTS) {
    const example = used.get(layout);
    if (example) deck.defineSlideMaster(painter.master(layout, example));
  }
  for (const page of pages) {
    const slide = deck.addSlide({ masterName: layoutName(page.layout) });
    for (const box of page.boxes) painter.paint(slide, box);
    // Every slide gets a notes page; an empty one would show its prompt.
    slide.addNotes(page.notes || page.title);
  }
  return deck;
}

class Painter {
  readonly #options: RenderOptions;

  constructor(options: RenderOptions) {
    this.#options = options;
  }

  /** A layout with its background, placeholders, and on content slides the footer. */
  master(layout: LayoutName, example: Page): PptxGenJS.SlideMasterProps {
    const { theme, title } = this.#options;
    const isCover = COVERS.includes(layout);
    const titleBox = example.boxes.find((box) => box.type === 'text' && box.role === 'title');
    const bodyBox = example.boxes.find((box) => box.type === 'text' && box.role === 'body');
    const placeholder = (name: 'title' | 'body', area: { x: number; y: number; w: number; h: number }) => ({
      placeholder: {
        options: {
          name,
          type: name,
          x: area.x,
          y: area.y,
          w: area.w,
          h: area.h,
          margin: 0,
          fontSize: name === 'title' ? 28 : 18,
          color: this.#slot(isCover ? 'coverText' : 'text'),
          align: 'left' as const,
          valign: (isCover && layout !== 'section' && name === 'title'
            ? 'bottom'
            : name === 'title' && !isCover
              ? 'middle'
              : 'top') as 'top' | 'middle' | 'bottom',
        },
        text: '',
      },
    });
    const footer = {
      text: {
        text: footerText(title),
        options: {
          x: SLIDE.margin,
          y: FOOTER_Y,
          w: FOOTER_WIDTH,
          h: 0.3,
          margin: 0,
          fontSize: 12,
          color: this.#slot('muted'),
          align: 'left' as const,
          valign: 'middle' as const,
          objectName: 'Footer',
        },
      },
    };
    return {
      title: layoutName(layout),
      background: { color: theme.slots[isCover ? 'cover' : 'background'] },
      objects: [
        ...(titleBox ? [placeholder('title', isCover ? titleBox : TITLE_AREA)] : []),
        ...(bodyBox && WITH_BODY.includes(layout) ? [placeholder('body', isCover ? bodyBox : BODY_AREA)] : []),
        ...(isCover ? [] : [footer]),
      ] as NonNullable<PptxGenJS.SlideMasterProps['objects']>,
      slideNumber: {
        x: SLIDE.width - SLIDE.margin - 1,
        y: FOOTER_Y,
        w: 1,
        h: 0.3,
        margin: 0,
        fontSize: 12,
        color: this.#slot(isCover ? 'coverMuted' : 'muted'),
        align: 'right',
      },
    };
  }

  paint(slide: PptxGenJS.Slide, box: Box): void {
    const { x, y, w, h } = box;
    switch (box.type) {
      case 'text':
        slide.addText(this.#runs(box.paragraphs), {
          ...(box.role ? { placeholder: box.role } : {}),
          x,
          y,
          w,
          h,
          margin: box.panel ? PANEL_INSET * 72 : 0,
          valign: box.valign ?? 'top',
          ...(box.panel ? { fill: { color: this.#slot('panel') } } : {}),
          ...(box.name ? { objectName: box.name } : {}),
        });
        return;
      case 'bar':
        slide.addShape('rect', { x, y, w, h, fill: { color: this.#slot(box.color) }, objectName: 'Rule' });
        return;
      case 'table':
        this.#table(slide, box);
        return;
      case 'chart':
        this.#chart(slide, box);
        return;
      case 'image': {
        const image = this.#options.images[box.image];
        if (!image) return;
        // Data only: given a path or address, the library would open it itself.
        const data = `${image.mediaType};base64,${Buffer.from(image.bytes).toString('base64')}`;
        slide.addImage({ data, x, y, w, h, altText: box.alt, objectName: 'Image' });
      }
    }
  }

  #slot(color: keyof Theme['slots']): string {
    return this.#options.theme.slots[color];
  }

  #runs(paragraphs: readonly Paragraph[]): PptxGenJS.TextProps[] {
    const indent = bulletIndent(paragraphs);
    return paragraphs.flatMap((paragraph, index) =>
      paragraph.runs.map((run, place): PptxGenJS.TextProps => {
        const isFirst = place === 0;
        const isLast = place === paragraph.runs.length - 1;
        const { bullet, size } = paragraph;
        const href = paragraph.linked ? safeLink(run.href) : undefined;
        const marker = !bullet
          ? undefined
          : typeof bullet === 'object'
            ? { type: 'number' as const, numberStartAt: bullet.number, indent }
            : { characterCode: bullet === 'dot' ? '2022' : '2013', indent };
        const options: TextOptions = {
          fontSize: size,
          lineSpacing: Math.round(size * this.#options.lineHeight * 10) / 10,
          color: this.#slot(href ? 'accent' : paragraph.color),
          align: paragraph.align ?? 'left',
          ...(isFirst && marker ? { bullet: marker } : {}),
          ...(isFirst && marker && paragraph.level ? { indentLevel: paragraph.level } : {}),
          ...(isFirst && index > 0 && paragraph.spaceBefore ? { paraSpaceBefore: paragraph.spaceBefore } : {}),
          ...(paragraph.bold || run.bold ? { bold: true } : {}),
          ...(run.italic ? { italic: true } : {}),
          ...(run.strike ? { strike: 'sngStrike' as const } : {}),
          ...(run.script === 'upper' ? { superscript: true } : run.script === 'lower' ? { subscript: true } : {}),
          ...(run.code ? { fontFace: CODE_FONT } : {}),
          ...(href ? { hyperlink: { url: href } } : {}),
          breakLine: isLast && index < paragraphs.length - 1,
        };
        return { text: run.text, options };
      }),
    );
  }

  #table(slide: PptxGenJS.Slide, box: Extract<Box, { type: 'table' }>): void {
    const cell = (paragraph: Paragraph, isHeader: boolean): PptxGenJS.TableCell => {
      const line = {
        type: 'solid' as const,
        pt: isHeader ? 1.5 : 0.75,
        color: this.#slot(isHeader ? 'accent' : 'panel'),
      };
      return {
        text: (paragraph.runs.length > 0
          ? this.#runs([paragraph])
          : [{ text: '', options: { fontSize: paragraph.size } }]) as PptxGenJS.TableCell[],
        options: {
          fontSize: paragraph.size,
          align: paragraph.align ?? 'left',
          valign: 'middle',
          border: [NO_BORDER, NO_BORDER, line, NO_BORDER],
          margin: [CELL_MARGIN.y, CELL_MARGIN.x, CELL_MARGIN.y, CELL_MARGIN.x],
        },
      };
    };
    const rows = [
      box.header.map((paragraph) => cell(paragraph, true)),
      ...box.rows.map((row) => row.map((paragraph) => cell(paragraph, false))),
    ];
    slide.addTable(rows, {
      x: box.x,
      y: box.y,
      w: box.w,
      colW: [...box.columnWidths],
      rowH: [...box.rowHeights],
      objectName: 'Table',
      autoPage: false,
    });
  }

  #chart(slide: PptxGenJS.Slide, box: Extract<Box, { type: 'chart' }>): void {
    const kind = box.chart === 'pie' ? 'doughnut' : box.chart === 'line' ? 'line' : 'bar';
    const data = box.series.map(({ name, values }) => ({ name, labels: box.categories, values: values as number[] }));
    slide.addChart(kind, data, chartOptions(box, this.#options.theme) as PptxGenJS.IChartOpts);
  }
}

/** The layout's name for people; LibreOffice loses the background of one that is called just "table". */
function layoutName(layout: LayoutName): string {
  return `${layout[0]!.toUpperCase()}${layout.slice(1)} slide`;
}

/** The title as far as it fits on the line of the footer. */
function footerText(title: string): string {
  const fits = (runs: Run[]) => countLines(runs, 12, FOOTER_WIDTH) === 1;
  return cutRuns([{ text: title }], fits)
    .map((run) => run.text)
    .join('');
}

/** Links of references lead to the web only. */
function safeLink(href: string | undefined): string | undefined {
  const url = href === undefined ? null : URL.parse(href);
  return url && /^https?:$/.test(url.protocol) && url.href.length <= 2000 ? url.href : undefined;
}

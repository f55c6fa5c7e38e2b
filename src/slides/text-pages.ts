import { fitBullets } from './fit-bullets.ts';
import { cutRuns, fitHeading, fitText, paragraphsHeight, splitRuns, type Typesetting } from './fit-text.ts';
import { contentPage, type LayoutContext, numbered, plainRuns } from './frame.ts';
import { parseInline, type Run } from './inline.ts';
import type { Slide, SlideOf } from './model.ts';
import { BODY_AREA, type Box, type Page, type Paragraph } from './page.ts';

const GAP = 0.6;
const COLUMN_WIDTH = (BODY_AREA.w - GAP) / 2;
const AGENDA_ROWS = 7;
const MAX_REFERENCES = 9;

/** Bullets, on as many slides as they need. */
export function bulletPages(slide: SlideOf<'bullets'>, context: LayoutContext): Page[] {
  const pages = fitBullets(slide.bullets, BODY_AREA, context.setting);
  return pages.map((paragraphs, index) => {
    const body: Box = { type: 'text', role: 'body', ...BODY_AREA, paragraphs };
    return contentPage('bullets', numbered(slide.title, index, pages.length), [body], slide.notes ?? '', context);
  });
}

/** The list of sections, in two columns when it is long. */
export function agendaPages(slide: SlideOf<'agenda'>, context: LayoutContext): Page[] {
  const { setting } = context;
  const isWide = slide.items.length > AGENDA_ROWS;
  const width = isWide ? COLUMN_WIDTH : BODY_AREA.w;
  const perPage = isWide ? AGENDA_ROWS * 2 : AGENDA_ROWS;
  const pageCount = Math.ceil(slide.items.length / perPage);
  const all = slide.items
    .map((item, index) => ({ runs: parseInline(item), number: index + 1 }))
    .filter((item) => item.runs.length > 0);
  const set = (items: typeof all, size: number): Paragraph[] =>
    items.map(({ runs, number }) => ({
      runs,
      size,
      color: 'text',
      bullet: { number },
      level: 0,
      spaceBefore: Math.round(size * 0.8),
    }));
  return Array.from({ length: pageCount }, (_, index) => {
    const items = all.slice(index * perPage, (index + 1) * perPage);
    const half = isWide ? Math.ceil(items.length / 2) : items.length;
    const columns = [items.slice(0, half), items.slice(half)].filter((column) => column.length > 0);
    const fits = (size: number) =>
      columns.every((column) => paragraphsHeight(set(column, size), width, setting) <= BODY_AREA.h);
    const size = [24, 20, 18, 16, 14, 12].find(fits);
    const boxes = columns.map((column, place): Box => {
      const paragraphs =
        size === undefined ? set(column, 12).map((paragraph) => cutLine(paragraph, width, context)) : set(column, size);
      return {
        type: 'text',
        name: place === 0 ? 'Agenda' : 'Agenda, continued',
        ...BODY_AREA,
        x: BODY_AREA.x + place * (COLUMN_WIDTH + GAP),
        w: width,
        paragraphs,
      };
    });
    const { section: _section, ...rest } = context;
    return contentPage('agenda', numbered(slide.title, index, pageCount), boxes, slide.notes ?? '', {
      ...rest,
      section: '',
    });
  });
}

function cutLine(paragraph: Paragraph, width: number, { setting }: LayoutContext): Paragraph {
  const limit = BODY_AREA.h / AGENDA_ROWS - 0.2;
  const [first] = splitRuns(
    paragraph.runs,
    // As wide a number as any on the slide.
    (runs) => paragraphsHeight([{ ...paragraph, runs, bullet: { number: 99 } }], width, setting) <= limit,
  );
  return { ...paragraph, runs: first ? [...first, { text: ' …' }] : paragraph.runs };
}

/** Two columns with headings; what does not fit side by side becomes one slide per column. */
export function columnPages(slide: SlideOf<'columns'>, context: LayoutContext): Page[] {
  const { setting } = context;
  const sides = [slide.left, slide.right];
  const headings = sides.map(({ heading }) =>
    heading
      ? fitHeading(
          plainRuns(heading),
          { w: COLUMN_WIDTH, h: 0.8 },
          [20, 18, 16],
          { color: 'accent', bold: true },
          setting,
        )
      : undefined,
  );
  const hasHeading = sides.some(({ heading }) => heading !== '');
  const headingHeight = hasHeading
    ? Math.max(...headings.map((heading) => (heading ? paragraphsHeight([heading], COLUMN_WIDTH, setting) : 0))) + 0.25
    : 0;
  const area = { ...BODY_AREA, y: BODY_AREA.y + headingHeight, w: COLUMN_WIDTH, h: BODY_AREA.h - headingHeight };
  const fitted = sides.map(({ bullets }) => fitBullets(bullets, area, setting));
  if (
    fitted.some((pages) => pages.length !== 1) ||
    sides.some(({ heading }, index) => heading !== '' && !headings[index])
  ) {
    const slides = sides.map(
      ({ heading, bullets }): Slide => ({
        kind: 'bullets',
        title: heading ? `${slide.title} – ${heading}` : slide.title,
        bullets,
        ...(slide.notes ? { notes: slide.notes } : {}),
      }),
    );
    return slides.flatMap((each) => bulletPages(each as SlideOf<'bullets'>, context));
  }
  const size = Math.min(...fitted.map((pages) => pages[0]![0]!.size));
  const boxes = sides.flatMap((_, index): Box[] => {
    const x = BODY_AREA.x + index * (COLUMN_WIDTH + GAP);
    const heading = headings[index];
    const paragraphs = fitted[index]![0]!.map((paragraph) => ({ ...paragraph, size: Math.min(paragraph.size, size) }));
    return [
      ...(heading
        ? [
            {
              type: 'text' as const,
              name: 'Column heading',
              ...BODY_AREA,
              x,
              w: COLUMN_WIDTH,
              h: headingHeight - 0.15,
              paragraphs: [heading],
            },
          ]
        : []),
      { type: 'text', name: index === 0 ? 'First column' : 'Second column', ...area, x, paragraphs },
    ];
  });
  const rule: Box = {
    type: 'bar',
    x: BODY_AREA.x + COLUMN_WIDTH + GAP / 2 - 0.007,
    y: BODY_AREA.y,
    w: 0.014,
    h: BODY_AREA.h,
    color: 'panel',
  };
  return [contentPage('columns', slide.title, [...boxes, rule], slide.notes ?? '', context)];
}

/** A quotation in large type, who said it below. */
export function quotePages(slide: SlideOf<'quote'>, context: LayoutContext): Page[] {
  const { setting } = context;
  const top = { x: BODY_AREA.x + 0.55, y: BODY_AREA.y + 0.1, w: BODY_AREA.w - 1.3, h: 4.0 };
  const style = { color: 'text' as const };
  const runs = parseInline(slide.text);
  if (runs.length === 0) return [];
  const whole = fitText(runs, top, [28, 24, 20, 18], style, setting);
  const fits = (piece: Run[]) => paragraphsHeight([{ runs: piece, size: 18, ...style }], top.w, setting) <= top.h;
  const pieces = whole ? [whole] : splitRuns(runs, fits).map((piece) => ({ runs: piece, size: 18, ...style }));
  const said = slide.attribution ? [attribution(slide.attribution, top.w, setting)] : [];
  return pieces.map((paragraph, index) => {
    // One box: a quotation that needs fewer or more lines in another font keeps its distance from who said it.
    const paragraphs = [paragraph, ...(index === pieces.length - 1 ? said : [])];
    const h = Math.max(paragraphsHeight(paragraphs, top.w, setting), 0.5);
    // A short quotation stands a little above the middle.
    const y = top.y + Math.max(0, (top.h - h) / 2 - 0.4);
    const boxes: Box[] = [
      { type: 'bar', x: BODY_AREA.x + 0.1, y, w: 0.07, h, color: 'accent' },
      { type: 'text', name: 'Quote', ...top, y, h, paragraphs, valign: 'middle' },
    ];
    return contentPage('quote', numbered(slide.title, index, pieces.length), boxes, slide.notes ?? '', context);
  });
}

function attribution(name: string, width: number, setting: Typesetting): Paragraph {
  const style = { size: 16, color: 'muted' as const, spaceBefore: 16 };
  const fits = (runs: Run[]) => paragraphsHeight([{ runs, ...style }], width, setting) <= 0.6;
  return { runs: cutRuns(plainRuns(`— ${name}`), fits), ...style };
}

/** Numbered sources with their links. */
export function referencePages(slide: SlideOf<'references'>, context: LayoutContext): Page[] {
  const area = BODY_AREA;
  const { setting } = context;
  const size = slide.items.length <= 6 ? 16 : 14;
  const items = slide.items.map((item, index): Paragraph => {
    const host = item.url ? (URL.parse(item.url)?.hostname.replace(/^www\./, '') ?? '') : '';
    const label = item.text.slice(0, 260) + (item.text.length > 260 ? ' …' : '');
    const runs: Run[] = [{ text: plainRuns(label)[0]?.text ?? host, ...(item.url ? { href: item.url } : {}) }];
    if (host && !label.includes(host)) runs.push({ text: `  ${host}` });
    return { runs, size, color: 'text', bullet: { number: index + 1 }, level: 0, spaceBefore: 9, linked: true };
  });
  const pages: Paragraph[][] = [];
  for (const item of items) {
    const page = pages.at(-1);
    if (page && page.length < MAX_REFERENCES && paragraphsHeight([...page, item], area.w, setting) <= area.h)
      page.push(item);
    else pages.push([item]);
  }
  let first = 0;
  return pages.map((paragraphs, index) => {
    const sources = slide.items
      .slice(first, first + paragraphs.length)
      .map((item, place) => `[${first + place + 1}] ${[item.text, item.url].filter(Boolean).join(' — ')}`);
    first += paragraphs.length;
    const notes = [slide.notes, ...sources].filter(Boolean).join('\n');
    const box: Box = { type: 'text', role: 'body', ...area, paragraphs };
    return contentPage('references', numbered(slide.title, index, pages.length), [box], notes, {
      ...context,
      section: '',
    });
  });
}

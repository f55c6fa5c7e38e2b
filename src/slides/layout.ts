import { closingPage, sectionPage, titlePage } from './cover-pages.ts';
import { chartPage, codePages, formulaPages, imagePages } from './figure-pages.ts';
import { typesetting } from './fit-text.ts';
import type { LayoutContext } from './frame.ts';
import { escapeMarkdown, plainText } from './inline.ts';
import type { Deck, PlacedSlide, Slide } from './model.ts';
import type { Page } from './page.ts';
import { phrasesFor } from './phrases.ts';
import { tablePages } from './table-pages.ts';
import { agendaPages, bulletPages, columnPages, quotePages, referencePages } from './text-pages.ts';

/** Sections the note on what was left out names. */
const NAMED_SECTIONS = 8;

export interface LayoutOptions {
  /** Slides at most; what does not fit is named on a slide of its own. */
  maxSlides: number;
  images: LayoutContext['images'];
  alts: readonly string[];
}

interface Section {
  title: string;
  /** What is kept; a deck too long by far must not fill the memory. */
  pages: Page[];
  /** All slides it would fill. */
  size: number;
  /** References and the end are shown whatever else is left out. */
  isFrame: boolean;
}

/** Places everything a deck says on slides: long content is continued, every text is measured. */
export function layOutDeck(deck: Deck, { maxSlides, images, alts }: LayoutOptions): Page[] {
  const context: LayoutContext = {
    setting: typesetting(deck.locale),
    phrases: phrasesFor(deck.locale),
    images,
    alts,
    section: '',
  };
  const sections: Section[] = [{ title: deck.title, pages: [], size: 0, isFrame: true }];
  const numbers = sectionNumbers(deck.slides);
  for (const slide of deck.slides as PlacedSlide[]) {
    const isFrame = slide.kind === 'references' || slide.kind === 'closing';
    const name = slide.section ?? (slide.kind === 'section' ? slide.title : isFrame ? '' : context.section);
    if (name !== context.section || isFrame || (slide.kind === 'section' && slide.section === undefined))
      sections.push({ title: name || slide.title, pages: [], size: 0, isFrame });
    context.section = name;
    const section = sections.at(-1)!;
    const pages = pagesOf(slide, numbers.get(slide) ?? 0, context);
    section.size += pages.length;
    if (isFrame || sections.length <= maxSlides)
      section.pages.push(...pages.slice(0, maxSlides - section.pages.length));
  }
  const total = sections.reduce((sum, section) => sum + section.size, 0);
  return total > maxSlides ? prune(sections, total, maxSlides, context) : sections.flatMap((section) => section.pages);
}

/** Sections have the numbers the agenda gives them, those it leaves out have none; without an agenda they are counted. */
function sectionNumbers(slides: readonly Slide[]): Map<Slide, number> {
  const agenda = slides.find((slide) => slide.kind === 'agenda')?.items.map(plainText) ?? [];
  const dividers = slides.filter((slide) => slide.kind === 'section');
  let last = -1;
  const listed = new Map<Slide, number>();
  for (const divider of dividers) {
    const place = agenda.indexOf(divider.title, last + 1);
    if (place < 0) continue;
    last = place;
    listed.set(divider, place + 1);
  }
  return listed.size > 0 ? listed : new Map(dividers.map((divider, index) => [divider, index + 1]));
}

function pagesOf(slide: Slide, number: number, context: LayoutContext): Page[] {
  switch (slide.kind) {
    case 'title':
      return [titlePage(slide, context)];
    case 'section':
      return [sectionPage(slide, number, context)];
    case 'closing':
      return [closingPage(slide, context)];
    case 'agenda':
      return agendaPages(slide, context);
    case 'bullets':
      return bulletPages(slide, context);
    case 'columns':
      return columnPages(slide, context);
    case 'table':
      return tablePages(slide, context);
    case 'chart':
      return [chartPage(slide, context)];
    case 'quote':
      return quotePages(slide, context);
    case 'code':
      return codePages(slide, context);
    case 'formula':
      return formulaPages(slide, context);
    case 'image':
      return imagePages(slide, context);
    case 'references':
      return referencePages(slide, context);
  }
}

/** Shortens a deck that is too long: every section keeps its beginning, and a last slide says what is missing. */
function prune(sections: Section[], total: number, maxSlides: number, context: LayoutContext): Page[] {
  // The note takes a slide, two when many sections were shortened.
  const shares = fairShares(sections, Math.max(1, maxSlides - 2));
  const kept = sections.flatMap((section, index) => section.pages.slice(0, shares[index]));
  const { phrases } = context;
  const missing = sections.flatMap(({ title, size }, index) => {
    const count = size - shares[index]!;
    return count > 0 ? [{ title, count }] : [];
  });
  const lines = missing
    .slice(0, NAMED_SECTIONS)
    .map(({ title, count }) => phrases.sectionLeftOut(escapeMarkdown(title.slice(0, 90)), count));
  const others = missing.slice(NAMED_SECTIONS).reduce((sum, { count }) => sum + count, 0);
  if (others > 0) lines.push(phrases.sectionLeftOut('…', others));
  const notes = missing
    .slice(0, 200)
    .map(({ title, count }) => phrases.sectionLeftOut(title.slice(0, 90), count))
    .join('\n');
  const bullets = [{ text: phrases.slidesLeftOut(kept.length, total) }, ...lines.map((text) => ({ text, level: 1 }))];
  return [
    ...kept,
    ...bulletPages({ kind: 'bullets', title: phrases.leftOut, bullets, notes }, { ...context, section: '' }),
  ];
}

/** Divides `room` among the sections: the frame first, small ones whole, the others with the same number. */
function fairShares(sections: Section[], room: number): number[] {
  const shares = sections.map(() => 0);
  let left = room;
  const all = sections
    .map((_, index) => index)
    .sort((a, b) => Number(sections[b]!.isFrame) - Number(sections[a]!.isFrame) || a - b);
  let open = all.filter((index) => sections[index]!.pages.length > 0);
  while (left > 0 && open.length > 0) {
    const each = Math.max(1, Math.floor(left / open.length));
    for (const index of open) {
      const more = Math.min(each, sections[index]!.pages.length - shares[index]!, left);
      shares[index]! += more;
      left -= more;
    }
    open = open.filter((index) => shares[index]! < sections[index]!.pages.length);
  }
  return shares;
}

import { closingPage, sectionPage, titlePage } from './cover-pages.ts';
import { chartPage, codePages, formulaPages, imagePages } from './figure-pages.ts';
import { typesetting } from './fit-text.ts';
import type { LayoutContext } from './frame.ts';
import { escapeMarkdown } from './inline.ts';
import type { Deck, PlacedSlide, Slide } from './model.ts';
import type { Page } from './page.ts';
import { phrasesFor } from './phrases.ts';
import { tablePages } from './table-pages.ts';
import { agendaPages, bulletPages, columnPages, quotePages, referencePages } from './text-pages.ts';

export interface LayoutOptions {
  /** Slides at most; what does not fit is named on a slide of its own. */
  maxSlides: number;
  images: LayoutContext['images'];
  alts: readonly string[];
}

/** Places everything a deck says on slides: long content is continued, every text is measured. */
export function layOutDeck(deck: Deck, { maxSlides, images, alts }: LayoutOptions): Page[] {
  const phrases = phrasesFor(deck.locale);
  const context: LayoutContext = {
    setting: typesetting(deck.locale),
    phrases,
    images,
    alts,
    section: '',
    sectionNumber: 0,
  };
  const pages: Page[] = [];
  const titles: string[] = [deck.title];
  let divider = 0;
  for (const slide of deck.slides as PlacedSlide[]) {
    if (slide.section !== undefined) {
      if (slide.section !== context.section) context.sectionNumber = titles.push(slide.section) - 1;
      context.section = slide.section;
    } else if (slide.kind === 'section' || slide.kind === 'references' || slide.kind === 'closing') {
      // References and the end belong to no section.
      context.section = slide.kind === 'section' ? slide.title : '';
      context.sectionNumber = titles.push(slide.title) - 1;
    }
    if (slide.kind === 'section') divider++;
    pages.push(...pagesOf(slide, divider, context));
  }
  return pages.length > maxSlides ? prune(pages, titles, maxSlides, context) : pages;
}

function pagesOf(slide: Slide, divider: number, context: LayoutContext): Page[] {
  switch (slide.kind) {
    case 'title':
      return [titlePage(slide, context)];
    case 'section':
      return [sectionPage(slide, divider, context)];
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
function prune(pages: Page[], titles: string[], maxSlides: number, context: LayoutContext): Page[] {
  const sizes = titles.map((_, section) => pages.filter((page) => page.section === section).length);
  // The note takes a slide, two when many sections were shortened.
  const room = Math.max(1, maxSlides - 2);
  const shares = fairShares(sizes, room);
  const taken = titles.map(() => 0);
  const kept = pages.filter((page) => taken[page.section]!++ < shares[page.section]!);
  const { phrases } = context;
  const missing = titles.flatMap((title, section) => {
    const count = sizes[section]! - shares[section]!;
    return count > 0 ? [{ title, count }] : [];
  });
  const named = missing
    .slice(0, 8)
    .map(({ title, count }) => ({ text: phrases.sectionLeftOut(escapeMarkdown(title.slice(0, 90)), count), level: 1 }));
  const others = missing.slice(8);
  if (others.length > 0)
    named.push({
      text: phrases.sectionLeftOut(
        '…',
        others.reduce((sum, { count }) => sum + count, 0),
      ),
      level: 1,
    });
  const notes = missing
    .map(({ title, count }) => phrases.sectionLeftOut(title, count))
    .join('\n')
    .slice(0, 8000);
  const bullets = [{ text: phrases.slidesLeftOut(kept.length, pages.length) }, ...named];
  return [
    ...kept,
    ...bulletPages({ kind: 'bullets', title: phrases.leftOut, bullets, notes }, { ...context, section: '' }),
  ];
}

/** Divides `room` among the sections: small ones are kept whole, the others get the same number. */
function fairShares(sizes: number[], room: number): number[] {
  const shares = sizes.map(() => 0);
  let left = room;
  let open = sizes.map((_, index) => index).filter((index) => sizes[index]! > 0);
  while (left > 0 && open.length > 0) {
    const each = Math.max(1, Math.floor(left / open.length));
    for (const index of open) {
      const more = Math.min(each, sizes[index]! - shares[index]!, left);
      shares[index]! += more;
      left -= more;
    }
    open = open.filter((index) => shares[index]! < sizes[index]!);
  }
  return shares;
}

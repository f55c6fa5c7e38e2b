import { paragraphsHeight, splitRuns, type Typesetting } from './fit-text.ts';
import { parseInline, type Run } from './inline.ts';
import type { Bullet } from './model.ts';
import type { Area, Color, Paragraph } from './page.ts';

/** Bullets of one slide at most, sub-bullets included. */
const MAX_BULLETS = 6;
/** Sizes of body text; the first is for slides that say little. */
const SIZES = [24, 20, 18, 16] as const;
const PAGE_SIZE = 18;
const SMALLEST = 16;
/** Text that fills more than this of the body is not enlarged further. */
const ROOMY = 0.72;

interface Item {
  runs: Run[];
  level: number;
  number: number | undefined;
}

/** Bullets laid out on as many slides as they need, all in one size; each entry is one slide. */
export function fitBullets(
  bullets: readonly Bullet[],
  area: Pick<Area, 'w' | 'h'>,
  setting: Typesetting,
  color: Color = 'text',
): Paragraph[][] {
  const items = bullets.flatMap((bullet) => toItems(bullet, area, setting, color));
  if (items.length === 0) return [];
  const height = (group: Item[], size: number) =>
    paragraphsHeight(toParagraphs(group, size, 0.5, color), area.w, setting);
  const fits = (group: Item[], size: number, share = 1) => height(group, size) <= area.h * share;
  // A smaller size that saves a slide is worth it.
  const isOnePage = items.length <= MAX_BULLETS && fits(items, SMALLEST);
  const pages = isOnePage ? [items] : paginate(items, (group) => fits(group, PAGE_SIZE));
  const size =
    SIZES.find((candidate, index) => pages.every((page) => fits(page, candidate, index === 0 ? ROOMY : 0.97))) ??
    SMALLEST;
  return pages.map((page) => {
    const spare = area.h - height(page, size);
    // A half-empty slide breathes: the space goes between the bullets, up to a line.
    const extra = Math.max(0, Math.min(0.6, (spare * 72 * 0.5) / (page.length * size)));
    return toParagraphs(page, size, 0.5 + extra, color);
  });
}

function toItems(bullet: Bullet, area: Pick<Area, 'w' | 'h'>, setting: Typesetting, color: Color): Item[] {
  const runs = parseInline(bullet.text);
  if (runs.length === 0) return [];
  const item: Item = { runs, level: bullet.level ?? 0, number: bullet.number };
  const fits = (piece: Run[]) =>
    paragraphsHeight(toParagraphs([{ ...item, runs: piece }], SMALLEST, 0, color), area.w, setting) <= area.h;
  if (fits(runs)) return [item];
  return splitRuns(runs, fits).map((piece, index) => ({
    ...item,
    runs: piece,
    number: index === 0 ? item.number : undefined,
  }));
}

/** Even pages: the fewest that hold everything, filled alike, and no line that leads in stands last. */
function paginate(items: Item[], fits: (group: Item[]) => boolean): Item[][] {
  const tight = fill(items, MAX_BULLETS, fits);
  for (let limit = Math.ceil(items.length / tight.length); limit < MAX_BULLETS; limit++) {
    const even = fill(items, limit, fits);
    if (even.length === tight.length) return even;
  }
  return tight;
}

function fill(items: Item[], limit: number, fits: (group: Item[]) => boolean): Item[][] {
  const pages: Item[][] = [];
  let page: Item[] = [];
  for (const item of items) {
    if (page.length > 0 && (page.length >= limit || !fits([...page, item]))) {
      const last = page.at(-1)!;
      const carried = page.length > 1 && last.level < item.level ? [page.pop()!] : [];
      pages.push(page);
      page = carried;
    }
    page.push(item);
  }
  if (page.length > 0) pages.push(page);
  return pages;
}

function toParagraphs(items: Item[], size: number, space: number, color: Color): Paragraph[] {
  // One statement is no list.
  const isAlone = items.length === 1 && items[0]!.level === 0 && items[0]!.number === undefined;
  return items.map(({ runs, level, number }): Paragraph => {
    const own = Math.max(level > 0 ? size - 2 : size, 14);
    return {
      runs,
      size: own,
      color,
      ...(isAlone ? {} : { bullet: number !== undefined ? { number } : level > 0 ? 'dash' : 'dot', level }),
      spaceBefore: Math.round(own * (level > 0 ? space * 0.6 : space)),
    };
  });
}

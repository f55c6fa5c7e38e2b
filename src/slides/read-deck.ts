import { isRecord, parseModelJson } from '../lib/json.ts';
import { trimEnd } from '../lib/trim.ts';
import { Value } from '../schema.ts';
import { plainText } from './inline.ts';
import { type Bullet, Deck, Slide } from './model.ts';
import { parseNumberCell } from './number-cell.ts';
import type { Phrases } from './phrases.ts';

export interface DeckDefaults {
  title: string;
  locale: string;
  phrases: Phrases;
  /** Images the deck may show. */
  imageCount: number;
  /** The text the deck is about: only its addresses may be cited. */
  content: string;
}

/** A deck, or the sentence that says what is wrong with it. */
export type DeckResult = { ok: true; deck: Deck } | { ok: false; problem: string };

type Fields = Record<string, unknown>;

const KINDS: Record<string, Slide['kind']> = {
  cover: 'title',
  titleslide: 'title',
  toc: 'agenda',
  tableofcontents: 'agenda',
  outline: 'agenda',
  sectionheader: 'section',
  divider: 'section',
  bullet: 'bullets',
  content: 'bullets',
  list: 'bullets',
  text: 'bullets',
  bulletpoints: 'bullets',
  twocolumns: 'columns',
  twocolumn: 'columns',
  column: 'columns',
  comparison: 'columns',
  graph: 'chart',
  citation: 'quote',
  picture: 'image',
  math: 'formula',
  equation: 'formula',
  sources: 'references',
  reference: 'references',
  conclusion: 'closing',
  summary: 'closing',
  end: 'closing',
};
const MAX_SLIDES = 200;

/** Reads a deck from a model's answer: fences, synonyms, bare strings and numbers as text are repaired, then it is checked. */
export function readDeck(answer: string, defaults: DeckDefaults): DeckResult {
  const value = parseModelJson(answer);
  const root = Array.isArray(value)
    ? { slides: value }
    : isRecord(value)
      ? isRecord(value['deck'])
        ? value['deck']
        : value
      : undefined;
  const given = root?.['slides'];
  if (!root || !Array.isArray(given) || given.length === 0)
    return { ok: false, problem: 'The answer is no JSON object with a list "slides".' };
  const slides: Slide[] = [];
  const problems: string[] = [];
  for (const [index, entry] of given.slice(0, MAX_SLIDES).entries()) {
    const slide = isRecord(entry) ? repairSlide(entry, defaults) : undefined;
    const cleaned = slide ? Value.Clean(Slide, structuredClone(slide)) : undefined;
    if (Value.Check(Slide, cleaned)) slides.push(cleaned);
    else
      problems.push(
        `slide ${index + 1} (${isRecord(entry) ? String(entry['kind'] ?? entry['type'] ?? 'no kind').slice(0, 40) : 'no object'}) is incomplete`,
      );
  }
  if (problems.length > 0) return { ok: false, problem: `${problems.slice(0, 5).join('; ')}.` };
  const title =
    plainText(text(root['title']) || (slides[0]?.kind === 'title' ? slides[0].title : '')) || defaults.title;
  if (slides[0]?.kind !== 'title')
    slides.unshift({ kind: 'title', title, ...(text(root['subtitle']) ? { subtitle: text(root['subtitle']) } : {}) });
  const deck: Deck = { title, locale: defaults.locale, slides };
  return Value.Check(Deck, deck) ? { ok: true, deck } : { ok: false, problem: 'The deck does not follow the schema.' };
}

function repairSlide(entry: Fields, defaults: DeckDefaults): unknown {
  const named = text(entry['kind'] ?? entry['type'] ?? entry['layout'])
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  const kind = KINDS[named] ?? named;
  const notes = text(entry['notes'] ?? entry['speaker_notes']);
  const base = { kind, title: plainText(text(entry['title'] ?? entry['heading'])), ...(notes ? { notes } : {}) };
  const lead = text(entry['lead']) ? { lead: text(entry['lead']) } : {};
  const subtitle = text(entry['subtitle']) ? { subtitle: text(entry['subtitle']) } : {};
  const points = list(entry['bullets'] ?? entry['points'] ?? entry['items'] ?? entry['content'] ?? entry['text']);
  const takeaway = text(entry['takeaway'] ?? entry['insight']);
  const { phrases } = defaults;
  switch (kind) {
    case 'title':
    case 'section':
      return { ...base, ...subtitle };
    case 'agenda':
      return { ...base, title: base.title || phrases.agenda, items: points.map(itemText).filter(Boolean) };
    case 'bullets':
      return { ...base, bullets: bulletsOf(points) };
    case 'columns': {
      const [left, right] = Array.isArray(entry['columns']) ? entry['columns'] : [entry['left'], entry['right']];
      return { ...base, left: columnOf(left), right: columnOf(right) };
    }
    case 'table': {
      const header = list(entry['header'] ?? entry['headers'] ?? entry['columns']).map(itemText);
      return {
        ...base,
        ...lead,
        header,
        rows: list(entry['rows'] ?? entry['data']).map(rowOf),
        ...(takeaway ? { takeaway } : {}),
      };
    }
    case 'chart':
      return { ...base, ...lead, ...chartOf(entry, defaults.locale), takeaway };
    case 'quote': {
      const said = text(entry['attribution'] ?? entry['author'] ?? entry['source']);
      return { ...base, text: text(entry['text'] ?? entry['quote']), ...(said ? { attribution: said } : {}) };
    }
    case 'code':
      return {
        ...base,
        ...lead,
        language: text(entry['language']),
        code: typeof entry['code'] === 'string' ? entry['code'] : '',
      };
    case 'formula':
      return { ...base, ...lead, formula: text(entry['formula'] ?? entry['latex']) };
    case 'image': {
      const image = Number(entry['image'] ?? entry['number']);
      const caption = text(entry['caption']);
      return image >= 1 && image <= defaults.imageCount
        ? { ...base, image, ...(caption ? { caption } : {}) }
        : undefined;
    }
    case 'references':
      return {
        ...base,
        title: base.title || phrases.references,
        items: points.map((item) => referenceOf(item, defaults.content)).filter((item) => item.text !== ''),
      };
    case 'closing':
      return { ...base, title: base.title || phrases.summary, points: points.map(itemText).filter(Boolean) };
    default:
      // A kind nobody knows with a list in it is still a list.
      return points.length > 0 ? { ...base, kind: 'bullets', bullets: bulletsOf(points) } : undefined;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}

function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'string'
    ? value
        .split('\n')
        .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, ''))
        .filter((line) => line.trim() !== '')
    : [];
}

function itemText(item: unknown): string {
  return isRecord(item) ? text(item['text'] ?? item['title'] ?? item['name'] ?? item['label']) : text(item);
}

function bulletsOf(items: unknown[]): Bullet[] {
  return items.flatMap((item): Bullet[] => {
    const value = itemText(item);
    if (value === '') return [];
    const level = isRecord(item) ? Math.min(2, Math.max(0, Math.trunc(Number(item['level'] ?? 0)) || 0)) : 0;
    const nested = isRecord(item) ? bulletsOf(list(item['bullets'] ?? item['children'] ?? item['sub'] ?? [])) : [];
    return [
      { text: value, ...(level > 0 ? { level } : {}) },
      ...nested.map((bullet) => ({ ...bullet, level: Math.min(2, level + 1 + (bullet.level ?? 0)) })),
    ];
  });
}

function columnOf(value: unknown): unknown {
  if (Array.isArray(value)) return { heading: '', bullets: bulletsOf(value) };
  if (!isRecord(value)) return undefined;
  return {
    heading: plainText(text(value['heading'] ?? value['title'])),
    bullets: bulletsOf(list(value['bullets'] ?? value['points'] ?? value['items'])),
  };
}

function rowOf(row: unknown): string[] {
  return (
    Array.isArray(row) ? row : isRecord(row) ? (Array.isArray(row['cells']) ? row['cells'] : Object.values(row)) : [row]
  ).map((cell: unknown) => itemText(cell));
}

function chartOf(entry: Fields, locale: string): Fields {
  const chart = /pie|doughnut|donut/i.test(text(entry['chart'] ?? entry['chart_type']))
    ? 'pie'
    : /line|area/i.test(text(entry['chart'] ?? entry['chart_type']))
      ? 'line'
      : 'bar';
  const categories = list(entry['categories'] ?? entry['labels']).map(itemText);
  const raw = Array.isArray(entry['series'])
    ? entry['series']
    : [{ name: entry['title'], values: entry['values'] ?? entry['data'] }];
  const numbers = raw.every((value: unknown) => typeof value === 'number')
    ? [{ name: entry['title'], values: raw }]
    : raw;
  const series = numbers.filter(isRecord).map((one) => ({
    name: plainText(text(one['name'] ?? one['label'])),
    values: (Array.isArray(one['values']) ? one['values'] : Array.isArray(one['data']) ? one['data'] : [])
      .slice(0, categories.length)
      .map((value: unknown) =>
        typeof value === 'number' && Number.isFinite(value)
          ? value
          : (parseNumberCell(text(value), locale)?.value ?? null),
      ),
  }));
  const isEmpty = series.every(({ values }) => values.every((value: number | null) => value === null));
  const unit = text(entry['unit']);
  return {
    chart,
    categories,
    series: isEmpty ? [] : chart === 'pie' ? series.slice(0, 1) : series,
    ...(unit ? { unit } : {}),
  };
}

/** An address the content does not hold was made up. */
function referenceOf(item: unknown, content: string): { text: string; url?: string } {
  const said = itemText(item);
  const url = isRecord(item) ? text(item['url'] ?? item['href']) : (/https?:\/\/[^\s<>)\]]+/.exec(said)?.[0] ?? '');
  const label = trimEnd(plainText(said.replace(url, '')).replace(/^\s*(?:\[\d+\]|\d+[.)])\s*/, ''), /[\s:–—-]/);
  const isKnown = /^https?:\/\//.test(url) && content.includes(url);
  return { text: label || (isKnown ? (URL.parse(url)?.hostname ?? url) : ''), ...(isKnown ? { url } : {}) };
}

import { withoutLastWord } from '../lib/trim.ts';
import { escapeMarkdown, plainText } from './inline.ts';
import type { Bullet, Deck, ImageReference, PlacedSlide, Slide } from './model.ts';
import { type Phrases, phrasesFor } from './phrases.ts';
import { type Block, readMarkdown, type Topic } from './read-markdown.ts';
import { linkReferences, type Reference, takeReferences } from './references.ts';
import { splitSentences, visibleLength } from './sentences.ts';
import { tableSlides } from './table-chart.ts';

const MAX_TITLE = 100;
/** A list of at least this many short items reads better in two columns. */
const COLUMN_ITEMS = 8;
const COLUMN_ITEM_LENGTH = 42;
/** Sections with at least this many slides get a slide of their own. */
const DIVIDED_SLIDES = 3;
const MAX_POINTS = 5;
const MAX_AGENDA = 69;
const MAX_POINT_LENGTH = 150;
const MAX_LEAD_LENGTH = 200;

interface Section {
  title: string;
  topics: Topic[];
}

/** Builds a deck from a document's own headings, lists, tables, quotes, code and images, without a language model. */
export function outlineDeck(content: string, locale: string): { deck: Deck; images: ImageReference[] } {
  const phrases = phrasesFor(locale);
  const { topics, images } = readMarkdown(content);
  const title = takeTitle(topics, phrases);
  const references = takeReferences(topics);
  const sections = groupSections(topics);
  const slides: PlacedSlide[] = [{ kind: 'title', title, notes: phrases.withoutModel }];
  const titled = sections.flatMap((section) => section.title || []);
  // What stands before the first section introduces the others.
  const introduction = titled.length > 0 ? phrases.overview : title;
  const bodies = sections.map((section) => sectionSlides(section, introduction, { locale, phrases, references }));
  const isBare = bodies.every((body) => body.length === 0);
  if (titled.length >= 2)
    slides.push({
      kind: 'agenda',
      title: isBare ? phrases.overview : phrases.agenda,
      items: agendaItems(titled),
    });
  for (const [index, body] of bodies.entries()) {
    const name = sections[index]!.title;
    const isDivided =
      name !== '' && titled.length >= 2 && !isBare && (body.length >= DIVIDED_SLIDES || body.length === 0);
    if (isDivided || (body.length === 0 && titled.length < 2 && name !== ''))
      slides.push({ kind: 'section', title: name, section: name });
    slides.push(...body.map((slide) => ({ ...slide, section: name })));
  }
  const all = references.length > 0 ? references : linkReferences(topics);
  if (all.length > 0) slides.push({ kind: 'references', title: phrases.references, items: all });
  const points = closingPoints(sections);
  if (points.length >= 2) slides.push({ kind: 'closing', title: phrases.summary, points });
  return { deck: { title, locale, slides }, images };
}

/** The sections by name; a document with hundreds is not listed in full. */
function agendaItems(titles: string[]): string[] {
  const shown = titles.slice(0, MAX_AGENDA).map(escapeMarkdown);
  return titles.length > MAX_AGENDA ? [...shown, `… (+${titles.length - MAX_AGENDA})`] : shown;
}

/** The first heading of the first level; without headings, the beginning of the text. */
function takeTitle(topics: Topic[], phrases: Phrases): string {
  const heading = topics.findIndex((topic) => topic.depth === 1);
  const first = heading >= 0 ? heading : topics.findIndex((topic) => topic.depth > 0);
  const isOnlyTop = heading >= 0 && !topics.slice(0, heading).some((topic) => topic.depth > 0);
  if (isOnlyTop) {
    const topic = topics[heading]!;
    const title = topic.title;
    topic.depth = 0;
    topic.title = '';
    if (title !== '') return title;
  } else if (first >= 0 && topics[first]!.title !== '') return topics[first]!.title;
  const block = topics[0]?.blocks[0];
  if (block?.type === 'points') {
    const [bullet] = block.bullets;
    const text = plainText(bullet!.text);
    if (text.length <= MAX_TITLE) {
      block.bullets.shift();
      if (block.bullets.length === 0) topics[0]!.blocks.shift();
      return text;
    }
    return `${withoutLastWord(text.slice(0, MAX_TITLE))} …`;
  }
  if (block?.type === 'table')
    return block.table.header.map(plainText).filter(Boolean).join(' · ').slice(0, MAX_TITLE) || phrases.overview;
  if (block?.type === 'quote') return plainText(block.text).slice(0, MAX_TITLE);
  return phrases.overview;
}

/** Sections are opened by the headings of the highest level there is. */
function groupSections(topics: Topic[]): Section[] {
  const depths = topics.flatMap((topic) => (topic.depth > 0 ? [topic.depth] : []));
  const top = Math.min(...depths);
  const sections: Section[] = [];
  for (const topic of topics) {
    if (topic.depth === top) sections.push({ title: topic.title, topics: [topic] });
    else if (sections.length > 0) sections.at(-1)!.topics.push(topic);
    else if (topic.blocks.length > 0 || topic.depth > 0) sections.push({ title: '', topics: [topic] });
  }
  return sections;
}

interface Setting {
  locale: string;
  phrases: Phrases;
  references: Reference[];
}

function sectionSlides(section: Section, deckTitle: string, setting: Setting): Slide[] {
  const slides: Slide[] = [];
  for (let index = 0; index < section.topics.length; index++) {
    const topic = section.topics[index]!;
    const next = section.topics[index + 1];
    const pair = next && columnPair(topic, next, section);
    if (pair) {
      slides.push({ ...pair, notes: notesOf(section, topic, setting) });
      index++;
      continue;
    }
    const title = topic.title || section.title || deckTitle;
    const own = topicSlides(title, topic, setting);
    // A heading with nothing under it is still said.
    if (own.length === 0 && index > 0 && topic.title !== '') slides.push({ kind: 'section', title: topic.title });
    const notes = notesOf(section, topic, setting);
    slides.push(...own.map((slide) => ({ ...slide, notes })));
  }
  return slides;
}

/** Two short lists side by side, each under its own heading: advantages and disadvantages. */
function columnPair(left: Topic, right: Topic, section: Section): Extract<Slide, { kind: 'columns' }> | undefined {
  const subtopics = section.topics.filter((topic) => topic !== section.topics[0]);
  if (subtopics.length !== 2 || left !== subtopics[0] || section.title === '') return undefined;
  const lists = [left, right].map((topic) => {
    const [block] = topic.blocks;
    const isShort =
      topic.blocks.length === 1 &&
      block?.type === 'points' &&
      block.bullets.length <= 6 &&
      block.bullets.every((bullet) => bullet.text.length <= 90);
    return isShort ? { heading: topic.title, bullets: block.bullets } : undefined;
  });
  const [first, second] = lists;
  if (!first || !second) return undefined;
  return { kind: 'columns', title: section.title, left: first, right: second };
}

function topicSlides(title: string, topic: Topic, setting: Setting): Slide[] {
  const slides: Slide[] = [];
  let lead: string | undefined;
  for (const [index, block] of topic.blocks.entries()) {
    const introduction = block.type === 'points' ? leadOf(block.bullets, topic.blocks[index + 1]) : undefined;
    if (introduction === undefined) slides.push(...blockSlides(title, block, lead, setting));
    lead = introduction;
  }
  return slides;
}

function blockSlides(title: string, block: Block, lead: string | undefined, { locale, phrases }: Setting): Slide[] {
  const led = lead === undefined ? {} : { lead };
  switch (block.type) {
    case 'points':
      return [pointsSlide(title, block.bullets)];
    case 'table': {
      const [first, ...rest] = tableSlides(title, block.table, locale, phrases);
      return first ? [{ ...first, ...led }, ...rest] : [];
    }
    case 'quote':
      return [
        { kind: 'quote', title, text: block.text, ...(block.attribution ? { attribution: block.attribution } : {}) },
      ];
    case 'code':
      return [{ kind: 'code', title, ...led, language: block.language, code: block.code }];
    case 'formula':
      return [{ kind: 'formula', title, ...led, formula: block.formula }];
    case 'image':
      return [{ kind: 'image', title, image: block.image, caption: block.caption }];
  }
}

/** A single short point before a table, code or a formula introduces it on the same slide. */
function leadOf(bullets: Bullet[], next: Block | undefined): string | undefined {
  const [only] = bullets;
  const isLeading = next?.type === 'table' || next?.type === 'code' || next?.type === 'formula';
  return isLeading && bullets.length === 1 && only && visibleLength(only.text) <= MAX_LEAD_LENGTH
    ? only.text
    : undefined;
}

function pointsSlide(title: string, bullets: Bullet[]): Slide {
  const isShortList =
    bullets.length >= COLUMN_ITEMS &&
    bullets.length <= COLUMN_ITEMS * 1.5 &&
    bullets.every((bullet) => !bullet.level && plainText(bullet.text).length <= COLUMN_ITEM_LENGTH);
  if (!isShortList) return { kind: 'bullets', title, bullets };
  const half = Math.ceil(bullets.length / 2);
  return {
    kind: 'columns',
    title,
    left: { heading: '', bullets: bullets.slice(0, half) },
    right: { heading: '', bullets: bullets.slice(half) },
  };
}

/** Where the slide comes from: its place in the document and the sources it cites. */
function notesOf(section: Section, topic: Topic, { phrases, references }: Setting): string {
  const path = [...new Set([section.title, topic.title])].filter(Boolean).join(' › ');
  const text = topic.blocks
    .map((block) => (block.type === 'points' ? block.bullets.map((bullet) => bullet.text).join(' ') : ''))
    .join(' ');
  const cited = new Set<string>();
  for (const match of text.matchAll(/\[\^?(\d{1,3})\](?!\()/g)) {
    const reference = references[Number(match[1]) - 1];
    if (reference) cited.add(`[${match[1]}] ${[reference.text, reference.url].filter(Boolean).join(' — ')}`);
  }
  for (const { text: label, url } of topic.links)
    if (/^https?:/i.test(url)) cited.add(label && label !== url ? `${label} — ${url}` : url);
  const lines = path ? [`${phrases.source}: ${path}`] : [];
  if (cited.size > 0) lines.push(`${phrases.sources}:`, ...[...cited].slice(0, 20));
  return lines.join('\n');
}

/** What the sections begin with, for the last slide; their titles alone where no section begins with a short sentence. */
function closingPoints(sections: Section[]): string[] {
  const titled = sections.filter(
    (section) => section.title !== '' && section.topics.some((topic) => topic.blocks.length > 0),
  );
  const points = titled.flatMap((section) => {
    const block = section.topics.flatMap((topic) => topic.blocks).find((candidate) => candidate.type === 'points');
    const lead = block?.type === 'points' ? splitSentences(block.bullets[0]!.text)[0] : undefined;
    const text = withoutMarks(lead ?? '');
    const isUsable = text !== '' && visibleLength(text) <= MAX_POINT_LENGTH && !/[:：]$/.test(text);
    return isUsable ? [`**${escapeMarkdown(section.title)}** – ${text}`] : [];
  });
  return (points.length >= 2 ? points : titled.map((section) => escapeMarkdown(section.title))).slice(0, MAX_POINTS);
}

function withoutMarks(markdown: string): string {
  return markdown.replace(/ ?\[\^?\d+\](?!\()/g, '').replace(/\*\*/g, '');
}

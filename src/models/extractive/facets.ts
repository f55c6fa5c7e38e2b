import type { Breathe } from './breathe.ts';
import type { QuoteSource } from './corpus.ts';
import { buildCorpus } from './corpus.ts';
import { capitalize, type SubQuestion, shorten, topicOf } from './decompose.ts';
import type { Quote } from './passage.ts';
import type { Phrases } from './phrases/model.ts';
import { buildQuery, selectQuotes } from './rank.ts';
import { hasCjk, termsOf, tokenize } from './terms.ts';

// Headings that name a place in a document rather than a topic.
const EMPTY_HEADING =
  /^(?:introduction|overview|summary|abstract|contents?|table of contents|references?|see also|external links|further reading|notes?|appendix|conclusions?|example|einleitung|überblick|inhalt|siehe auch|introducción|resumen|résumé|sommaire|引言|概述|目录|参考文献|はじめに|概要|目次)$/i;
const MAX_BACKGROUND = 12;

/** Sides of the question that the first sources open up: the sections that speak of it, then the words they use beside the question's. */
export async function findFacets(
  question: string,
  background: QuoteSource[],
  phrases: Phrases,
  breathe: Breathe,
): Promise<SubQuestion[]> {
  const corpus = await buildCorpus(background.slice(0, MAX_BACKGROUND), breathe);
  const query = buildQuery([question, 1]);
  const quotes = await selectQuotes(corpus, query, { limit: 30, used: new Set(), breathe, floor: 0.1 });
  const topic = topicOf(question);
  const known = new Set(query.keys());
  const taken: Set<string>[] = [known];
  const facets: SubQuestion[] = [];
  for (const section of sectionsOf(quotes)) {
    const terms = new Set(termsOf(section));
    if (terms.size === 0 || taken.some((other) => isSimilar(terms, other))) continue;
    taken.push(terms);
    facets.push({ title: capitalize(shorten(section)), query: `${section} ${topic}` });
  }
  const words = companions(quotes, new Set(taken.flatMap((set) => [...set])));
  if (words.length > 0) {
    const title = phrases.list(words.slice(0, 3));
    facets.push({ title: capitalize(title), query: `${words.slice(0, 3).join(' ')} ${topic}` });
  }
  return facets;
}

/** Names of the sections the quotes stand in, best first; a one-word heading is named with its document. */
function sectionsOf(quotes: Quote[]): string[] {
  const scores = new Map<string, number>();
  for (const quote of quotes) {
    const name = sectionName(quote);
    if (name.length < 3 || name.length > 90 || name.includes('://')) continue;
    // The best sentence of a section counts most; more of them show that the section is about the question.
    scores.set(name, Math.max(scores.get(name) ?? 0, quote.score) + (scores.has(name) ? quote.score * 0.3 : 0));
  }
  return [...scores].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

/** The name of a section as a step of a plan calls it. */
export function sectionName(place: { title: string; heading: string }): string {
  const document = plainName(lastSegment(place.title));
  const name = plainName(lastSegment(place.heading));
  if (name === '' || EMPTY_HEADING.test(name)) return document;
  const isBare = !hasCjk(name) && !name.includes(' ') && document !== '' && document !== name;
  return isBare ? `${document}: ${name}` : name;
}

function plainName(text: string): string {
  return text
    .replace(/[`*_[\]<>|]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function lastSegment(path: string): string {
  return path.split(/ [›>»] /).at(-1) ?? path;
}

/** Words, and pairs of neighbouring words, that several of the best sentences share and the question does not have. */
function companions(quotes: Quote[], known: Set<string>): string[] {
  const found = new Map<string, { surface: string; score: number }>();
  for (const quote of quotes) {
    const seen = new Set<string>();
    for (const phrase of phrasesIn(quote.text)) {
      if (seen.has(phrase.key) || phrase.terms.every((term) => known.has(term))) continue;
      seen.add(phrase.key);
      const entry = found.get(phrase.key) ?? { surface: phrase.surface, score: 0 };
      entry.score++;
      found.set(phrase.key, entry);
    }
  }
  const ranked = [...found.values()]
    .filter(({ score }) => score >= 2)
    .sort((a, b) => b.score - a.score || (a.surface < b.surface ? -1 : 1));
  const chosen: string[] = [];
  for (const { surface } of ranked) {
    const terms = new Set(termsOf(surface));
    if (chosen.every((other) => !isSimilar(terms, new Set(termsOf(other))))) chosen.push(surface);
    if (chosen.length === 3) break;
  }
  return chosen;
}

interface Phrase {
  key: string;
  surface: string;
  terms: string[];
}

function phrasesIn(text: string): Phrase[] {
  if (hasCjk(text)) return segmentedWords(text);
  const phrases: Phrase[] = [];
  const tokens = tokenize(text);
  for (const [index, token] of tokens.entries()) {
    // One word alone is rarely a topic; two side by side that come again are.
    if (!token.term || !/^\p{L}{3,}$/u.test(token.surface)) continue;
    const next = tokens[index + 1];
    const pair = `${token.surface} ${next?.surface}`;
    // Only words that really stand side by side, not across a comma or a back tick.
    if (next?.term && /^\p{L}{3,}$/u.test(next.surface) && text.includes(pair))
      phrases.push({ key: `${token.term} ${next.term}`, surface: pair.toLowerCase(), terms: [token.term, next.term] });
  }
  return phrases;
}

function segmentedWords(text: string): Phrase[] {
  const phrases: Phrase[] = [];
  for (const { segment, isWordLike } of new Intl.Segmenter('zh', { granularity: 'word' }).segment(text)) {
    const terms = termsOf(segment);
    if (isWordLike && segment.length >= 2 && terms.length > 0) phrases.push({ key: segment, surface: segment, terms });
  }
  return phrases;
}

function isSimilar(a: Set<string>, b: Set<string>): boolean {
  let shared = 0;
  for (const term of a) if (b.has(term)) shared++;
  return shared / a.size > 0.6;
}

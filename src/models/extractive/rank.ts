import type { Breathe } from './breathe.ts';
import type { Candidate, Corpus } from './corpus.ts';
import { type Quote, quotePassage, textOf } from './passage.ts';
import { readability } from './quotable.ts';
import { termsOf } from './terms.ts';

export interface SelectOptions {
  limit: number;
  /** Keys of sentences that already stand elsewhere; chosen ones are added. */
  used: Set<string>;
  breathe: Breathe;
  /** A factor for the score of sentences in a section. */
  favour?: (place: { title: string; heading: string }) => number;
  /** Share of the best score below which a sentence is no answer (default 0.22). */
  floor?: number;
  /** Lets a quote run on to the end of its paragraph, up to this length. */
  passageLength?: number;
}

/** Weights of the query's words by compared form. */
export type Query = Map<string, number>;

const K1 = 1.2;
const B = 0.4;
const AROUND_WEIGHT = 0.6;
const POOL = 80;
const RELEVANCE = 0.72;
const SAME = 0.72;
const MIN_COVERAGE = 0.22;
const FLOOR = 0.22;
const NEIGHBOUR = 0.35;
const MINOR = 0.3;
const RARE_SHARE = 0.27;

/** The words of the texts as a query; an earlier text's weight stands when a word comes again. */
export function buildQuery(...parts: [text: string, weight: number][]): Query {
  const query: Query = new Map();
  for (const [text, weight] of parts)
    for (const term of termsOf(text.slice(0, 4000))) if (!query.has(term)) query.set(term, weight);
  return query;
}

/**
 * The best quotes for a query: BM25 over sentences with the words of headings and title counted less, weighed by how
 * well a sentence reads alone, thinned by maximal marginal relevance.
 */
export async function selectQuotes(corpus: Corpus, query: Query, options: SelectOptions): Promise<Quote[]> {
  const scored: { candidate: Candidate; score: number }[] = [];
  const weights = weigh(corpus, query);
  const own = new Map<Candidate, number>();
  for (const candidate of corpus.candidates) {
    await options.breathe();
    const score = scoreSentence(corpus, candidate, weights);
    if (score > 0) own.set(candidate, score * favourOf(corpus, candidate, options));
  }
  for (const [candidate, score] of own) {
    scored.push({
      candidate,
      score: score + NEIGHBOUR * Math.max(own.get(candidate.previous!) ?? 0, own.get(candidate.next!) ?? 0),
    });
    // What follows a strong sentence in its paragraph explains it, even in other words.
    const next = candidate.next;
    if (next && !own.has(next))
      scored.push({ candidate: next, score: NEIGHBOUR * score * readability(textOf(corpus, next)) });
  }
  scored.sort(
    (a, b) => b.score - a.score || a.candidate.source - b.candidate.source || a.candidate.start - b.candidate.start,
  );
  const best = scored[0]?.score ?? 0;
  // A sentence far weaker than the best one is not an answer, only a shared word.
  const pool = scored
    .slice(0, POOL + options.used.size)
    .filter(({ score }) => score >= best * (options.floor ?? FLOOR));
  const chosen: typeof scored = [];
  const quotes: Quote[] = [];
  while (quotes.length < options.limit && pool.length > 0) {
    await options.breathe();
    const next = takeNext(pool, chosen, best);
    if (!next) break;
    const quote = quotePassage(corpus, next.candidate, next.score, options);
    if (!quote) continue;
    chosen.push(next);
    quotes.push(quote);
  }
  return quotes;
}

/** The share of the query's weight that the texts hold; 1 for a query without topic words. */
export function coverage(query: Query, texts: string[]): number {
  const present = new Set(texts.flatMap((text) => termsOf(text)));
  let have = 0;
  let all = 0;
  for (const [term, weight] of query) {
    all += weight;
    if (present.has(term)) have += weight;
  }
  return all === 0 ? 1 : have / all;
}

function favourOf(corpus: Corpus, candidate: Candidate, options: SelectOptions): number {
  const title = corpus.sources[candidate.source]?.title ?? '';
  return options.favour?.({ title, heading: candidate.heading }) ?? 1;
}

interface Weights {
  terms: Map<string, number>;
  /** Words of little weight: they order sentences but admit none. */
  minor: Set<string>;
  total: number;
  needed: number;
}

function weigh(corpus: Corpus, query: Query): Weights {
  const terms = new Map<string, number>();
  const minor = new Set<string>();
  let total = 0;
  for (const [term, weight] of query) {
    if (weight < MINOR) minor.add(term);
    const found = corpus.frequency.get(term) ?? 0;
    if (found === 0) continue;
    const value = weight * Math.log(1 + (corpus.candidates.length - found + 0.5) / (found + 0.5));
    terms.set(term, value);
    total += value;
  }
  // One shared word says little when the question has many, unless it is the rarest of them.
  return { terms, minor, total, needed: query.size - minor.size >= 4 ? 2 : 1 };
}

function scoreSentence(corpus: Corpus, candidate: Candidate, weights: Weights): number {
  let score = 0;
  let covered = 0;
  let direct = 0;
  let matches = 0;
  let strongest = 0;
  const lengthNorm = K1 * (1 - B + (B * candidate.length) / corpus.averageLength);
  for (const [term, weight] of weights.terms) {
    const times = candidate.terms.get(term) ?? 0;
    if (times > 0) {
      score += (weight * times * (K1 + 1)) / (times + lengthNorm);
      covered += weight;
      if (weights.minor.has(term)) continue;
      direct++;
      strongest = Math.max(strongest, weight);
      matches++;
    } else if (candidate.around.has(term)) {
      score += weight * AROUND_WEIGHT;
      covered += weight * AROUND_WEIGHT;
      if (candidate.section.has(term)) matches++;
    } else if (candidate.previous?.terms.has(term)) {
      score += weight * 0.15;
      covered += weight * 0.2;
    }
  }
  const share = weights.total > 0 ? covered / weights.total : 0;
  const isAbout = matches >= weights.needed || strongest >= weights.total * RARE_SHARE;
  if (direct === 0 || !isAbout || share < MIN_COVERAGE) return 0;
  const place = candidate.position === 0 ? 1.1 : 1;
  const rank = 1 + 0.3 / (1 + candidate.source);
  return score * (0.4 + 0.6 * share) * place * rank * readability(textOf(corpus, candidate));
}

function takeNext<T extends { candidate: Candidate; score: number }>(
  pool: T[],
  chosen: T[],
  best: number,
): T | undefined {
  let top = -1;
  let topValue = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < pool.length; i++) {
    const entry = pool[i] as T;
    let closest = 0;
    for (const other of chosen) closest = Math.max(closest, overlap(entry.candidate, other.candidate));
    if (closest > SAME) {
      pool.splice(i--, 1);
      continue;
    }
    const value = (RELEVANCE * entry.score) / best - (1 - RELEVANCE) * closest;
    if (value > topValue) {
      topValue = value;
      top = i;
    }
  }
  return top < 0 ? undefined : pool.splice(top, 1)[0];
}

function overlap(a: Candidate, b: Candidate): number {
  const [small, large] = a.terms.size < b.terms.size ? [a.terms, b.terms] : [b.terms, a.terms];
  if (small.size === 0) return 0;
  let shared = 0;
  for (const term of small.keys()) if (large.has(term)) shared++;
  return shared / small.size;
}

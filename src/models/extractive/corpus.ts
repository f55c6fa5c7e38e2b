import { splitSentences } from '../../text/sentences.ts';
import { splitBlocks } from './blocks.ts';
import type { Breathe } from './breathe.ts';
import { isQuotable } from './quotable.ts';
import { termsOf } from './terms.ts';

/** A text that may be quoted. */
export interface QuoteSource {
  title: string;
  url: string;
  content: string;
}

/** A sentence that may be quoted, with what is needed to rank it. */
export interface Candidate {
  /** Index into `Corpus.sources`. */
  source: number;
  start: number;
  end: number;
  /** Occurrences of each topic word. */
  terms: Map<string, number>;
  length: number;
  /** Topic words of the headings above and of the source's title. */
  around: ReadonlySet<string>;
  /** Topic words of the nearest heading, or of the title when there is none. */
  section: ReadonlySet<string>;
  heading: string;
  /** 0 for the first sentence of its paragraph. */
  position: number;
  /** The sentence before it in the same paragraph. */
  previous: Candidate | undefined;
  /** The sentence after it in the same paragraph. */
  next: Candidate | undefined;
}

/** Sentences of several sources with their document frequencies. */
export interface Corpus {
  sources: QuoteSource[];
  candidates: Candidate[];
  frequency: Map<string, number>;
  averageLength: number;
}

// A source longer than this is read to here: the engine must not spend seconds on one hostile page.
const MAX_SOURCE_CHARACTERS = 400_000;
const MAX_CANDIDATES = 40_000;

/** Reads the sources into rankable sentences; a sentence that stands in several sources is kept once. */
export async function buildCorpus(sources: QuoteSource[], breathe: Breathe): Promise<Corpus> {
  const candidates: Candidate[] = [];
  const frequency = new Map<string, number>();
  const seen = new Set<string>();
  let total = 0;
  for (const [index, source] of sources.entries()) {
    const text = source.content.slice(0, MAX_SOURCE_CHARACTERS);
    const titleTerms = new Set(termsOf(source.title.slice(0, 300)));
    const places = new Map<string, Pick<Candidate, 'around' | 'section'>>();
    for (const block of splitBlocks(text)) {
      let position = -1;
      let previous: Candidate | undefined;
      for (const { start, end } of splitSentences(text, block.start, block.end)) {
        await breathe();
        if (candidates.length >= MAX_CANDIDATES) break;
        position++;
        const sentence = text.slice(start, end);
        const key = isQuotable(sentence) ? sentenceKey(sentence) : '';
        if (key === '' || seen.has(key)) {
          previous = undefined;
          continue;
        }
        seen.add(key);
        let place = places.get(block.heading);
        if (!place) {
          const headingTerms = termsOf(block.heading);
          const nearest = termsOf(block.heading.split(' › ').at(-1) ?? '');
          const section = nearest.length > 0 ? new Set(nearest) : titleTerms;
          place = { around: new Set([...titleTerms, ...headingTerms]), section };
          places.set(block.heading, place);
        }
        const terms = new Map<string, number>();
        let length = 0;
        for (const term of termsOf(sentence)) {
          length++;
          terms.set(term, (terms.get(term) ?? 0) + 1);
        }
        if (length === 0) {
          previous = undefined;
          continue;
        }
        for (const term of terms.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1);
        total += length;
        const candidate: Candidate = {
          source: index,
          start,
          end,
          terms,
          length,
          ...place,
          heading: block.heading,
          position,
          previous,
          next: undefined,
        };
        if (previous) previous.next = candidate;
        previous = candidate;
        candidates.push(candidate);
      }
    }
    await breathe();
  }
  return { sources, candidates, frequency, averageLength: candidates.length ? total / candidates.length : 1 };
}

/** What makes two sentences the same for a reader: the words, whatever the spacing, case and marks. */
export function sentenceKey(sentence: string): string {
  return sentence
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

import { type Candidate, type Corpus, sentenceKey } from './corpus.ts';
import { isQuotable, LEANS_BACK } from './quotable.ts';

/** A passage that stands in its source exactly as written here. */
export interface Quote {
  text: string;
  title: string;
  url: string;
  heading: string;
  score: number;
}

export interface PassageOptions {
  /** Keys of sentences that already stand elsewhere; those of the passage are added. */
  used: Set<string>;
  /** Lets the passage run on to the end of its paragraph, up to this many characters. */
  passageLength?: number;
}

/**
 * The slice of the source around a sentence: with the one before when it leans on it, and with those that follow in the
 * same paragraph when a longer passage is wanted. Undefined when the sentence already stands elsewhere.
 */
export function quotePassage(
  corpus: Corpus,
  candidate: Candidate,
  score: number,
  options: PassageOptions,
): Quote | undefined {
  const source = corpus.sources[candidate.source];
  if (!source || !take(corpus, candidate, options.used)) return undefined;
  let { start, end } = candidate;
  const before = candidate.previous;
  if (before && LEANS_BACK.test(source.content.slice(start, end))) {
    const isFit = isQuotable(source.content.slice(before.start, end), options.passageLength);
    if (isFit && take(corpus, before, options.used)) start = before.start;
  }
  for (let next = candidate.next; next && options.passageLength; next = next.next) {
    if (!isQuotable(source.content.slice(start, next.end), options.passageLength)) break;
    if (!take(corpus, next, options.used)) break;
    end = next.end;
  }
  return {
    text: source.content.slice(start, end),
    title: source.title,
    url: source.url,
    heading: candidate.heading,
    score,
  };
}

/** The sentence as it stands in its source. */
export function textOf(corpus: Corpus, candidate: Candidate): string {
  return corpus.sources[candidate.source]?.content.slice(candidate.start, candidate.end) ?? '';
}

function take(corpus: Corpus, candidate: Candidate, used: Set<string>): boolean {
  const key = sentenceKey(textOf(corpus, candidate));
  if (used.has(key)) return false;
  used.add(key);
  return true;
}

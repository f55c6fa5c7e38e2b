import { STOP_WORDS } from '../text/stop-words.ts';

const CJK_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}ー]+/gu;
const WORD = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu;
const NOT_ASCII = /[^\x00-\x7f]/;
const BROKEN_WORD = /(\p{L})-\n\s*(?=\p{Ll})/gu;
const MAX_QUERY_CHARACTERS = 4_000;
const MAX_QUERY_TERMS = 48;

/**
 * The text as the full-text index gets it: words broken at a line end are joined, compatibility forms folded, and runs of
 * CJK characters become their bigrams plus the last character, so that words of one and two characters are found.
 */
export function toIndexText(text: string): string {
  const joined = text.replace(BROKEN_WORD, '$1');
  if (!NOT_ASCII.test(joined)) return joined;
  return joined
    .replaceAll('\u00ad', '')
    .normalize('NFKC')
    .replace(CJK_RUN, (run) => {
      const characters = Array.from(run);
      return ` ${[...bigrams(characters), characters.at(-1)].join(' ')} `;
    });
}

/**
 * The FTS5 terms of a question, each quoted so that no operator of the query language can come through, distinct and
 * without stop words (unless nothing else is left). Empty when the text holds no word.
 */
export function toQueryTerms(query: string): string[] {
  const words = query.slice(0, MAX_QUERY_CHARACTERS).normalize('NFKC').toLowerCase();
  const terms = new Set<string>();
  const stopped = new Set<string>();
  for (const [word] of words.matchAll(WORD)) {
    for (const term of splitWord(word)) (STOP_WORDS.en.has(term) ? stopped : terms).add(quote(term));
    if (terms.size >= MAX_QUERY_TERMS) break;
  }
  return [...(terms.size > 0 ? terms : stopped)].slice(0, MAX_QUERY_TERMS);
}

function* splitWord(word: string): Generator<string> {
  let from = 0;
  for (const match of word.matchAll(CJK_RUN)) {
    if (match.index > from) yield word.slice(from, match.index);
    const characters = Array.from(match[0]);
    if (characters.length === 1) yield `${match[0]}*`;
    else yield* bigrams(characters);
    from = match.index + match[0].length;
  }
  if (from < word.length) yield word.slice(from);
}

function bigrams(characters: string[]): string[] {
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** A trailing `*` (a lone CJK character) stays outside the quotes: it asks FTS5 for a prefix. */
function quote(term: string): string {
  return term.endsWith('*') ? `"${term.slice(0, -1)}"*` : `"${term}"`;
}

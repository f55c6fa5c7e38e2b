import { fail } from '../../errors.ts';
import { badAnswer, createEngine, type EngineNeeds, endpoint } from '../engine.ts';
import type { RawResult } from '../results.ts';
import type { SearchEngine } from '../search.ts';

const LABEL = 'arXiv';
const MAX_TERMS = 12;
/** Words that find everything, and the query language's own operators. */
const IGNORED = new Set(
  'a an and andnot are as at by do does for from how in is it of on or that the this to was what when where which who why with'.split(
    ' ',
  ),
);

/** arXiv preprints. Source: info.arxiv.org/help/api/user-manual, `GET /api/query` (Atom). */
export function createArxiv(needs: EngineNeeds): SearchEngine {
  return createEngine(
    {
      name: 'arxiv',
      label: LABEL,
      maxResults: 100,
      maxQueryLength: 500,
      request: (query, maxResults) => ({
        url: endpoint(needs.config.arxiv.base_url, '/api/query', {
          search_query: toSearchQuery(query),
          start: '0',
          max_results: String(maxResults),
          sortBy: 'relevance',
          sortOrder: 'descending',
        }),
        headers: { accept: 'application/atom+xml' },
      }),
      parse: parseFeed,
    },
    needs,
  );
}

/** The words of a question joined by OR: relevance brings the entries with most of them to the top. */
function toSearchQuery(query: string): string {
  const words = query.match(/[\p{L}\p{N}]+(?:[-.'][\p{L}\p{N}]+)*/gu) ?? [];
  const terms = words.filter((word) => !IGNORED.has(word.toLowerCase()));
  const used = (terms.length > 0 ? terms : words).slice(0, MAX_TERMS);
  return used.map((word) => `all:"${word}"`).join(' OR ') || 'all:""';
}

async function parseFeed(xml: string): Promise<RawResult[]> {
  if (!/<feed[\s>]/.test(xml)) throw badAnswer(LABEL);
  const { DOMParser } = await import('linkedom');
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  return [...document.querySelectorAll('entry')].map((entry) => {
    const text = (tag: string) => entry.querySelector(tag)?.textContent ?? '';
    const id = text('id').trim();
    // Errors come as an entry, not as a status.
    if (/\/api\/errors/.test(id)) throw fail('upstream_rejected', `${LABEL} refused the query.`);
    return {
      title: text('title'),
      url: id.replace(/^http:\/\/arxiv\.org\//, 'https://arxiv.org/'),
      content: text('summary'),
    };
  });
}

import { badAnswer, createEngine, type EngineNeeds, endpoint, readList } from '../engine.ts';
import type { RawResult } from '../results.ts';
import type { SearchEngine } from '../search.ts';

/**
 * SearXNG. Source: docs.searxng.org/dev/search_api, `GET /search?format=json`; the instance must list `json` among its
 * formats, else it answers 403.
 */
export function createSearx(needs: EngineNeeds, baseUrl: string): SearchEngine {
  return createEngine(
    {
      name: 'searx',
      label: 'SearXNG',
      // A page of results; the number cannot be asked for.
      maxResults: 50,
      maxQueryLength: 2048,
      request: (query) => ({
        url: endpoint(baseUrl.replace(/\/search\/?$/, ''), '/search', { q: query, format: 'json' }),
        headers: { accept: 'application/json' },
      }),
      parse: (answer) => {
        const results = readList('SearXNG', answer, 'results');
        if (results.length === 0 && readUnresponsive(answer) > 0)
          throw badAnswer('SearXNG', 'reached none of its own engines');
        return withRelevance(results);
      },
    },
    needs,
  );
}

function readUnresponsive(answer: string): number {
  const engines = (JSON.parse(answer) as { unresponsive_engines?: unknown }).unresponsive_engines;
  return Array.isArray(engines) ? engines.length : 0;
}

/** SearXNG's scores have no upper bound; relative to the best hit they fit 0–1. */
function withRelevance(results: RawResult[]): RawResult[] {
  const best = Math.max(1, ...results.map(({ score }) => (typeof score === 'number' ? score : 0)));
  return results.map(({ title, url, content, score }) => ({
    title,
    url,
    content,
    ...(typeof score === 'number' ? { score: score / best } : {}),
  }));
}

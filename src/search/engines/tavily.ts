import { createEngine, type EngineNeeds, endpoint, readList } from '../engine.ts';
import type { SearchEngine } from '../search.ts';

/** Tavily. Source: docs.tavily.com, `POST /search`; queries over 400 characters are refused. */
export function createTavily(needs: EngineNeeds, apiKey: string): SearchEngine {
  return createEngine(
    {
      name: 'tavily',
      label: 'Tavily',
      maxResults: 20,
      maxQueryLength: 400,
      request: (query, maxResults) => ({
        url: endpoint(needs.config.tavily.base_url, '/search'),
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, max_results: maxResults, search_depth: 'basic' }),
      }),
      parse: (answer) => readList('Tavily', answer, 'results'),
    },
    needs,
  );
}

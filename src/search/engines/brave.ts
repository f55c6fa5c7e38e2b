import { createEngine, type EngineNeeds, endpoint, readList } from '../engine.ts';
import type { SearchEngine } from '../search.ts';

const MAX_WORDS = 50;

/** Brave Search. Source: api-dashboard.search.brave.com, `GET /res/v1/web/search`; at most 400 characters and 50 words. */
export function createBrave(needs: EngineNeeds, apiKey: string): SearchEngine {
  return createEngine(
    {
      name: 'brave_search',
      label: 'Brave Search',
      maxResults: 20,
      maxQueryLength: 400,
      request: (query, maxResults) => ({
        url: endpoint(needs.config.brave_search.base_url, '/res/v1/web/search', {
          q: query.split(' ').slice(0, MAX_WORDS).join(' '),
          count: String(maxResults),
        }),
        headers: { 'x-subscription-token': apiKey, accept: 'application/json' },
      }),
      parse: (answer) =>
        readList('Brave Search', answer, 'web', 'results').map(({ title, url, description, extra_snippets }) => ({
          title,
          url,
          content: [description, ...(Array.isArray(extra_snippets) ? extra_snippets : [])].filter(Boolean).join(' '),
        })),
    },
    needs,
  );
}

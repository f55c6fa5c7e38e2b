import { createEngine, type EngineNeeds, endpoint, readList } from '../engine.ts';
import type { SearchEngine } from '../search.ts';

/** Serper (Google results). Source: serper.dev, `POST /search`. */
export function createSerper(needs: EngineNeeds, apiKey: string): SearchEngine {
  return createEngine(
    {
      name: 'serper',
      label: 'Serper',
      maxResults: 100,
      maxQueryLength: 2048,
      request: (query, maxResults) => ({
        url: endpoint(needs.config.serper.base_url, '/search'),
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ q: query, num: maxResults }),
      }),
      parse: (answer) =>
        readList('Serper', answer, 'organic').map(({ title, link, snippet }) => ({
          title,
          url: link,
          content: snippet,
        })),
    },
    needs,
  );
}

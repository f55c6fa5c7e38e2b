import { fail } from '../../errors.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { createEngine, type EngineNeeds, endpoint, readList } from '../engine.ts';
import type { SearchEngine } from '../search.ts';

const LABEL = 'Wikipedia';

/** Wikipedia articles with their introductions. Source: mediawiki.org/wiki/API:Search and Extension:TextExtracts. */
export function createWikipedia(needs: EngineNeeds): SearchEngine {
  return createEngine(
    {
      name: 'wikipedia',
      label: LABEL,
      // `exlimit` gives no more introductions at once.
      maxResults: 20,
      maxQueryLength: 300,
      request: (query, maxResults) => ({
        url: endpoint(needs.config.wikipedia.base_url, '/w/api.php', {
          action: 'query',
          format: 'json',
          formatversion: '2',
          generator: 'search',
          gsrsearch: query,
          gsrlimit: String(maxResults),
          prop: 'extracts|info',
          exintro: '1',
          explaintext: '1',
          exlimit: String(maxResults),
          inprop: 'url',
        }),
        headers: { accept: 'application/json' },
      }),
      parse: (answer) => {
        refuseError(answer);
        const rank = (page: Record<string, unknown>) => Number(page['index'] ?? 0);
        return readList(LABEL, answer, 'query', 'pages')
          .sort((a, b) => rank(a) - rank(b))
          .map(({ title, fullurl, extract }) => ({ title, url: fullurl, content: extract }));
      },
    },
    needs,
  );
}

/** The API reports its errors with status 200. */
function refuseError(answer: string): void {
  const parsed = parseJson(answer);
  const error = isRecord(parsed) ? parsed['error'] : undefined;
  if (!isRecord(error)) return;
  if (error['code'] === 'ratelimited' || error['code'] === 'maxlag')
    throw fail('upstream_rate_limited', `${LABEL} limits the rate of requests.`);
  throw fail('upstream_rejected', `${LABEL} refused the query.`);
}

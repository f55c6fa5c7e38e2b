import { fail } from '../../errors.ts';
import { badAnswer, createEngine, type EngineNeeds, endpoint } from '../engine.ts';
import type { RawResult } from '../results.ts';
import type { SearchEngine } from '../search.ts';

const LABEL = 'DuckDuckGo';
/** Marks of the page that asks for proof of being human; it comes with status 200 or 202. */
const CHALLENGE = /anomaly-modal|anomaly\.js|id="challenge-form"|g-recaptcha/i;

/** DuckDuckGo's page for browsers without JavaScript: no key, but it turns automated callers away now and then. */
export function createDuckDuckGo(needs: EngineNeeds): SearchEngine {
  return createEngine(
    {
      name: 'duckduckgo',
      label: LABEL,
      maxResults: 30,
      maxQueryLength: 499,
      request: (query) => ({
        url: endpoint(needs.config.duckduckgo.base_url.replace(/\/html\/?$/, ''), '/html/'),
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'text/html',
          'accept-language': 'en-US,en;q=0.9',
          'user-agent': 'Mozilla/5.0 (compatible; agent/1.0)',
        },
        body: new URLSearchParams({ q: query, b: '', kl: '' }).toString(),
      }),
      parse: parseResultPage,
    },
    needs,
  );
}

async function parseResultPage(html: string): Promise<RawResult[]> {
  if (CHALLENGE.test(html)) throw fail('upstream_rate_limited', `${LABEL} asks for proof that a human is searching.`);
  const { parseHTML } = await import('linkedom');
  const { document } = parseHTML(html);
  const results: RawResult[] = [];
  for (const block of [...document.querySelectorAll('.result')]) {
    if (block.classList.contains('result--ad')) continue;
    const link = block.querySelector('a.result__a');
    const url = link && unwrap(link.getAttribute('href') ?? '');
    if (!url) continue;
    results.push({
      title: link.innerHTML,
      url,
      content: block.querySelector('.result__snippet')?.innerHTML ?? '',
    });
  }
  // A page with neither hits nor the note that there are none is not a result page.
  if (results.length === 0 && !document.querySelector('.no-results, .result--no-result')) throw badAnswer(LABEL);
  return results;
}

/** The target behind `//duckduckgo.com/l/?uddg=…`; undefined for an advertisement's counter (`/y.js`). */
function unwrap(href: string): string | undefined {
  const url = URL.parse(href, 'https://duckduckgo.com/');
  if (!url) return undefined;
  if (!/(^|\.)duckduckgo\.com$/.test(url.hostname)) return url.href;
  return url.searchParams.get('uddg') ?? undefined;
}

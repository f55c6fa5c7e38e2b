import { describe, expect, test } from 'bun:test';
import { SearchSection } from '../../src/config/sections/sources.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type Static, Value } from '../../src/schema.ts';
import type { EngineNeeds } from '../../src/search/engine.ts';
import { createArxiv } from '../../src/search/engines/arxiv.ts';
import { createBrave } from '../../src/search/engines/brave.ts';
import { createDuckDuckGo } from '../../src/search/engines/duckduckgo.ts';
import { createSearx } from '../../src/search/engines/searx.ts';
import { createSerper } from '../../src/search/engines/serper.ts';
import { createTavily } from '../../src/search/engines/tavily.ts';
import { createWikipedia } from '../../src/search/engines/wikipedia.ts';
import type { SearchEngine } from '../../src/search/search.ts';
import { type Hit, type SearchContract, searchContract } from '../contract/search.ts';

type SearchConfig = Static<typeof SearchSection>;
const DEFAULTS = Value.Default(SearchSection, {}) as SearchConfig;
const KEY = 'key-hunter2';
const never = new AbortController().signal;

/** Builds an engine whose base URL is the given one. */
const creator =
  (
    section: 'tavily' | 'brave_search' | 'serper' | 'duckduckgo' | 'arxiv' | 'wikipedia' | 'searx',
    build: (needs: EngineNeeds, baseUrl: string) => SearchEngine,
  ): SearchContract['create'] =>
  (baseUrl, { timeoutSeconds, clock }) =>
    build(
      { config: { ...DEFAULTS, timeout_seconds: timeoutSeconds, [section]: { base_url: baseUrl } }, fetch, clock },
      baseUrl,
    );

const notJson: SearchContract['badAnswers'] = [
  ['a page', () => new Response('<html>Welcome to the hotel Wi-Fi</html>')],
  ['a cut-off answer', () => new Response('{"results": [{"title": "a"')],
  ['nothing', () => new Response('')],
  ['a bare list', () => Response.json([])],
];

const path = (request: Request) => new URL(request.url).pathname;
const parameters = (request: Request) => Object.fromEntries(new URL(request.url).searchParams);
const escapeXml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

searchContract({
  label: 'Tavily',
  secret: KEY,
  create: creator('tavily', (needs) => createTavily(needs, KEY)),
  expectRequest: (request, body, query, maxResults) => {
    expect([request.method, path(request)]).toEqual(['POST', '/search']);
    expect(request.headers.get('authorization')).toBe(`Bearer ${KEY}`);
    expect(JSON.parse(body)).toMatchObject({ query, max_results: maxResults });
  },
  answer: (hits) =>
    Response.json({
      query: 'q',
      answer: null,
      images: [],
      results: hits.map((hit) => ({ ...hit, score: 0.83, raw_content: null })),
      response_time: 0.5,
    }),
  badAnswers: [...notJson, ['results of another kind', () => Response.json({ results: 'none' })]],
});

searchContract({
  label: 'Brave Search',
  secret: KEY,
  create: creator('brave_search', (needs) => createBrave(needs, KEY)),
  expectRequest: (request, _body, query, maxResults) => {
    expect([request.method, path(request)]).toEqual(['GET', '/res/v1/web/search']);
    expect(request.headers.get('x-subscription-token')).toBe(KEY);
    expect(request.headers.get('accept')).toBe('application/json');
    expect(parameters(request)).toEqual({ q: query, count: String(maxResults) });
  },
  answer: (hits) =>
    Response.json({
      type: 'search',
      // Brave leaves `web` out when nothing was found.
      ...(hits.length
        ? { web: { results: hits.map(({ title, url, content }) => ({ title, url, description: content })) } }
        : {}),
    }),
  badAnswers: notJson,
});

searchContract({
  label: 'Serper',
  secret: KEY,
  create: creator('serper', (needs) => createSerper(needs, KEY)),
  expectRequest: (request, body, query, maxResults) => {
    expect([request.method, path(request)]).toEqual(['POST', '/search']);
    expect(request.headers.get('x-api-key')).toBe(KEY);
    expect(JSON.parse(body)).toEqual({ q: query, num: maxResults });
  },
  answer: (hits) =>
    Response.json({
      searchParameters: { q: 'q' },
      organic: hits.map(({ title, url, content }, index) => ({
        title,
        link: url,
        snippet: content,
        position: index + 1,
      })),
    }),
  badAnswers: notJson,
});

searchContract({
  label: 'SearXNG',
  create: creator('searx', createSearx),
  expectRequest: (request, _body, query) => {
    expect([request.method, path(request)]).toEqual(['GET', '/search']);
    expect(parameters(request)).toEqual({ q: query, format: 'json' });
  },
  answer: (hits) =>
    Response.json({
      query: 'q',
      number_of_results: 0,
      results: hits.map((hit, index) => ({ ...hit, engine: 'x', score: 9 - index })),
    }),
  badAnswers: [
    ...notJson,
    [
      'engines that did not respond',
      () => Response.json({ results: [], unresponsive_engines: [['google', 'timeout']] }),
    ],
  ],
});

const duckPage = (body: string) =>
  new Response(
    `<!DOCTYPE html><html><head><title>q at DuckDuckGo</title></head><body><div id="links" class="results">${body}</div></body></html>`,
  );
const duckHit = ({ title, url, content }: Hit) => `
  <div class="result results_links results_links_deep web-result "><div class="links_main links_deep result__body">
  <h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}&amp;rut=0f3a">${title}</a></h2>
  <div class="result__extras"><a class="result__url" href="#"> example.com </a></div>
  <a class="result__snippet" href="#">${content}</a></div></div>`;

searchContract({
  label: 'DuckDuckGo',
  create: creator('duckduckgo', createDuckDuckGo),
  expectRequest: (request, body, query) => {
    expect([request.method, path(request)]).toEqual(['POST', '/html/']);
    expect(request.headers.get('content-type')).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({ q: query, b: '', kl: '' });
  },
  answer: (hits) =>
    duckPage(
      hits.length
        ? hits.map(duckHit).join('')
        : '<div class="result results_links result--no-result"><div class="no-results">No results.</div></div>',
    ),
  badAnswers: [
    [
      'a challenge',
      () => new Response('<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>'),
      'upstream_rate_limited',
    ],
    [
      'a challenge with status 202',
      () => new Response('<form id="challenge-form" action="//duckduckgo.com/anomaly.js">', { status: 202 }),
      'upstream_rate_limited',
    ],
    ['a page of another layout', () => duckPage('<p>We changed everything</p>')],
    ['nothing', () => new Response('')],
  ],
});

const atom = (entries: string) =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://arxiv.org/api/query" rel="self" type="application/atom+xml"/>
<title type="html">ArXiv Query</title><id>http://arxiv.org/api/x</id><updated>2026-01-01T00:00:00-05:00</updated>
<opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">1</opensearch:totalResults>${entries}</feed>`);
const atomEntry = ({ title, url, content }: Hit) =>
  `<entry><id>${escapeXml(url)}</id><published>2020-01-01T00:00:00Z</published><title>${escapeXml(title)}</title>
  <summary>  ${escapeXml(content)}\n</summary><author><name>A. Author</name></author>
  <link href="${escapeXml(url)}" rel="alternate" type="text/html"/><category term="cs.AI"/></entry>`;

searchContract({
  label: 'arXiv',
  create: creator('arxiv', createArxiv),
  expectRequest: (request, _body, _query, maxResults) => {
    expect([request.method, path(request)]).toEqual(['GET', '/api/query']);
    expect(parameters(request)).toMatchObject({
      search_query: 'all:"rivers" OR all:"lakes" OR all:"Europe"',
      start: '0',
      max_results: String(maxResults),
    });
  },
  answer: (hits) => atom(hits.map(atomEntry).join('')),
  badAnswers: [
    [
      'an error entry',
      () => atom(atomEntry({ title: 'Error', url: 'http://arxiv.org/api/errors#bad', content: 'x' })),
      'upstream_rejected',
    ],
    ['a page', () => new Response('<html>Rate exceeded.</html>')],
    ['nothing', () => new Response('')],
  ],
});

searchContract({
  label: 'Wikipedia',
  create: creator('wikipedia', createWikipedia),
  expectRequest: (request, _body, query, maxResults) => {
    expect([request.method, path(request)]).toEqual(['GET', '/w/api.php']);
    expect(request.headers.get('user-agent')).toContain('agent');
    expect(parameters(request)).toMatchObject({
      action: 'query',
      generator: 'search',
      gsrsearch: query,
      gsrlimit: String(maxResults),
      exlimit: String(maxResults),
      format: 'json',
      formatversion: '2',
    });
  },
  // The API orders pages by id; `index` holds the rank.
  answer: (hits) =>
    Response.json({
      batchcomplete: true,
      ...(hits.length
        ? {
            query: {
              pages: hits
                .map(({ title, url, content }, index) => ({
                  pageid: 90 - index,
                  ns: 0,
                  title,
                  index: index + 1,
                  extract: content,
                  fullurl: url,
                }))
                .reverse(),
            },
          }
        : {}),
    }),
  badAnswers: [
    ...notJson,
    [
      'an error object',
      () => Response.json({ error: { code: 'cirrussearch-query-too-long', info: 'x' } }),
      'upstream_rejected',
    ],
    ['a rate limit', () => Response.json({ error: { code: 'ratelimited', info: 'x' } }), 'upstream_rate_limited'],
  ],
});

describe('what engines do beyond the suite', () => {
  const answered = async (
    build: (needs: EngineNeeds, baseUrl: string) => SearchEngine,
    response: () => Response,
    query = 'q',
    maxResults = 5,
  ) => {
    const urls: URL[] = [];
    const needs: EngineNeeds = {
      config: DEFAULTS,
      clock: systemClock,
      fetch: (async (input: URL) => {
        urls.push(input);
        return response();
      }) as unknown as typeof fetch,
    };
    const results = await build(needs, 'https://searx.example/sub/search').search(query, { maxResults, signal: never });
    return { results, url: urls[0] as URL };
  };

  test('snippets lose their markup and keep their meaning', async () => {
    const { results } = await answered(
      (needs) => createBrave(needs, KEY),
      () =>
        Response.json({
          web: {
            results: [
              {
                title: 'AT&amp;T &mdash; <strong>rivers</strong> &#x1F30A;',
                url: 'https://example.com/',
                description:
                  'The <strong>Rhine</strong><br>flows&nbsp;&lt;fast&gt; in a Map<String> <script>bad()</script>.',
                extra_snippets: ['More.'],
              },
            ],
          },
        }),
    );
    expect(results[0]).toMatchObject({
      title: 'AT&T — rivers 🌊',
      content: 'The Rhine flows <fast> in a Map<String> . More.',
    });
  });

  test('broken fields do not break the list', async () => {
    const { results } = await answered(
      (needs) => createTavily(needs, KEY),
      () =>
        Response.json({
          results: [null, 'x', { url: 7 }, { url: 'https://example.com/', title: null, content: 5, score: 70 }],
        }),
    );
    expect(results).toEqual([{ type: 'page', title: 'example.com', url: 'https://example.com/', content: '' }]);
  });

  test('advertisements of DuckDuckGo are dropped', async () => {
    const ad = duckHit({ title: 'Buy', url: 'https://ads.example/', content: 'now' }).replace(
      'web-result',
      'result--ad',
    );
    const counter = duckHit({ title: 'Buy', url: 'x', content: 'now' }).replace(
      /href="\/\/duckduckgo[^"]*"/,
      'href="https://duckduckgo.com/y.js?ad_domain=x"',
    );
    const direct = duckHit({ title: 'Direct', url: 'x', content: 'yes' }).replace(
      /href="\/\/duckduckgo[^"]*"/,
      'href="https://direct.example/"',
    );
    const { results } = await answered(createDuckDuckGo, () => duckPage(ad + counter + direct));
    expect(results.map(({ url }) => url)).toEqual(['https://direct.example/']);
  });

  test('a SearXNG below a path is asked there', async () => {
    const { url } = await answered(createSearx, () => Response.json({ results: [] }));
    expect(`${url.origin}${url.pathname}`).toBe('https://searx.example/sub/search');
  });

  test('arXiv entries get their https address', async () => {
    const { results } = await answered(createArxiv, () =>
      atom(atomEntry({ title: 'A\n  B', url: 'http://arxiv.org/abs/1706.03762v7', content: 'a' })),
    );
    expect(results[0]).toMatchObject({ title: 'A B', url: 'https://arxiv.org/abs/1706.03762v7' });
  });

  test('a query of operators and stop words is still a query to arXiv', async () => {
    const { url } = await answered(createArxiv, () => atom(''), 'what is "this" ANDNOT (all:*)');
    expect(url.searchParams.get('search_query')).toBe('all:"all"');
    const only = await answered(createArxiv, () => atom(''), 'what is this');
    expect(only.url.searchParams.get('search_query')).toBe('all:"what" OR all:"is" OR all:"this"');
  });

  test('long queries are cut at a word and high numbers at the engine’s limit', async () => {
    const { url } = await answered(
      (needs) => createBrave(needs, KEY),
      () => Response.json({}),
      'word '.repeat(200),
      1000,
    );
    expect(url.searchParams.get('q')?.split(' ')).toHaveLength(50);
    expect(url.searchParams.get('count')).toBe('20');
    const wiki = await answered(createWikipedia, () => Response.json({}), 'abcdefghi '.repeat(60), 50);
    expect(wiki.url.searchParams.get('gsrsearch')).toHaveLength(299);
    expect(wiki.url.searchParams.get('gsrlimit')).toBe('20');
  });
});

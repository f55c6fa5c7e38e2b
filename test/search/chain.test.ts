import { describe, expect, test } from 'bun:test';
import { SearchSection } from '../../src/config/sections/sources.ts';
import { AppError } from '../../src/errors.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { type Static, Value } from '../../src/schema.ts';
import { createSearch } from '../../src/search/chain.ts';
import { checkSearchConfig } from '../../src/search/engine-list.ts';

type SearchConfig = Static<typeof SearchSection>;
const configWith = (config: Partial<SearchConfig> = {}) => ({
  ...(Value.Default(SearchSection, {}) as SearchConfig),
  ...config,
});
const withKey = (base_url: string) => ({ base_url, api_key: 'key-hunter2' });
const never = new AbortController().signal;

type Answer = () => Response | Promise<Response>;
const found =
  (name: string): Answer =>
  () =>
    Response.json({
      results: [{ title: name, url: `https://${name}.example/`, content: name }],
      organic: [{ title: name, link: `https://${name}.example/`, snippet: name }],
    });
const nothing: Answer = () => Response.json({ results: [], organic: [] });
const failing =
  (status: number, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response('', { status, headers });

/** A chain of tavily, serper and searx; each answers with what `answers` holds at the time of the call. */
function createChain(answers: Record<string, Answer>, config: Partial<SearchConfig> = {}) {
  const calls: string[] = [];
  let now = 1_000_000;
  const clock: Clock = { now: () => now, sleep: systemClock.sleep };
  const log: string[] = [];
  const search = createSearch({
    config: configWith({
      engines: ['tavily', 'serper', 'searx'],
      tavily: withKey('https://tavily.test'),
      serper: withKey('https://serper.test'),
      searx: { base_url: 'https://searx.test' },
      ...config,
    }),
    fetch: (async (input: URL, init: RequestInit) => {
      const name = input.hostname.split('.').at(-2) ?? '';
      calls.push(name);
      init.signal?.throwIfAborted();
      return (answers[name] ?? failing(500))();
    }) as unknown as typeof fetch,
    clock,
    log: createLogger({ level: 'debug', format: 'text', write: (line) => log.push(line) }),
  });
  return {
    calls,
    log,
    answers,
    pass: (ms: number) => {
      now += ms;
    },
    find: async (query = 'rivers', signal = never) =>
      (await search.search(query, { maxResults: 3, signal })).map(({ title }) => title),
    failure: async () => {
      const error = await search.search('rivers', { maxResults: 3, signal: never }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(AppError);
      return error as AppError;
    },
  };
}

describe('the chain', () => {
  test('asks the first engine only while it answers', async () => {
    const chain = createChain({ tavily: found('tavily'), serper: found('serper') });
    expect(await chain.find()).toEqual(['tavily']);
    expect(chain.calls).toEqual(['tavily']);
  });

  test('falls through on failure and lets the failed engine rest', async () => {
    const chain = createChain({ tavily: failing(500), serper: found('serper') });
    expect(await chain.find()).toEqual(['serper']);
    expect(await chain.find()).toEqual(['serper']);
    expect(chain.calls).toEqual(['tavily', 'serper', 'serper']);
    chain.answers['tavily'] = found('tavily');
    chain.pass(60_000);
    expect(await chain.find()).toEqual(['tavily']);
    expect(await chain.find()).toEqual(['tavily']);
  });

  test('rests as long as the provider asks for', async () => {
    const chain = createChain({ tavily: failing(429, { 'retry-after': '300' }), serper: found('serper') });
    await chain.find();
    chain.pass(299_000);
    await chain.find();
    expect(chain.calls.filter((name) => name === 'tavily')).toHaveLength(1);
    chain.pass(1000);
    await chain.find();
    expect(chain.calls.filter((name) => name === 'tavily')).toHaveLength(2);
  });

  test('rests long after a refused key', async () => {
    const chain = createChain({ tavily: failing(401), serper: found('serper') });
    await chain.find();
    chain.pass(10 * 60_000);
    await chain.find();
    expect(chain.calls.filter((name) => name === 'tavily')).toHaveLength(1);
  });

  test('does not blame the engine for the query', async () => {
    const chain = createChain({ tavily: failing(422), serper: found('serper') });
    await chain.find();
    await chain.find();
    expect(chain.calls.filter((name) => name === 'tavily')).toHaveLength(2);
  });

  test('never rests with a cool-down of zero', async () => {
    const chain = createChain({ tavily: failing(401), serper: found('serper') }, { cooldown_seconds: 0 });
    await chain.find();
    await chain.find();
    expect(chain.calls).toEqual(['tavily', 'serper', 'tavily', 'serper']);
  });

  test('asks the next engine when one finds nothing, without letting it rest', async () => {
    const chain = createChain({ tavily: nothing, serper: found('serper') });
    expect(await chain.find()).toEqual(['serper']);
    chain.answers['tavily'] = found('tavily');
    expect(await chain.find()).toEqual(['tavily']);
  });

  test('finds nothing when one engine answered so and the others failed', async () => {
    const chain = createChain({ tavily: failing(500), serper: nothing, searx: failing(503) });
    expect(await chain.find()).toEqual([]);
  });

  test('says which engines failed and why when none is left', async () => {
    const chain = createChain(
      { tavily: failing(401), serper: failing(500), searx: failing(429) },
      { serper: { base_url: 'https://serper.test' } },
    );
    const error = await chain.failure();
    expect(error).toMatchObject({ code: 'search_unavailable', category: 'upstream', status: 500, retryable: true });
    expect(error.message).toBe(
      'No search engine could answer: Tavily refused the credentials or the request (HTTP 401); serper is not used because SERPER_API_KEY is not set; SearXNG limits the rate of requests (HTTP 429).',
    );
    const again = await chain.failure();
    expect(again.message).toContain('Tavily refused the credentials or the request (HTTP 401) (resting)');
    expect(chain.calls).toEqual(['tavily', 'searx']);
    expect(`${error.message}${chain.log.join('')}`).not.toContain('hunter2');
    expect(chain.log.join('')).not.toContain('rivers');
  });

  test('lets one call find out whether a rested engine is back', async () => {
    const chain = createChain({ tavily: failing(500), serper: found('serper') });
    await chain.find();
    chain.pass(60_000);
    chain.calls.length = 0;
    expect(await Promise.all([chain.find(), chain.find(), chain.find()])).toEqual([['serper'], ['serper'], ['serper']]);
    expect(chain.calls.filter((name) => name === 'tavily')).toHaveLength(1);

    chain.pass(60_000);
    chain.answers['tavily'] = found('tavily');
    expect(await Promise.all([chain.find(), chain.find(), chain.find()])).toEqual([['tavily'], ['tavily'], ['tavily']]);
  });

  test('passes an abort on without blaming an engine', async () => {
    const controller = new AbortController();
    const reason = new DOMException('stop', 'AbortError');
    const chain = createChain({
      tavily: () => {
        controller.abort(reason);
        return new Promise<Response>((_resolve, reject) => reject(reason));
      },
      serper: found('serper'),
    });
    expect(await chain.find('rivers', controller.signal).catch((error: unknown) => error)).toBe(reason);
    chain.answers['tavily'] = found('tavily');
    expect(await chain.find()).toEqual(['tavily']);
    expect(chain.calls).toEqual(['tavily', 'tavily']);
  });

  test('refuses an empty query', async () => {
    const chain = createChain({});
    expect(await chain.find(' \n ').catch((error: AppError) => error.code)).toBe('empty_query');
    expect(chain.calls).toEqual([]);
  });
});

describe('the default order', () => {
  const order = (config: Partial<SearchConfig>) =>
    createSearch({
      config: configWith(config),
      fetch,
      clock: systemClock,
      log: createLogger({ level: 'silent', format: 'text' }),
    }).name;

  test.each<[string, Partial<SearchConfig>]>([
    ['duckduckgo,wikipedia', {}],
    ['duckduckgo,wikipedia', { engines: [] }],
    ['tavily,duckduckgo,wikipedia', { tavily: withKey('https://a.test'), serper: withKey('https://b.test') }],
    ['serper,duckduckgo,wikipedia', { serper: withKey('https://b.test') }],
    ['searx,duckduckgo,wikipedia', { searx: { base_url: 'https://c.test' } }],
    ['arxiv,wikipedia', { engines: [' arXiv ', 'wikipedia', 'ARXIV', ''], tavily: withKey('https://a.test') }],
  ])('is %s', (expected, config) => {
    expect(order(config)).toBe(expected);
  });
});

describe('checkSearchConfig', () => {
  test('names the known engines and the nearest one', () => {
    expect(checkSearchConfig(configWith({ engines: ['tavilly', 'bing'] })).errors).toEqual([
      'Unknown search engine "tavilly" (did you mean tavily?); known are tavily, brave_search, serper, searx, duckduckgo, arxiv, wikipedia.',
      'Unknown search engine "bing"; known are tavily, brave_search, serper, searx, duckduckgo, arxiv, wikipedia.',
    ]);
    expect(() =>
      createSearch({
        config: configWith({ engines: ['bing'] }),
        fetch,
        clock: systemClock,
        log: createLogger({ level: 'silent', format: 'text' }),
      }),
    ).toThrow('Unknown search engine "bing"');
  });

  test('warns of engines that are named but not set up', () => {
    const { errors, warnings } = checkSearchConfig(configWith({ engines: ['tavily', 'searx', 'duckduckgo'] }));
    expect(errors).toEqual([]);
    expect(warnings).toEqual([
      'The search engine tavily is left out because TAVILY_API_KEY is not set.',
      'The search engine searx is left out because SEARX_HOST is not set.',
    ]);
  });

  test('refuses base addresses that are not http', () => {
    expect(
      checkSearchConfig(configWith({ searx: { base_url: 'searx.local:8080' }, arxiv: { base_url: 'nonsense' } }))
        .errors,
    ).toEqual([
      'search.searx.base_url is not an http or https address.',
      'search.arxiv.base_url is not an http or https address.',
    ]);
    expect(checkSearchConfig(configWith()).errors).toEqual([]);
  });
});

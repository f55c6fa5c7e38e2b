import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { AppError } from '../../src/errors.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import type { SearchEngine } from '../../src/search/search.ts';

/** A hit in no engine's own words. */
export interface Hit {
  title: string;
  url: string;
  content: string;
}

/** What the suite must know of an engine. */
export interface SearchContract {
  /** The engine's name for people, which every error must hold. */
  label: string;
  /** Secret that must never appear in an error. */
  secret?: string;
  create(baseUrl: string, options: { timeoutSeconds: number; clock: Clock }): SearchEngine;
  /** Throws when the request is not the provider's wire. */
  expectRequest(request: Request, body: string, query: string, maxResults: number): void;
  /** The provider's answer holding these hits. */
  answer(hits: Hit[]): Response;
  /** Answers with status 200 that are no results. */
  badAnswers: [string, () => Response, string?][];
}

const hit = (number: number): Hit => ({
  title: `Title ${number}`,
  url: `https://example.com/${number}`,
  content: `Content ${number}`,
});

/** One suite for every search engine, against a local server that speaks the provider's wire. */
export function searchContract(contract: SearchContract): void {
  let respond: (request: Request) => Response | Promise<Response> = () => new Response();
  let server: ReturnType<typeof Bun.serve>;
  let engine: SearchEngine;
  const never = new AbortController().signal;
  const clock: Clock = { ...systemClock, now: () => Date.UTC(2026, 0, 1) };

  beforeAll(() => {
    server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => respond(request) });
    engine = contract.create(server.url.href, { timeoutSeconds: 5, clock });
  });
  afterAll(() => server.stop(true));

  async function failure(promise: Promise<unknown>): Promise<AppError> {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(AppError);
    const failed = error as AppError;
    expect(failed.message).toContain(contract.label);
    if (contract.secret) expect(`${failed.message}${failed.cause}${failed.stack}`).not.toContain(contract.secret);
    return failed;
  }

  describe(`${contract.label}`, () => {
    test('asks as the provider documents and gives its hits in order', async () => {
      let seen: { request: Request; body: string } | undefined;
      respond = async (request) => {
        // Bun empties the original once it is answered.
        const { url, method, headers } = request;
        seen = { request: new Request(url, { method, headers: new Headers(headers) }), body: await request.text() };
        return contract.answer([hit(1), hit(2)]);
      };
      const results = await engine.search('rivers & lakes "of Europe"', { maxResults: 3, signal: never });
      contract.expectRequest(seen!.request, seen!.body, 'rivers & lakes "of Europe"', 3);
      expect(results).toMatchObject([
        { type: 'page', ...hit(1) },
        { type: 'page', ...hit(2) },
      ]);
      for (const { score = 0 } of results) expect(score).toBeWithin(0, 1.001);
    });

    test('gives at most the number asked for, and no address twice', async () => {
      respond = () =>
        contract.answer([hit(1), { ...hit(1), url: 'http://www.example.com/1/#part' }, hit(2), hit(3), hit(4)]);
      const results = await engine.search('rivers', { maxResults: 3, signal: never });
      expect(results.map(({ url }) => url)).toEqual([hit(1).url, hit(2).url, hit(3).url]);
    });

    test('drops hits that are not web pages', async () => {
      const odd = ['javascript:alert(1)', 'ftp://example.com/', 'file:///etc/passwd', ''];
      respond = () => contract.answer([...odd.map((url) => ({ ...hit(9), url })), hit(1)]);
      const results = await engine.search('rivers', { maxResults: 9, signal: never });
      expect(results.map(({ url }) => url)).toEqual([hit(1).url]);
    });

    test('answers nothing found with an empty list', async () => {
      respond = () => contract.answer([]);
      expect(await engine.search('xyzzy', { maxResults: 3, signal: never })).toEqual([]);
    });

    test.each([
      [401, 'upstream_rejected', false],
      [403, 'upstream_rejected', false],
      [400, 'upstream_rejected', false],
      [302, 'upstream_rejected', false],
      [500, 'upstream_unavailable', true],
      [503, 'upstream_unavailable', true],
      [504, 'upstream_timeout', true],
    ])('reports status %i as %s', async (status, code, retryable) => {
      respond = () => new Response('SECRET ANSWER', { status, headers: { location: 'http://127.0.0.1:1/' } });
      const error = await failure(engine.search('rivers', { maxResults: 3, signal: never }));
      expect(error).toMatchObject({ code, retryable });
      expect(error.message).not.toContain('SECRET');
    });

    test.each([
      ['7', 7000],
      ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
      ['soon', undefined],
    ])('reports the wait asked for by Retry-After: %s', async (header, retryAfterMs) => {
      respond = () => new Response('', { status: 429, headers: { 'retry-after': header } });
      const error = await failure(engine.search('rivers', { maxResults: 3, signal: never }));
      expect(error).toMatchObject({ code: 'upstream_rate_limited', retryable: true });
      expect(error.retryAfterMs).toBe(retryAfterMs);
    });

    test.each(contract.badAnswers.map(([name]) => name))('does not take %s for an empty result', async (name) => {
      const [, answer, code] = contract.badAnswers.find(([known]) => known === name)!;
      respond = answer;
      const error = await failure(engine.search('rivers', { maxResults: 3, signal: never }));
      expect<string>(error.code).toBe(code ?? 'upstream_unavailable');
    });

    test('does not read an endless answer', async () => {
      let sent = 0;
      const chunk = new Uint8Array(256 * 1024).fill(0x20);
      respond = () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              sent += chunk.byteLength;
              if (sent > 20 * 1024 * 1024) controller.close();
              else controller.enqueue(chunk);
            },
          }),
        );
      expect((await failure(engine.search('rivers', { maxResults: 3, signal: never }))).code).toBe('upstream_rejected');
      expect(sent).toBeLessThan(20 * 1024 * 1024);
    });

    test('gives up on a silent provider', async () => {
      respond = () => new Promise<Response>(() => undefined);
      const hasty = contract.create(server.url.href, { timeoutSeconds: 0.03, clock });
      const error = await failure(hasty.search('rivers', { maxResults: 3, signal: never }));
      expect(error).toMatchObject({ code: 'upstream_timeout', retryable: true });
    });

    test('stops on abort with the caller’s reason', async () => {
      respond = () => new Promise<Response>(() => undefined);
      const controller = new AbortController();
      const reason = new DOMException('stop', 'AbortError');
      setTimeout(() => controller.abort(reason), 10);
      const pending = engine.search('rivers', { maxResults: 3, signal: controller.signal });
      expect(await pending.catch((error: unknown) => error)).toBe(reason);
    });

    test('reports a closed port', async () => {
      const closed = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
      const address = closed.url.href;
      await closed.stop(true);
      const dead = contract.create(address, { timeoutSeconds: 5, clock });
      const error = await failure(dead.search('rivers', { maxResults: 3, signal: never }));
      expect(error).toMatchObject({ code: 'upstream_unavailable', retryable: true });
    });
  });
}

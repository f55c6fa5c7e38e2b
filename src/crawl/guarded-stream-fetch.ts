import { createGuardedTransport, type GuardedTransportOptions, toFetchError } from './guarded-transport.ts';

/** The part of `fetch` that protocol libraries with long-lived streams (MCP) use. */
export type GuardedStreamFetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * The guard for libraries that bring their own protocol: like `fetch`, with every address and redirect checked and the
 * body streamed. It has no limit on time or size: the caller's signal is the only end of a stream. Text bodies only;
 * `redirect: 'manual'` gives a redirect back as it came.
 */
export function createGuardedStreamFetch(options: GuardedTransportOptions): GuardedStreamFetch {
  const send = createGuardedTransport(options);
  return async (input, init = {}) => {
    const url = String(input);
    const signal = init.signal ?? new AbortController().signal;
    if (init.body !== undefined && init.body !== null && typeof init.body !== 'string')
      throw new TypeError('A guarded request takes a text body.');
    try {
      const { response } = await send(url, {
        method: init.method ?? 'GET',
        headers: new Headers(init.headers),
        body: init.body ?? undefined,
        signal,
        decompress: true,
        followRedirects: init.redirect !== 'manual',
      });
      return response;
    } catch (error) {
      signal.throwIfAborted();
      throw toFetchError(error, url, false);
    }
  };
}

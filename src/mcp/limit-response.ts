/** The part of `fetch` the SDK's transports use. */
export type FetchLike = (input: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A fetch whose answers hold no message over `maxBytes`: a JSON body is counted whole, an event stream from one empty
 * line to the next. `onTooLarge` hears of it before the body breaks.
 */
export function limitMessages(send: FetchLike, maxBytes: number, onTooLarge: () => void): FetchLike {
  return async (input, init) => {
    const response = await send(input, init);
    if (!response.body) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    let size = 0;
    let last = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const end = isStream ? endOfEvent(chunk, last) : -1;
        size = end < 0 ? size + chunk.byteLength : chunk.byteLength - end;
        last = chunk.at(-1) ?? 0;
        if (size > maxBytes) {
          onTooLarge();
          controller.error(new Error('message too large'));
        } else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    const limited = new Response(response.body.pipeThrough(counter), { status, statusText, headers });
    Object.defineProperty(limited, 'url', { value: response.url });
    return limited;
  };
}

/** Index behind the last empty line in the chunk, or -1; `last` is the byte before the chunk. */
function endOfEvent(chunk: Uint8Array, last: number): number {
  for (let index = chunk.byteLength - 1; index >= 0; index--) {
    if (chunk[index] !== 10) continue;
    const before = chunk[index - 1] ?? last;
    const further = before === 13 ? (chunk[index - 2] ?? 10) : before;
    if (further === 10) return index + 1;
  }
  return -1;
}

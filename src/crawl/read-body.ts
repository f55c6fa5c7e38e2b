import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { fail } from '../errors.ts';

/** The content codings `readBody` can undo, as an `Accept-Encoding` value. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd';

const MAX_CODINGS = 3;

/**
 * Reads a body that is still compressed and undoes its codings, stopping as soon as either the raw or the decompressed
 * bytes pass `maxBytes` (AppError `too_large`), so that a bomb is never unpacked. The declared length is not trusted.
 */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  options: { contentEncoding: string; maxBytes: number; signal: AbortSignal },
): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const { maxBytes, signal } = options;
  const raw = readChunks(body, maxBytes, signal);
  const first = await raw.next();
  if (first.done) return new Uint8Array();
  const head = first.value;
  const collected = new Collector(maxBytes);
  const codings = parseCodings(options.contentEncoding);
  const sink = async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) collected.add(chunk);
  };
  // The declared overloads do not know a chain of unknown length.
  await (pipeline as (stages: unknown[], options: { signal: AbortSignal }) => Promise<void>)(
    [
      Readable.from(prepend(head, raw), { objectMode: false }),
      ...codings.reverse().map((coding) => createDecoder(coding, head)),
      sink,
    ],
    { signal },
  );
  return collected.bytes();
}

function parseCodings(header: string): string[] {
  const codings = header
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding && coding !== 'identity');
  if (codings.length > MAX_CODINGS) throw unsupportedCoding();
  return codings;
}

function createDecoder(coding: string, head: Uint8Array): Transform {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      // Servers disagree on whether "deflate" has the zlib header RFC 9110 asks for.
      return ((head[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
    default:
      throw unsupportedCoding();
  }
}

function unsupportedCoding() {
  return fail('unsupported_type', 'The page uses a content encoding that is not supported.');
}

async function* readChunks(body: ReadableStream<Uint8Array>, maxBytes: number, signal: AbortSignal) {
  const reader = body.getReader();
  let total = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) return;
      total += value.byteLength;
      if (total > maxBytes) throw tooLarge(maxBytes);
      if (value.byteLength > 0) yield value;
    }
  } finally {
    // Drops the connection of a body we do not want the rest of; the outcome no longer matters.
    void reader.cancel().catch(() => undefined);
  }
}

async function* prepend(first: Uint8Array, rest: AsyncGenerator<Uint8Array>) {
  yield first;
  yield* rest;
}

class Collector {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(readonly maxBytes: number) {}

  add(chunk: Uint8Array): void {
    this.#size += chunk.byteLength;
    if (this.#size > this.maxBytes) throw tooLarge(this.maxBytes);
    this.#chunks.push(chunk);
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks, this.#size);
  }
}

/** The refusal of a body over the limit. */
export function tooLarge(maxBytes: number) {
  return fail('too_large', `The page is larger than ${Math.floor(maxBytes / 1024)} KiB.`);
}

import type { GuardedFetch } from '../crawl/guarded-fetch.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Logger } from '../lib/log.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { ImageReference, LoadedImage } from './model.ts';
import { readImage } from './read-image.ts';

export interface ImageNeeds {
  guardedFetch: GuardedFetch;
  log: Logger;
  /** Largest image. */
  maxBytes: number;
}

const MAX_IMAGES = 40;
const MAX_TOTAL_BYTES = 24 * 1024 * 1024;
const FETCHES_AT_ONCE = 4;
const TIMEOUT_MS = 10_000;
const ACCEPT = ['image/png', 'image/jpeg', 'image/gif', 'application/octet-stream'];

/**
 * Loads the images of a deck: `data:` URLs, and web addresses through the guard. Everything else (paths, private
 * addresses, other types, too much) is left out with a warning, and the slide shows the alternative text.
 */
export async function loadImages(
  references: readonly ImageReference[],
  used: ReadonlySet<number>,
  needs: ImageNeeds,
  signal: AbortSignal,
): Promise<(LoadedImage | undefined)[]> {
  const places = new Semaphore(FETCHES_AT_ONCE);
  let total = 0;
  let count = 0;
  return Promise.all(
    references.map(async ({ source }, index) => {
      if (!used.has(index + 1)) return undefined;
      const refuse = (code: ErrorCode) => {
        needs.log.warn('slide image left out', { image: index + 1, code });
        return undefined;
      };
      if (++count > MAX_IMAGES) return refuse('too_many_images');
      return places.run(async () => {
        const bytes = await fetchBytes(source, needs, signal).catch((error: unknown) => {
          signal.throwIfAborted();
          return error instanceof AppError ? error.code : 'image_failed';
        });
        if (typeof bytes === 'string') return refuse(bytes);
        if (total + bytes.byteLength > MAX_TOTAL_BYTES) return refuse('images_too_large');
        const image = readImage(bytes);
        if (!image) return refuse('unsupported_image');
        total += bytes.byteLength;
        return image;
      }, signal);
    }),
  );
}

/** The bytes, or the code that says why there are none. */
async function fetchBytes(source: string, needs: ImageNeeds, signal: AbortSignal): Promise<Uint8Array | ErrorCode> {
  const data = /^data:image\/[\w.+-]{1,40};base64,/i.exec(source);
  if (data) {
    const text = source.slice(data[0].length);
    if (text.length > needs.maxBytes * 1.4) return 'too_large';
    return new Uint8Array(Buffer.from(text, 'base64'));
  }
  if (!/^https?:\/\//i.test(source)) return 'image_refused';
  const { status, bytes } = await needs.guardedFetch(source, {
    timeoutMs: TIMEOUT_MS,
    maxBytes: needs.maxBytes,
    accept: ACCEPT,
    signal,
  });
  return status === 200 ? bytes : 'image_unavailable';
}

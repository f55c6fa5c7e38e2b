import { type AppError, fail } from '../errors.ts';
import { readCapped } from '../lib/read-capped.ts';

/** The refusal of a body over the cap. */
export function bodyTooLarge(maxBytes: number): AppError {
  return fail('body_too_large', `The request body is larger than the limit of ${maxBytes} bytes.`);
}

/** The announced size of a body, or undefined when it is sent in chunks. */
export function contentLengthOf(request: Request): number | undefined {
  const value = request.headers.get('content-length');
  return value === null ? undefined : Number(value);
}

/** Reads a body and stops at the first byte over the cap, whatever its size was said to be. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const announced = contentLengthOf(request);
  if (announced !== undefined) {
    if (announced > maxBytes) throw bodyTooLarge(maxBytes);
    // The HTTP parser delivers no more than was announced.
    return request.bytes() as Promise<Uint8Array<ArrayBuffer>>;
  }
  const { bytes, isCut } = await readCapped(request.body, maxBytes);
  if (isCut) throw bodyTooLarge(maxBytes);
  return bytes;
}

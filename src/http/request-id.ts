import { createId } from '../lib/id.ts';

/** Header that carries the id of a request, in and out. */
export const REQUEST_ID_HEADER = 'x-request-id';

const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's `x-request-id` when it is harmless in a log line and a header, else a fresh one. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get(REQUEST_ID_HEADER);
  return given !== null && SANE.test(given) ? given : createId('req');
}

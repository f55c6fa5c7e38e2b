import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';

/**
 * Paths that need no token: they hold no data and reach no provider. Everything else is closed, so that a route
 * cannot be forgotten, and unknown paths do not tell what exists.
 */
export const PUBLIC_PATHS: readonly string[] = ['/', '/health', '/docs', '/openapi.json'];
const PUBLIC_PREFIX = '/docs/assets/';

/** Returns the refusal of a request that lacks the token, or undefined when it may pass. */
export type Authorize = (request: Request, path: string) => AppError | undefined;

/**
 * Bearer authentication (RFC 6750) with one token for the whole API. Digests are compared, so neither the length nor
 * a common prefix of a guess shows in the time. Without a token everything is open.
 */
export function createAuthorize(token: string | undefined): Authorize {
  if (token === undefined) return () => undefined;
  const expected = digest(token);
  return (request, path) => {
    if (PUBLIC_PATHS.includes(path) || path.startsWith(PUBLIC_PREFIX)) return undefined;
    const given = request.headers.get('authorization');
    const presented = given === null ? undefined : /^Bearer +(\S+) *$/i.exec(given)?.[1];
    if (presented !== undefined && timingSafeEqual(digest(presented), expected)) return undefined;
    const challenge = given === null ? 'Bearer realm="agent"' : 'Bearer realm="agent", error="invalid_token"';
    const sentence =
      given === null
        ? 'This call needs the header "Authorization: Bearer <token>".'
        : 'The token of this call is not valid.';
    return new AppError(sentence, {
      code: 'unauthorized',
      category: 'user',
      status: 401,
      headers: { 'www-authenticate': challenge },
    });
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

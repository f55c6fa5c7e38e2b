/** Shorter ones can be guessed. */
const MIN_API_TOKEN_LENGTH = 16;

/** What is wrong with a token of the API, as the end of a sentence; undefined when it may be used. */
export function weaknessOf(token: string): string | undefined {
  // RFC 6750 and our own check know no white space, and a header carries no more than ASCII.
  if (!/^[\x21-\x7e]*$/.test(token))
    return 'holds characters that no client can send: only printable ASCII without spaces';
  if (token.length < MIN_API_TOKEN_LENGTH)
    return `has ${token.length} ${token.length === 1 ? 'character' : 'characters'}; at least ${MIN_API_TOKEN_LENGTH} are needed`;
  return undefined;
}

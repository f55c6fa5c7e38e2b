/** A run of the characters a scheme may have is read once, not again from each of its letters. */
const SCHEME = /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\//gi;
const ADDRESS = /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s<>"'`)\]]+/gi;
/** Longer ones are not addresses anybody cites. */
const MAX_LENGTH = 8_192;

/** The addresses (`scheme://…`) in a text, each once, at most `limit`. */
export function findAddresses(text: string, limit: number): Set<string> {
  const found = new Set<string>();
  for (const [address] of text.matchAll(ADDRESS)) {
    if (found.size >= limit) break;
    // A scheme begins with a letter.
    if (address.length <= MAX_LENGTH) found.add(address.replace(/^[^a-z]+/i, ''));
  }
  return found;
}

/** A text whose addresses have no scheme, so that nothing makes links of them. */
export function withoutSchemes(text: string): string {
  return text.replace(SCHEME, '');
}

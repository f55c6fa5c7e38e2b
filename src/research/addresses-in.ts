/** Values of a call that are looked at, how deep, and addresses that are told. */
const MAX_VALUES = 10_000;
const MAX_DEPTH = 20;
const MAX_ADDRESSES = 1000;
/** Told when there is more than is looked at: nobody knows it, so the call is refused. */
const TOO_MUCH = '';
/** Names of arguments whose value is an address even without a scheme. */
const ADDRESS_NAME = /ur[li]|href|link|host|domain|site|address/i;
const ADDRESS_START = /(?:https?|wss?|ftp):(?=.)|[a-z][a-z0-9+.-]{0,31}:\/\/|^\/\/|^www\./gi;
/** `example.org/x?y`: clients take it for an address. */
const BARE_ADDRESS = /^(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?[/?#]/i;

/** Every address in the arguments of a call, also one that is part of a longer text or has no scheme. */
export function addressesIn(args: Record<string, unknown>): string[] {
  const found: string[] = [];
  for (const { name, text } of textsOf(args)) {
    for (const word of text.split(/[\s<>"'`|]+/)) {
      const starts = [...word.matchAll(ADDRESS_START)].map((match) => match.index);
      for (const start of starts) found.push(withScheme(word.slice(start)));
      if (starts.length === 0 && (BARE_ADDRESS.test(word) || (ADDRESS_NAME.test(name) && /[.:]/.test(word))))
        found.push(withScheme(word));
      if (found.length > MAX_ADDRESSES) return [TOO_MUCH];
    }
  }
  return found;
}

function withScheme(address: string): string {
  if (address.startsWith('//')) return `https:${address}`;
  return /^[a-z][a-z0-9+.-]{0,31}:/i.test(address) ? address : `https://${address}`;
}

/** The texts of nested arguments with the name each is under; names are texts too. */
function textsOf(args: Record<string, unknown>): { name: string; text: string }[] {
  const texts: { name: string; text: string }[] = [];
  const visit = (name: string, value: unknown, depth: number): void => {
    if (texts.length >= MAX_VALUES || depth > MAX_DEPTH) {
      texts.push({ name: 'url', text: '//' });
      return;
    }
    if (typeof value === 'string') texts.push({ name, text: value });
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      if (!Array.isArray(value)) texts.push({ name: '', text: key });
      visit(Array.isArray(value) ? name : key, item, depth + 1);
      if (texts.length > MAX_VALUES) return;
    }
  };
  visit('', args, 0);
  return texts;
}

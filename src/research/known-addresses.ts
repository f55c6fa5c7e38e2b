import { normalizeAddress } from './sources.ts';

/** Most addresses one run remembers. */
const MAX_ADDRESSES = 20_000;
/** Characters of one text that are looked through. */
const MAX_TEXT = 200_000;
const MAX_ADDRESS = 4096;
/** Addresses in one word that are looked at. */
const MAX_IN_WORD = 20;
const WEB = /^https?:\/\//i;
/** Where an address in running text ends. */
const DELIMITERS = /[\s<>"'`|（）。，、；：！？「」『』【】《》]+/u;
/** `example.org/prices`, as people write it. */
const BARE_HOST = /^(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?=$|[:/?#])/i;

/** Web addresses that are known word for word; a model may name one of them, but cannot make one up. */
export class KnownAddresses {
  /** By the form in which addresses are compared: the address as it was first seen. */
  readonly #addresses = new Map<string, string>();
  readonly #exact = new Set<string>();

  /** Adds one address; anything but http and https is left out. */
  add(address: string): void {
    const key = WEB.test(address.trim()) ? normalizeAddress(address) : undefined;
    if (key === undefined || this.#exact.size >= MAX_ADDRESSES) return;
    if (!this.#addresses.has(key)) this.#addresses.set(key, withoutFragment(address.trim()));
    this.#exact.add(new URL(address.trim()).href);
  }

  /** Adds the addresses in a text that a person wrote. A placeholder of a template makes an address none. */
  addFrom(text: string): void {
    for (const word of text.slice(0, MAX_TEXT).split(DELIMITERS))
      for (const address of readings(word)) this.add(address);
  }

  /** The known address that `address` means, spelled as it was first seen, so that nothing of the given spelling goes out. */
  find(address: string): string | undefined {
    const key = normalizeAddress(address);
    return key === undefined ? undefined : this.#addresses.get(key);
  }

  /** Like `find`, but a fragment must be known too: whoever opens a link hands it to the page. */
  hasExactly(address: string): boolean {
    if (!address.includes('#')) return this.find(address) !== undefined;
    return URL.canParse(address) && this.#exact.has(new URL(address).href);
  }
}

/** The addresses a word of running text may mean: with and without the punctuation around it, and several in a row. */
function readings(word: string): string[] {
  if (/[{}]/.test(word) || word.length > MAX_ADDRESS) return [];
  const starts = [...word.matchAll(/https?:\/\//gi)].map((match) => match.index).slice(0, MAX_IN_WORD);
  if (starts.length > 0)
    return starts.flatMap((start, index) => {
      const address = word.slice(start);
      // In languages without spaces the sentence goes on after the address.
      const ascii = address.replace(/[^\x00-\x7f].*$/s, '');
      return [address, trimmed(address), trimmed(ascii), trimmed(word.slice(start, starts[index + 1]))];
    });
  const bare = trimmed(word.replace(/^[([*_~]{1,10}/, ''));
  return BARE_HOST.test(bare) ? [`https://${bare}`, `http://${bare}`] : [];
}

/** Without the closing punctuation of a sentence or of a Markdown link. */
function trimmed(address: string): string {
  let end = address.length;
  while (end > 0 && '.,;:!?*_~])'.includes(address[end - 1] as string)) end--;
  return address.slice(0, end);
}

function withoutFragment(address: string): string {
  const at = address.indexOf('#');
  return at < 0 ? address : address.slice(0, at);
}

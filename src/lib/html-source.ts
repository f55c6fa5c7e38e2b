import { cutRanges, Finder } from './cut-ranges.ts';

/** No more of an opening tag is looked at. */
const MAX_TAG = 2_000;

export interface CutOptions {
  /** Spares an element by its opening tag. */
  keeps?(tag: string): boolean;
  /** What stands in the place of what is cut; nothing when absent. */
  replacement?: string;
}

/**
 * HTML source without comments and without the elements `names`, tags and contents, in time linear in its length.
 * What is never closed stays.
 */
export function withoutElements(
  html: string,
  names: readonly string[],
  { keeps, replacement }: CutOptions = {},
): string {
  const comments = new Finder(html, '-->');
  const tags = new Finder(html, '>');
  const closings = new Map(names.map((name) => [name, new ClosingTags(html, name)]));
  const opening = new RegExp(`<!--|<(${names.join('|')})(?!\\w)`, 'gi');
  const endOf = ({ index, 0: start, 1: name }: RegExpExecArray) => {
    if (name === undefined) {
      const end = comments.next(index + start.length);
      return end < 0 ? undefined : end + 3;
    }
    const close = closings.get(name.toLowerCase())?.next(index);
    if (close === undefined || !keeps) return close;
    const tagEnd = Math.min(tags.next(index), index + MAX_TAG);
    return tagEnd > index && keeps(html.slice(index, tagEnd)) ? undefined : close;
  };
  return cutRanges(html, opening, endOf, replacement);
}

/** The ends of the closing tags of one element, looked for at places that only grow. */
class ClosingTags {
  readonly #text: string;
  readonly #pattern: RegExp;
  #at = -1;
  #end: number | undefined = 0;

  constructor(text: string, name: string) {
    this.#text = text;
    this.#pattern = new RegExp(`</${name}\\s*>`, 'gi');
  }

  /** Behind the first closing tag that begins at or after `from`. */
  next(from: number): number | undefined {
    if (this.#end !== undefined && this.#at < from) {
      this.#pattern.lastIndex = from;
      const match = this.#pattern.exec(this.#text);
      this.#at = match?.index ?? this.#text.length;
      this.#end = match ? match.index + match[0].length : undefined;
    }
    return this.#end;
  }
}

/** The character set that the `<meta>` elements at the beginning of an HTML page declare. */
export function metaCharset(head: string): string | undefined {
  for (const tag of head.split('<'))
    if (/^meta\s/i.test(tag)) {
      const label = /charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(tag)?.[1];
      if (label) return label;
    }
  return undefined;
}

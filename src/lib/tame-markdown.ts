import { trimEnd } from './trim.ts';

/** The longest text whose inline marks a parser is asked for, and how many marks it may have. */
const MAX_INLINE = 6_000;
const MAX_MARKS = 600;
const MAX_EMPHASIS = 200;
/** The longest word in front of an `@`: each of its letters may begin a mail address. */
const MAX_NAME = 1_000;
/** The longest paragraph, list or table without an empty line, and how deep quotes and lists may be nested. */
const MAX_BLOCK = 8_000;
const MAX_NESTING = 12;

/**
 * Whether a Markdown parser reads the marks of one paragraph in milliseconds. Parsers take time with the square or cube
 * of what is in one paragraph (4,000 characters of `*a_`: half a second); nobody writes like that on purpose.
 */
export function isTameInline(text: string): boolean {
  if (text.length > MAX_INLINE) return false;
  const [, ...names] = text.split('@').reverse();
  return (
    (text.match(/[\\`[\]<>!&:@$\n|*_~]/g)?.length ?? 0) <= MAX_MARKS &&
    (text.match(/[*_~]/g)?.length ?? 0) <= MAX_EMPHASIS &&
    names.every((name) => name.length - trimEnd(name, /[\w.+-]/).length <= MAX_NAME)
  );
}

/** Whether a Markdown parser finds the blocks of a text in milliseconds: no endless paragraph, no deep nesting. */
export function hasTameBlocks(markdown: string): boolean {
  let length = 0;
  let fence: string | undefined;
  for (const line of markdown.split('\n')) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (marker?.startsWith(fence) && line.trim() === marker) fence = undefined;
    } else if (marker) fence = marker;
    length = marker || fence || line.trim() === '' ? 0 : length + line.length + 1;
    if (length > MAX_BLOCK || nestingOf(line) > MAX_NESTING) return false;
  }
  return true;
}

/** The marks of quotes and lists at the beginning of a line. */
function nestingOf(line: string): number {
  const opening = /^(?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/.exec(line)![0];
  return opening.match(/[>*+-]|\d+/g)?.length ?? 0;
}

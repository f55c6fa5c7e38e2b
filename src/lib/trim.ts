/**
 * `text` without the characters at its end that `one` (a pattern of a single character) matches. `/[…]+$/` does the
 * same in quadratic time: it tries every place of a long run that is not at the end.
 */
export function trimEnd(text: string, one: RegExp): string {
  let end = text.length;
  while (end > 0 && one.test(text[end - 1] as string)) end--;
  return text.slice(0, end);
}

/** An address without slashes at its end. */
export function withoutTrailingSlashes(url: string): string {
  return trimEnd(url, /\//);
}

/** A text that was cut somewhere, without the last word, which may be half of one; a single word stays. */
export function withoutLastWord(text: string): string {
  const words = trimEnd(text, /\S/);
  return words === '' ? text : words.trimEnd();
}

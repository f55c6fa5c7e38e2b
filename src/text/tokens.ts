/** Characters of an alphabet to a token. */
export const CHARACTERS_PER_TOKEN = 3.5;

/**
 * A cautious estimate of the tokens of a text: 1 per CJK character, 1 per 3.5 other characters. Good enough to stay
 * inside a window without carrying the vocabulary of every model.
 */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) >= 0x2e80) wide++;
  return Math.ceil(wide + (text.length - wide) / CHARACTERS_PER_TOKEN);
}

/** The beginning of `text` that fits in `tokens`, cut at a line or word border where one is near; with a mark when cut. */
export function cutToTokens(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (estimateTokens(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  const cut = text.slice(0, low).toWellFormed();
  const border = Math.max(cut.lastIndexOf('\n'), cut.lastIndexOf(' '));
  return `${border > low * 0.8 ? cut.slice(0, border) : cut}\n… [cut]`;
}

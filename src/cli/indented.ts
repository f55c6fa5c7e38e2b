/** The lines of a text from outside, moved in: what stands in the first column is ours. */
export function indented(text: string): string[] {
  return text.split('\n').map((line) => `  ${line}`);
}

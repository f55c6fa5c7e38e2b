const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** What a user typed as a subscription name, in the form it is stored: trimmed, lower case, `-` for spaces. */
export function normalizeName(input: string): string {
  return input.trim().toLowerCase().replaceAll(' ', '-');
}

/** True for a normalised name that may be stored and be part of a URL. */
export function isValidName(name: string): boolean {
  return NAME.test(name);
}

/** The sentence for a name that is not valid. */
export function invalidNameMessage(input: string): string {
  return `Invalid name '${input.slice(0, 80)}': use 1 to 64 letters, digits, '-' and '_', starting with a letter or digit.`;
}

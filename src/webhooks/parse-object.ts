import { isRecord, parseJson } from '../lib/json.ts';

/** Deeper values would overflow the stack of whoever writes or compares them. */
const MAX_DEPTH = 10_000;

/** Parses a JSON object of at most 10,000 levels; undefined for anything else. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  // Each level takes two characters, so most texts need not be looked through.
  if (text.length > 2 * MAX_DEPTH && isTooDeep(text)) return undefined;
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === 0x5c) index++;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

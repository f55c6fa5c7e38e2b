/** `a.b[0].c` as its keys `a`, `b`, `0`, `c`. */
export function parsePath(path: string): string[] {
  return path.replace(/\[(\d+)\]/g, '.$1').split('.');
}

/**
 * Reads a nested value by own keys and array indexes only: never a prototype, a getter of a list or a character of a text.
 * A key that itself contains dots is found by its full name. Undefined when there is none.
 */
export function readPath(root: unknown, keys: readonly string[]): unknown {
  let value = root;
  for (let index = 0; index < keys.length; index++) {
    if (typeof value !== 'object' || value === null) return undefined;
    const key = keys[index] as string;
    if (Array.isArray(value)) {
      if (!/^\d{1,9}$/.test(key)) return undefined;
      value = value[Number(key)];
    } else if (Object.hasOwn(value, key)) {
      value = (value as Record<string, unknown>)[key];
    } else {
      const rest = keys.slice(index).join('.');
      return Object.hasOwn(value, rest) ? (value as Record<string, unknown>)[rest] : undefined;
    }
  }
  return value;
}

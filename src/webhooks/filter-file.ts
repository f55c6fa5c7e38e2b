import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 64;

/** The values a file lists: exact JSON values of a list, or texts (object keys, lines). */
interface ListedValues {
  has(value: unknown): boolean;
}

/** Reads the files of `in_file`, again only when they changed. */
export interface FilterFiles {
  /** Values of the file as of its last change; undefined when it cannot be read. */
  load(path: string): Promise<ListedValues | undefined>;
  /** What `load` found last; undefined when the file has changed since, was never loaded or cannot be read. */
  peek(path: string): ListedValues | undefined;
}

/** Files relative to the agent home, kept by modification time and size. */
export function createFilterFiles(home: string): FilterFiles {
  const cache = new Map<string, { stamp: string; values: ListedValues }>();
  const stampOf = (path: string) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() && stat.size <= MAX_BYTES ? `${stat.ino}:${stat.mtimeMs}:${stat.size}` : undefined;
  };
  return {
    peek(path) {
      const full = resolve(home, path);
      const known = cache.get(full);
      return known && known.stamp === stampOf(full) ? known.values : undefined;
    },
    async load(path) {
      const full = resolve(home, path);
      const stamp = stampOf(full);
      if (!stamp) return undefined;
      const known = cache.get(full);
      if (known?.stamp === stamp) return known.values;
      try {
        const values = parseValues(await readFile(full, 'utf8'));
        if (cache.size >= MAX_FILES) cache.delete(cache.keys().next().value as string);
        cache.set(full, { stamp, values });
        return values;
      } catch {
        // Unreadable: the condition reports it and does not match.
        return undefined;
      }
    },
  };
}

function parseValues(text: string): ListedValues {
  const clean = text.replace(/^\uFEFF/, '');
  let data: unknown;
  try {
    data = JSON.parse(clean);
  } catch {
    return textSet(clean.split('\n'));
  }
  if (!Array.isArray(data))
    return textSet(typeof data === 'object' && data !== null ? Object.keys(data) : clean.split('\n'));
  const scalars = new Set(data.filter((item) => typeof item !== 'object'));
  const rest = data.filter((item) => typeof item === 'object');
  return { has: (value) => scalars.has(value) || rest.some((item) => Bun.deepEquals(item, value, true)) };
}

/** Lines and keys are text, so a number of the payload is compared by its text. */
function textSet(lines: string[]): ListedValues {
  const set = new Set(lines.map((line) => line.trim()).filter((line) => line !== ''));
  return { has: (value) => (typeof value === 'string' || typeof value === 'number') && set.has(String(value)) };
}

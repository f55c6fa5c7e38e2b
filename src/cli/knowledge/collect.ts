import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { documentKind } from '../../knowledge/media-kind.ts';

/** Something to add. */
export type Source =
  | { kind: 'url'; url: string; label: string }
  | { kind: 'file'; path: string; label: string; bytes: number };

/** What the words of the command stand for. */
export interface Collected {
  sources: Source[];
  /** Files of a directory that cannot be read, as they are printed. */
  skipped: string[];
  /** Words that name nothing. */
  missing: string[];
}

/**
 * Finds the files behind the words: addresses and named files as they are, directories with everything below them that
 * is not hidden. Links to directories are not followed, so a circle ends.
 */
export async function collectSources(words: readonly string[], directory: string): Promise<Collected> {
  const collected: Collected = { sources: [], skipped: [], missing: [] };
  for (const word of new Set(words)) {
    if (/^https?:\/\//i.test(word)) {
      collected.sources.push({ kind: 'url', url: word, label: word });
      continue;
    }
    const path = resolve(directory, word);
    const info = await stat(path).catch(() => undefined);
    if (!info) collected.missing.push(word);
    else if (info.isDirectory()) await collectDirectory(path, directory, collected);
    else collected.sources.push({ kind: 'file', path, label: word, bytes: info.size });
  }
  return collected;
}

async function collectDirectory(path: string, from: string, collected: Collected): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (basename(entry.name).startsWith('.')) continue;
    const child = join(path, entry.name);
    if (entry.isDirectory()) {
      await collectDirectory(child, from, collected);
      continue;
    }
    const info = entry.isFile() || entry.isSymbolicLink() ? await stat(child).catch(() => undefined) : undefined;
    const label = relative(from, child).startsWith('..') ? child : relative(from, child);
    if (info?.isFile() && documentKind(entry.name))
      collected.sources.push({ kind: 'file', path: child, label, bytes: info.size });
    else collected.skipped.push(label);
  }
}

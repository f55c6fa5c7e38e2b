import { mkdir, readdir, realpath, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, identityOf } from './identity.ts';
import type { StdioTarget } from './model.ts';

/** Caches that are kept; the ones unused for longest go first. */
const MAX_CACHES = 64;
/** A cache used so shortly ago may be in use. */
const IN_USE_MS = 24 * 60 * 60 * 1000;

/**
 * The folder in which package runners keep what they fetched for one server. No two servers share one: a program may
 * write into its cache, and what it leaves there is what is started the next time.
 */
export async function openCache(home: string, target: StdioTarget): Promise<string> {
  const parent = join(home, 'cache', 'mcp');
  const folder = join(parent, digestOf(identityOf(target), null).slice(0, 32));
  const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
  const now = new Date();
  await utimes(folder, now, now);
  if (isNew) await prune(parent, now.getTime());
  return realpath(folder);
}

async function prune(parent: string, now: number): Promise<void> {
  const names = await readdir(parent);
  if (names.length <= MAX_CACHES) return;
  const caches = await Promise.all(
    names.map(async (name) => ({
      name,
      usedAt: (await stat(join(parent, name)).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  const old = caches
    .sort((a, b) => b.usedAt - a.usedAt)
    .slice(MAX_CACHES)
    .filter(({ usedAt }) => now - usedAt > IN_USE_MS);
  await Promise.all(old.map(({ name }) => rm(join(parent, name), { recursive: true, force: true })));
}

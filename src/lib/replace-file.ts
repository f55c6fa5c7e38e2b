import { randomBytes } from 'node:crypto';
import { chmod, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file with `text` so that readers see the old or the new one, also after a power failure. It is private to
 * its owner (0600) from the first byte; a link to a file elsewhere stays a link.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(temporary, 0o600);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const directory = await open(dirname(target), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

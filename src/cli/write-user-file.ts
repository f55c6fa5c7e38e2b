import { open } from 'node:fs/promises';

/**
 * Writes a file that the user named: a new one gets the mode that the user's umask gives (the process's own is stricter),
 * one that is there keeps its mode.
 */
export async function writeUserFile(path: string, data: string | Uint8Array, umask: number | undefined): Promise<void> {
  const created = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
  const file = created ?? (await open(path, 'w'));
  try {
    if (created && umask !== undefined) await file.chmod(0o666 & ~umask);
    await file.writeFile(data);
  } finally {
    await file.close();
  }
}

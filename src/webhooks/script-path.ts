import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, relative, resolve } from 'node:path';

export type ScriptPath = { ok: true; path: string } | { ok: false; code: 'outside' | 'missing' };

/** The real path of a route's script, which must lie inside `<home>/scripts` after every symlink is followed. */
export async function resolveScript(home: string, script: string): Promise<ScriptPath> {
  const root = join(home, 'scripts');
  // Refused by its spelling first, so that nothing outside is even looked at.
  if (script.includes('\0') || !isInside(root, resolve(root, normalize(script.trim()))))
    return { ok: false, code: 'outside' };
  try {
    const path = await realpath(resolve(root, script.trim()));
    if (!isInside(await realpath(root), path)) return { ok: false, code: 'outside' };
    return (await stat(path)).isFile() ? { ok: true, path } : { ok: false, code: 'missing' };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'EACCES')
      return { ok: false, code: 'missing' };
    throw error;
  }
}

function isInside(root: string, path: string): boolean {
  const inner = relative(root, path);
  return inner !== '' && inner !== '..' && !inner.startsWith('../') && !isAbsolute(inner);
}

import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import { isLauncher } from './launchers.ts';

/**
 * What is wrong with a script that a request names; undefined when it is a file in one of the folders, links followed.
 * A script elsewhere and one that does not exist are told alike: the answer must not say what is on the disk.
 */
export function refuseScript(path: string, folders: readonly string[]): string | undefined {
  if (folders.length === 0)
    return 'Interpreters start no scripts for requests: the operator has listed no folder in mcp.script_dirs.';
  const outside = 'The script must be the absolute path of a file in one of the folders of mcp.script_dirs.';
  if (!isAbsolute(path)) return outside;
  const real = realPath(path);
  const isInside = real !== undefined && folders.some((folder) => isBelow(real, realPath(folder)));
  if (!isInside || !statSync(real, { throwIfNoEntry: false })?.isFile()) return outside;
  // A folder of packages may hold npm itself, which starts whatever it is told to fetch.
  return isLauncher(real) || packagesOf(real).some(isLauncher)
    ? 'The script starts whatever its arguments say, so requests may not use it.'
    : undefined;
}

/** The packages a file lies in: `/x/node_modules/npm/bin/npm-cli.js` is in `npm`. */
function packagesOf(path: string): string[] {
  const parts = path.split(sep);
  return parts.flatMap((part, index) =>
    part === 'node_modules' && parts[index + 1] ? [parts[index + 1] as string] : [],
  );
}

function isBelow(path: string, folder: string | undefined): boolean {
  return folder !== undefined && folder !== sep && path.startsWith(folder + sep);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { isWithin } from './shared-folders.ts';

const SYSTEM = /^\/(usr|bin|sbin|lib|lib32|lib64)(\/|$)/;
/** What lies beside the `bin` of an installation and belongs to its programs. */
const BESIDE_BIN = ['lib', 'lib64', 'libexec'];
/** Programs that other programs start by name. */
const COMPANIONS = ['node', 'bun', 'deno', 'python3', 'uv', 'git'];

/**
 * The folders outside the system's own that programs of the PATH need: those of the PATH, those their links lead to,
 * the libraries beside them. A folder that holds the user's home or the agent home is never one of them.
 */
export function programFolders(program: string, path: string, home: string, userHome: string = homedir()): string[] {
  const entries = path.split(delimiter).filter((entry) => isAbsolute(entry));
  const programs = [program, ...COMPANIONS.map((name) => Bun.which(name, { PATH: path }))].filter(
    (file) => file !== null,
  );
  const folders = new Set<string>();
  for (const bin of [...entries, dirname(program), ...programs.map((file) => dirname(realPath(file)))])
    for (const folder of installationOf(bin, userHome)) {
      const real = realPath(folder);
      const isTooMuch = [folder, real].some((found) => isWithin(userHome, found) || isWithin(home, found));
      if (!SYSTEM.test(real) && !isTooMuch && existsSync(folder)) folders.add(folder);
    }
  return [...folders];
}

function installationOf(bin: string, userHome: string): string[] {
  const parent = dirname(bin);
  // pyenv, asdf and their like start what lies beside their shims.
  if (basename(bin) === 'shims') return [parent];
  if (existsSync(join(parent, 'pyvenv.cfg'))) return [parent];
  const isInstallation = basename(bin) === 'bin' && parent !== userHome && parent !== '/';
  return [bin, ...(isInstallation ? BESIDE_BIN.map((name) => join(parent, name)) : [])];
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

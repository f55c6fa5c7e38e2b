import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { SharedFolder } from './model.ts';

/** Part of every sandbox, or never part of one. */
const SYSTEM = /^\/(usr|bin|sbin|lib|lib32|lib64|libx32|proc|sys|dev|boot)(\/|$)/;
/** Only the thing that was named itself, and only for reading. */
const STATE_OF_THE_SYSTEM = /^\/(etc|run|var\/run)(\/|$)/;
const SCRIPT = /\.([cm]?[jt]sx?|py|pyz|rb|pl|php|jar|wasm)$/i;
/** What a project is known by; its scripts import from beside it. */
const PROJECT_FILES = ['package.json', 'pyproject.toml', 'deno.json', 'requirements.txt', 'pyvenv.cfg', '.venv'];
const MAX_LEVELS = 6;

/**
 * The folders that words of a command line name: a folder as it is, the project of a script for reading, the folder of
 * any other file, also of one that is still to be made. The agent home is never among them, and of what lies in it only folders, for reading.
 */
export function foldersNamed(words: readonly string[], home: string, userHome: string = homedir()): SharedFolder[] {
  const found = new Map<string, SharedFolder>();
  for (const word of words) {
    const folder = folderOf(pathIn(word), home, userHome);
    if (folder && !found.get(folder.path)?.writable) found.set(folder.path, folder);
  }
  return [...found.values()];
}

/**
 * The same for a server of a request: nothing that holds the user's home, and nothing for its script, which lies in a
 * folder for scripts and sees that.
 */
export function foldersForRequests(
  words: readonly string[],
  home: string,
  scriptDirs: readonly string[],
  userHome: string = homedir(),
): SharedFolder[] {
  const others = words.filter((word) => !scriptDirs.some((folder) => isWithin(word, folder)));
  return foldersNamed(others, home, userHome).filter(({ path }) => !isWithin(userHome, realpathSync(path)));
}

/** `/srv/data` of `/srv/data`, `--root=/srv/data` and `file:///srv/data`. */
function pathIn(word: string): string | undefined {
  const value = /^--?[\w-]+=(.*)$/s.exec(word)?.[1] ?? word;
  const path = value.startsWith('file:///') ? value.slice('file://'.length) : value;
  return isAbsolute(path) && !path.includes('\0') ? resolve(path) : undefined;
}

function folderOf(path: string | undefined, home: string, userHome: string): SharedFolder | undefined {
  if (path === undefined || path === sep || SYSTEM.test(path)) return undefined;
  const isTooMuch = (folder: string) => folder === sep || folder === userHome || isWithin(home, folder);
  const kind = statSync(path, { throwIfNoEntry: false });
  if (!kind) return folderToBe(dirname(path), home, isTooMuch);
  const real = realpathSync(path);
  if (STATE_OF_THE_SYSTEM.test(path) || STATE_OF_THE_SYSTEM.test(real)) return { path, writable: false };
  if (kind.isDirectory()) {
    if (real === home) return undefined;
    return { path, writable: !isWithin(real, home) };
  }
  const parent = dirname(path);
  if (isWithin(real, home)) return dirname(real) === home ? undefined : { path: parent, writable: false };
  if (SCRIPT.test(path)) return { path: projectOf(path, isTooMuch), writable: false };
  // A database wants its journal beside it.
  return { path: isTooMuch(parent) || SYSTEM.test(parent) ? path : parent, writable: true };
}

/** The folder of a file that the program will make. */
function folderToBe(parent: string, home: string, isTooMuch: (folder: string) => boolean): SharedFolder | undefined {
  if (SYSTEM.test(parent) || STATE_OF_THE_SYSTEM.test(parent)) return undefined;
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const real = realpathSync(parent);
  return isTooMuch(parent) || isTooMuch(real) || isWithin(real, home) ? undefined : { path: parent, writable: true };
}

/** The folder a script can import from: all its packages, or what holds its project. */
function projectOf(script: string, isTooMuch: (folder: string) => boolean): string {
  const parent = dirname(script);
  const packages = script.indexOf(`${sep}node_modules${sep}`);
  if (packages > 0) return script.slice(0, packages + `${sep}node_modules`.length);
  for (let folder = parent, level = 0; level < MAX_LEVELS && !isTooMuch(folder); folder = dirname(folder), level++)
    if (PROJECT_FILES.some((name) => existsSync(join(folder, name)))) return folder;
  return isTooMuch(parent) ? script : parent;
}

/** Whether a path is a folder or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

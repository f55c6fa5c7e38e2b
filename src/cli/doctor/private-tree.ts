import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  readdirSync,
  type Stats,
} from 'node:fs';
import { join, relative } from 'node:path';

/** A file or folder that others may open, or that belongs to somebody else. */
export interface LooseEntry {
  path: string;
  /** Permission bits as they were found. */
  mode: number;
  wantedMode: number;
  /** Its owner when that is not the owner of the home. */
  strangerUid: number | undefined;
  /** True when it is as it should be now. */
  mended: boolean;
}

/** Linux names a file without opening it (open(2)); the descriptor then stands for that very file. */
const O_PATH = process.platform === 'linux' ? 0o10000000 : 0;
const LOOK = O_PATH | constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Folders that belong to one MCP server each: package managers write thousands of files there with modes of their own,
 * and the folder itself lets nobody else in.
 */
const OF_SERVERS = /^(cache\/mcp\/[0-9a-f]+|tmp\/mcp-[^/]+)$/;

/**
 * Everything at and below `root` (a real path) with bits for group or others, or with another owner than `owner`; `fix`
 * mends it. Links are not followed, and every entry is reached through the descriptor of its folder: whoever owns the
 * tree must not lead a repair by root out of it.
 */
export function findLoose(root: string, owner: { uid: number; gid: number }, fix: boolean): LooseEntry[] {
  const found: LooseEntry[] = [];
  const visit = (at: string, path: string): void => {
    const fd = lookAt(at);
    if (fd === undefined) return;
    try {
      const info = fstatSync(fd);
      const entry = judge(path, info, owner);
      if (entry) {
        entry.mended = fix && mend(fd, info, entry, owner);
        found.push(entry);
      }
      if (info.isDirectory() && !OF_SERVERS.test(relative(root, path))) {
        const folder = O_PATH ? `/proc/self/fd/${fd}` : path;
        for (const name of namesIn(folder)) visit(join(folder, name), join(path, name));
      }
    } finally {
      closeSync(fd);
    }
  };
  visit(root, root);
  return found;
}

/** Undefined for a link, and for what is gone or closed to us by now. */
function lookAt(path: string): number | undefined {
  try {
    const fd = openSync(path, LOOK);
    if (!fstatSync(fd).isSymbolicLink()) return fd;
    closeSync(fd);
  } catch {
    // Where there is no O_PATH: a link, a socket, or a file that its own owner may not read.
  }
  return undefined;
}

function judge(path: string, info: Stats, { uid }: { uid: number }): LooseEntry | undefined {
  const mode = info.mode & 0o7777;
  // A set-user-id bit in a home is nobody's wish either; the sticky and set-group-id bits of folders do no harm.
  const wantedMode = mode & (info.isDirectory() ? 0o3700 : 0o700);
  const strangerUid = info.uid === uid ? undefined : info.uid;
  if (mode === wantedMode && strangerUid === undefined) return undefined;
  return { path, mode, wantedMode, strangerUid, mended: false };
}

function mend(fd: number, info: Stats, entry: LooseEntry, { uid, gid }: { uid: number; gid: number }): boolean {
  const isStrange = entry.strangerUid !== undefined;
  // A second name may lie outside the home: a link to somebody else's file must not make it ours.
  if (isStrange && info.isFile() && info.nlink > 1) return false;
  // A descriptor of O_PATH takes no fchmod; its name in /proc stands for the same file.
  const named = `/proc/self/fd/${fd}`;
  try {
    if (O_PATH) {
      if (isStrange) chownSync(named, uid, gid);
      chmodSync(named, entry.wantedMode);
    } else {
      if (isStrange) fchownSync(fd, uid, gid);
      fchmodSync(fd, entry.wantedMode);
    }
    return true;
  } catch {
    // Not ours to change: the finding stays.
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // A folder that is closed to us belongs to somebody else, and is in the list for that.
    return [];
  }
}

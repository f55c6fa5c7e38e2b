import { readFile, statfs } from 'node:fs/promises';
import { findDescendants } from '../lib/process-tree.ts';

/** Kernel memory of an empty file in a tmpfs: its inode and its name. */
const INODE_BYTES = 1024;
/** The writable places of the sandbox; what lies in them is memory. */
const TMPFS = ['tmp', 'dev/shm'];

/**
 * Memory of a program and of everything below it in bytes; what several processes share counts once. `enough` spares
 * the exact look while a rough one stays below it; `hasFiles` adds the files of its sandbox. Linux only, 0 elsewhere.
 */
export async function usedMemory(leader: number, enough: number, hasFiles: boolean): Promise<number> {
  const pids = [leader, ...(await findDescendants(leader))];
  const files = hasFiles ? await filesIn(pids) : 0;
  const rough = await sumOf(pids, 'status', /^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm);
  if (rough + files <= enough) return rough + files;
  const exact = await sumOf(pids, 'smaps_rollup', /^Pss_(?:Anon|Shmem):\s+(\d+) kB$/gm);
  return (exact || rough) + files;
}

async function sumOf(pids: number[], file: string, field: RegExp): Promise<number> {
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')));
  const kilobytes = texts.flatMap((text) => [...text.matchAll(field)].map((match) => Number(match[1])));
  return kilobytes.reduce((sum, value) => sum + value, 0) * 1024;
}

/**
 * Size of the files in a sandbox of bubblewrap, as its first process sees them: the code can do nothing to that one. It is
 * the second here, and inside once it has a child.
 */
async function filesIn([, inside, child]: number[]): Promise<number> {
  if (inside === undefined || child === undefined) return 0;
  const sizes = TMPFS.map(async (path) => {
    const { bsize, blocks, bfree, files, ffree } = await statfs(`/proc/${inside}/root/${path}`);
    return (blocks - bfree) * bsize + (files - ffree) * INODE_BYTES;
  });
  // It may have ended meanwhile.
  return (await Promise.all(sizes).catch(() => [0])).reduce((sum, size) => sum + size, 0);
}

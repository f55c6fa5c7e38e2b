import { readdir, readFile, readlink } from 'node:fs/promises';

/** Longest wait for killed processes to be gone. */
const GONE_MS = 1000;
const POLL_MS = 5;
const PARALLEL_READS = 64;

/** How the processes of a server are known once they have left its group. */
export interface Belongings {
  /** Value of `AGENT_MCP_ID` in their environment. */
  mark: string;
  /** Folder made for this server: nothing else works in it. */
  folder: string;
  /** What was below the server before it was stopped, see `findDescendants`. */
  descendants: ReadonlySet<number>;
  leader: number;
}

/**
 * Kills processes that left their group (`setsid`, daemons): what was below the server, and whatever carries its mark
 * or works in its folder. Linux only, where `/proc` tells; elsewhere the group was all that could be reached.
 */
export async function killStragglers({ mark, folder, descendants, leader }: Belongings): Promise<void> {
  // Signalled at once and only once: later their numbers may be those of strangers.
  for (const pid of descendants) kill(pid);
  const deadline = performance.now() + GONE_MS;
  // Until none is found: a process may start another between the look and the signal, and takes a moment to go.
  while (performance.now() < deadline) {
    const found = await findMarked(mark, folder);
    found.delete(leader);
    if (found.size === 0) return;
    for (const pid of found) kill(pid);
    await Bun.sleep(POLL_MS);
  }
}

/**
 * Whether a process of the group still runs. Ended ones that nobody collects (in a container without an init process)
 * keep the group's number alive and do nothing. True where `/proc` does not tell.
 */
export async function isGroupRunning(leader: number): Promise<boolean> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return true;
  for (let start = 0; start < pids.length; start += PARALLEL_READS) {
    const stats = await Promise.all(
      pids.slice(start, start + PARALLEL_READS).map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')),
    );
    // proc(5): "pid (name) state parent group …"; the name may hold anything.
    const fields = stats.map((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' '));
    if (fields.some(([state, , group]) => group === String(leader) && state !== 'Z' && state !== 'X')) return true;
  }
  return false;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

async function findMarked(mark: string, folder: string): Promise<Set<number>> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter((pid) => Number.isInteger(pid) && pid > 1 && pid !== process.pid);
  const found = new Set<number>();
  const needle = `AGENT_MCP_ID=${mark}`;
  for (let start = 0; start < pids.length; start += PARALLEL_READS) {
    await Promise.all(
      pids.slice(start, start + PARALLEL_READS).map(async (pid) => {
        // Both are empty for zombies and unreadable for other users' processes.
        const [environment, workingFolder] = await Promise.all([
          readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''),
          readlink(`/proc/${pid}/cwd`).catch(() => ''),
        ]);
        if (environment.includes(needle) || workingFolder === folder || workingFolder.startsWith(`${folder}/`))
          found.add(pid);
      }),
    );
  }
  return found;
}

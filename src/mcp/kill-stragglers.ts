import { readdir, readFile } from 'node:fs/promises';

/** Longest wait for killed processes to be gone. */
const GONE_MS = 1000;
const POLL_MS = 5;
const PARALLEL_READS = 64;

/**
 * Kills processes that left their group (`setsid`, daemons): whatever carries the mark in its environment, with all
 * below it. Linux only, where `/proc` tells; elsewhere the group was all that could be reached.
 */
export async function killStragglers(mark: string, leader: number): Promise<void> {
  const deadline = performance.now() + GONE_MS;
  // Until none is found: a process may start another between the look and the signal, and takes a moment to go.
  while (performance.now() < deadline) {
    const found = await findMarked(mark);
    found.delete(leader);
    if (found.size === 0) return;
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended meanwhile.
      }
    }
    await Bun.sleep(POLL_MS);
  }
}

async function findMarked(mark: string): Promise<Set<number>> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter((pid) => Number.isInteger(pid) && pid > 1 && pid !== process.pid);
  const found = new Set<number>();
  const needle = `AGENT_MCP_ID=${mark}`;
  for (let start = 0; start < pids.length; start += PARALLEL_READS) {
    await Promise.all(
      pids.slice(start, start + PARALLEL_READS).map(async (pid) => {
        // Empty for zombies, unreadable for other users' processes.
        const text = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
        if (text.includes(needle)) found.add(pid);
      }),
    );
  }
  return found;
}

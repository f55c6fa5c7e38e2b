import { expect, test } from 'bun:test';
import { findDescendants } from '../../src/lib/process-tree.ts';
import { isGroupRunning } from '../../src/mcp/kill-stragglers.ts';

/** A shell in a group of its own that waits, with a child in a session of its own. */
function startFamily() {
  return Bun.spawn(['sh', '-c', 'setsid sleep 60 & echo started; wait'], { detached: true, stdout: 'pipe' });
}

async function untilStarted(child: ReturnType<typeof startFamily>): Promise<void> {
  const reader = child.stdout.getReader();
  await reader.read();
  reader.releaseLock();
}

test.skipIf(process.platform !== 'linux')('a child that left the group is among the descendants', async () => {
  const child = startFamily();
  await untilStarted(child);
  const descendants = await findDescendants(child.pid);
  for (const pid of [child.pid, ...descendants]) process.kill(pid, 'SIGKILL');
  await child.exited;
  expect(descendants.size).toBe(1);
  expect(await findDescendants(child.pid)).toEqual(new Set());
});

test.skipIf(process.platform !== 'linux')(
  'a group runs until its last process has ended, collected or not',
  async () => {
    // The shell never waits for its ended child, which stays in the group as a zombie.
    const child = Bun.spawn(['sh', '-c', 'sleep 0 & echo started; exec sleep 60'], { detached: true, stdout: 'pipe' });
    await untilStarted(child);
    expect(await isGroupRunning(child.pid)).toBe(true);
    process.kill(-child.pid, 'SIGKILL');
    await child.exited;
    // The kernel ends the members of a group one after the other.
    for (let look = 0; look < 100 && (await isGroupRunning(child.pid)); look++) await Bun.sleep(20);
    expect(await isGroupRunning(child.pid)).toBe(false);
  },
);

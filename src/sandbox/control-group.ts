import { mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { findDescendants } from '../lib/process-tree.ts';

/** Limits of everything that one call starts, together. */
export interface GroupLimits {
  memoryBytes: number;
  processes: number;
}

/** A control group with one call in it. */
export interface CallGroup {
  /** Words in front of a command that let it start inside. */
  enter: string[];
  /** True when the kernel ended the call for its memory. */
  ranOutOfMemory(): Promise<boolean>;
  /** Kills what is left and takes the group away. */
  remove(): Promise<void>;
}

/** Where the kernel shows control groups; tests have a folder of their own. */
export interface ControlGroupPlaces {
  /** cgroups(7): `0::/path` of this process. */
  membership: string;
  mount: string;
}

const PLACES: ControlGroupPlaces = { membership: '/proc/self/cgroup', mount: '/sys/fs/cgroup' };
const CONTROLLERS = ['memory', 'pids'];
/** A group has either processes or groups with limits: this one takes our own processes. */
const OWN_GROUP = 'agent-server';
const MAX_MOVES = 20;
const GONE_MS = 1000;
const POLL_MS = 5;

/**
 * Limits of memory and processes that the kernel keeps for a whole call (cgroup v2), whatever the code does. Only where
 * the group of this process was delegated to its user, as `Delegate=` of systemd does, and nobody else is in it.
 */
export class ControlGroups {
  readonly #places: ControlGroupPlaces;
  #base: Promise<string | undefined> | undefined;

  constructor(places: ControlGroupPlaces = PLACES) {
    this.#places = places;
  }

  /** A group for one call, to be removed afterwards; undefined where there are none for us. */
  async open({ memoryBytes, processes }: GroupLimits): Promise<CallGroup | undefined> {
    this.#base ??= this.#prepare().catch(() => undefined);
    const base = await this.#base;
    if (base === undefined) return undefined;
    const group = join(base, `python-${crypto.randomUUID()}`);
    try {
      await mkdir(group);
      await writeFile(join(group, 'memory.max'), String(memoryBytes));
      await writeFile(join(group, 'pids.max'), String(processes));
    } catch {
      await remove(group);
      return undefined;
    }
    // A machine without swap, or an older kernel, has no such files.
    await writeFile(join(group, 'memory.swap.max'), '0').catch(() => {});
    await writeFile(join(group, 'memory.oom.group'), '1').catch(() => {});
    return {
      enter: ['/bin/sh', '-c', 'echo 0 >"$0" && exec "$@"', join(group, 'cgroup.procs')],
      ranOutOfMemory: async () =>
        Number(/^oom_kill (\d+)$/m.exec(await read(join(group, 'memory.events')))?.[1] ?? 0) > 0,
      remove: () => remove(group),
    };
  }

  async #prepare(): Promise<string | undefined> {
    const path = /^0::(\/.*)$/m.exec(await read(this.#places.membership))?.[1];
    const uid = process.geteuid?.();
    // To root every group belongs; which of them it may use cannot be told.
    if (path === undefined || !uid) return undefined;
    const own = join(this.#places.mount, path);
    const base = basename(own) === OWN_GROUP ? dirname(own) : own;
    if ((await stat(join(base, 'cgroup.procs'))).uid !== uid) return undefined;
    const offered = (await read(join(base, 'cgroup.controllers'))).trim().split(' ');
    if (!CONTROLLERS.every((controller) => offered.includes(controller))) return undefined;
    if (!(await this.#moveOut(base))) return undefined;
    await writeFile(join(base, 'cgroup.subtree_control'), CONTROLLERS.map((name) => `+${name}`).join(' '));
    return base;
  }

  /** Takes this process and those it has started to a group of their own; false when others are there. */
  async #moveOut(base: string): Promise<boolean> {
    const target = join(base, OWN_GROUP, 'cgroup.procs');
    for (let move = 0; move < MAX_MOVES; move++) {
      const pids = (await read(join(base, 'cgroup.procs'))).split('\n').filter(Boolean).map(Number);
      if (pids.length === 0) return true;
      const ours = await findDescendants(process.pid);
      if (pids.some((pid) => pid !== process.pid && !ours.has(pid))) return false;
      await mkdir(dirname(target), { recursive: true });
      // One that has just ended cannot be moved.
      for (const pid of pids) await writeFile(target, String(pid)).catch(() => {});
    }
    return false;
  }
}

async function remove(group: string): Promise<void> {
  await writeFile(join(group, 'cgroup.kill'), '1').catch(() => {});
  const deadline = performance.now() + GONE_MS;
  // Killed processes take a moment to leave it.
  while (performance.now() < deadline) {
    const isGone = await rmdir(group).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
    if (isGone) return;
    await Bun.sleep(POLL_MS);
  }
}

async function read(path: string): Promise<string> {
  return readFile(path, 'latin1');
}

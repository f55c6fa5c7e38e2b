import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { findDescendants } from '../lib/process-tree.ts';
import { openCache } from './cache-folder.ts';
import { isGroupRunning, killStragglers } from './kill-stragglers.ts';
import type { StdioTarget } from './model.ts';
import type { ServerSandbox } from './server-sandbox.ts';

/** Time a program has to end by itself after its input was closed and it was asked to stop. */
const GRACE_MS = 1000;
/** Wait for the last processes of a killed group to disappear. */
const GONE_MS = 500;
const POLL_MS = 5;

/** Where the programs of stdio servers run. */
export interface ChildPlaces {
  /** Agent home: working folders below `tmp/`, package caches below `cache/`. */
  home: string;
  /** Folders in which programs are looked for. */
  path: string;
  groups: RunningGroups;
  sandbox: ServerSandbox;
}

/** The programs that run now; they are killed with this process, however it ends. */
export class RunningGroups {
  /** Working folder by process group. */
  readonly #folders = new Map<number, string>();

  add(pid: number, folder: string): void {
    if (this.#folders.size === 0) process.on('exit', this.#leave);
    this.#folders.set(pid, folder);
  }

  remove(pid: number): void {
    if (this.#folders.delete(pid) && this.#folders.size === 0) process.off('exit', this.#leave);
  }

  /** Kills every program; whoever waits for one hears at once that it ended. */
  killAll(): void {
    for (const pid of this.#folders.keys()) signalGroup(pid, 'SIGKILL');
  }

  readonly #leave = () => {
    this.killAll();
    for (const folder of this.#folders.values()) rmSync(folder, { recursive: true, force: true });
  };
}

/** A program with everything it starts; all of it is gone after `stop`. */
export interface ServerProcess {
  readonly pid: number;
  readonly stdin: Bun.FileSink;
  readonly stdout: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly stderr: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Resolves with what it ended with: "status 1" or "signal SIGKILL". */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts a program without a shell, in a session and a working folder of its own, with a clean environment, shut in
 * where it belongs into the sandbox. The caller must `stop` it; when this process exits first, the whole group is
 * killed with it.
 */
export async function startServerProcess(target: StdioTarget, places: ChildPlaces): Promise<ServerProcess> {
  const program = Bun.which(target.command, { PATH: places.path });
  if (!program)
    throw new AppError(`The program ${printable(target.command)} is not on the PATH of the server.`, {
      code: 'mcp_server_failed',
      category: 'upstream',
      status: 500,
    });
  const mark = crypto.randomUUID();
  const parent = join(places.home, 'tmp');
  await mkdir(parent, { recursive: true, mode: 0o700 });
  // The real path, because processes are looked for by it.
  const folder = await realpath(await mkdtemp(join(parent, 'mcp-')));
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const cache = await openCache(places.home, target);
    const launch = await places.sandbox.wrap({ target, program, folder, cache });
    const home = target.trusted && !launch.isSandboxed ? homedir() : folder;
    const env = { ...(await environmentOf(places, { home, folder, cache })), ...target.env, AGENT_MCP_ID: mark };
    const child = Bun.spawn(launch.command, {
      cwd: launch.isSandboxed ? '/' : (target.cwd ?? folder),
      env,
      stdio: ['pipe', 'pipe', 'pipe', ...(launch.thirdFile ? [Bun.file(launch.thirdFile)] : [])],
      // A session of its own: one signal reaches everything it starts.
      detached: true,
    });
    const { pid } = child;
    places.groups.add(pid, folder);
    if (launch.thirdFile) await rm(launch.thirdFile, { force: true });
    const stop = async () => {
      try {
        const descendants = await findDescendants(pid);
        void Promise.resolve(child.stdin.end()).catch(() => undefined);
        // A sandbox ends at once when it is asked to; what runs in it is to hear of it first.
        if (launch.isSandboxed) for (const inner of descendants) signal(inner, 'SIGTERM');
        else signalGroup(pid, 'SIGTERM');
        await Promise.race([child.exited, Bun.sleep(GRACE_MS)]);
        signalGroup(pid, 'SIGKILL');
        await killStragglers({ mark, folder, descendants, leader: pid });
        await untilGone(pid);
      } finally {
        places.groups.remove(pid);
        await removeFolder();
      }
    };
    let stopping: Promise<void> | undefined;
    return {
      pid,
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr,
      ended: child.exited.then(() => (child.signalCode ? `signal ${child.signalCode}` : `status ${child.exitCode}`)),
      stop() {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    await removeFolder();
    if (error instanceof AppError) throw error;
    throw new AppError(`The program ${printable(target.command)} could not be started.`, {
      code: 'mcp_server_failed',
      category: 'upstream',
      status: 500,
      cause: error,
    });
  }
}

/** Nothing of ours is handed on: no key, no token, no option of an interpreter. */
async function environmentOf({ path }: ChildPlaces, folders: { home: string; folder: string; cache: string }) {
  const { home, folder, cache } = folders;
  const registry = await npmRegistry();
  return {
    PATH: path,
    HOME: home,
    TMPDIR: folder,
    LANG: 'C.UTF-8',
    // Kept between runs: a fresh HOME would make every start a download.
    npm_config_cache: join(cache, 'npm'),
    npm_config_update_notifier: 'false',
    BUN_INSTALL_CACHE_DIR: join(cache, 'bun'),
    UV_CACHE_DIR: join(cache, 'uv'),
    DENO_DIR: join(cache, 'deno'),
    ...(registry ? { npm_config_registry: registry } : {}),
  };
}

/** The machine's package registry, without the credentials beside it. */
async function npmRegistry(): Promise<string | undefined> {
  const text = await readFile(join(homedir(), '.npmrc'), 'utf8').catch(() => '');
  const url = URL.parse(/^[ \t]*registry[ \t]*=[ \t]*["']?([^\s"']+)/m.exec(text)?.[1] ?? '');
  return url && !url.username && !url.password && !url.search ? url.href : undefined;
}

/** Signals every process of the group; false when none is left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    // EPERM: something is left that is not ours; ESRCH: nothing is left.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended meanwhile.
  }
}

async function untilGone(pid: number): Promise<void> {
  const deadline = performance.now() + GONE_MS;
  while (signalGroup(pid, 0) && performance.now() < deadline && (await isGroupRunning(pid))) await Bun.sleep(POLL_MS);
}

function printable(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 100);
}

import { realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Config } from '../config/schema.ts';
import { fail } from '../errors.ts';
import { type Bubblewrap, lookAtBubblewrap } from '../sandbox/bubblewrap.ts';
import { seccompFilter } from '../sandbox/seccomp-filter.ts';
import { profileOf } from './command-profiles.ts';
import type { SharedFolder, StdioTarget } from './model.ts';
import { programFolders } from './program-folders.ts';
import { sandboxCommand } from './sandbox-command.ts';
import { foldersNamed } from './shared-folders.ts';

const LOOK_MS = 10_000;
/** Programs that only talk to a service of the machine: without its socket they can do nothing. */
const SOCKETS: Record<string, string> = { docker: '/var/run/docker.sock' };

/** Whether bubblewrap can be used on this machine; `why` is half a sentence. */
export type SandboxLook = { ok: true; bubblewrap: Bubblewrap } | { ok: false; why: string };

/** A program that is about to be started. */
export interface Launch {
  target: StdioTarget;
  /** Path of the program. */
  program: string;
  /** Its own folder; it exists. */
  folder: string;
  /** Its package cache; it exists. */
  cache: string;
}

/** How a program is started. */
export interface WrappedLaunch {
  command: string[];
  /** A file the command needs open as descriptor 3. */
  thirdFile: string | undefined;
  isSandboxed: boolean;
}

export interface ServerSandboxOptions {
  config: Pick<Config['mcp'], 'sandbox' | 'network' | 'sandbox_folders' | 'script_dirs' | 'path'>;
  home: string;
  /** Hears once that servers run without a sandbox although one was wanted. */
  onMissing?: (why: string) => void;
}

/** Shuts stdio servers in with bubblewrap. */
export class ServerSandbox {
  readonly #options: ServerSandboxOptions;
  #look: Promise<SandboxLook> | undefined;

  constructor(options: ServerSandboxOptions) {
    this.#options = options;
  }

  /** Whether servers can be shut in here; found out once, by doing it. */
  look(): Promise<SandboxLook> {
    this.#look ??= tryBubblewrap(this.#options.config.path).then((look) => {
      const { config, onMissing } = this.#options;
      if (!look.ok && config.sandbox === 'auto') onMissing?.(look.why);
      return look;
    });
    return this.#look;
  }

  /** The command that starts a program, in the sandbox where it belongs there. Throws `mcp_sandbox_missing`. */
  async wrap(launch: Launch): Promise<WrappedLaunch> {
    const { target, program } = launch;
    const bare = { command: [program, ...target.args], thirdFile: undefined, isSandboxed: false };
    const { config } = this.#options;
    if (config.sandbox === 'off' || target.sandbox?.enabled === false) return bare;
    const look = await this.look();
    if (look.ok) return this.#shutIn(launch, look.bubblewrap);
    if (config.sandbox === 'auto') return bare;
    throw fail(
      'mcp_sandbox_missing',
      `MCP servers run only in a sandbox here (mcp.sandbox: required), and there is none: ${look.why}. The operator can install bubblewrap.`,
    );
  }

  async #shutIn(launch: Launch, bubblewrap: Bubblewrap): Promise<WrappedLaunch> {
    const { target, program, folder } = launch;
    const home = await realpath(this.#options.home);
    const filter = seccompFilter('program');
    const thirdFile = filter && join(folder, '.seccomp');
    if (thirdFile) await writeFile(thirdFile, filter);
    const command = sandboxCommand({
      ...bubblewrap,
      hasFilter: thirdFile !== undefined,
      network: target.sandbox?.network ?? this.#options.config.network,
      home,
      cwd: target.cwd ?? folder,
      folders: this.#foldersOf(launch, home),
    });
    return { command: [...command, program, ...target.args], thirdFile, isSandboxed: true };
  }

  #foldersOf({ target, program, folder, cache }: Launch, home: string): SharedFolder[] {
    const { config } = this.#options;
    const isScript = profileOf(basename(program))?.names === 'script';
    const socket = SOCKETS[basename(program)];
    return [
      ...[
        ...programFolders(program, config.path, home),
        ...config.sandbox_folders,
        ...(isScript && !target.trusted ? config.script_dirs : []),
      ].map((path) => ({ path, writable: false })),
      // What an untrusted server names it gets only by approval, which is in its wish.
      ...(target.trusted ? foldersNamed([target.command, ...target.args, ...Object.values(target.env)], home) : []),
      ...(target.sandbox?.folders ?? []),
      ...[target.cwd, socket, cache, folder].flatMap((path) => (path === undefined ? [] : [{ path, writable: true }])),
    ];
  }
}

/** Builds a sandbox around `bwrap --version`: namespaces may be forbidden although the program is there. */
async function tryBubblewrap(path: string): Promise<SandboxLook> {
  const bwrap = Bun.which('bwrap', { PATH: path });
  if (!bwrap) return { ok: false, why: 'bubblewrap (bwrap) is not installed' };
  const bubblewrap = await lookAtBubblewrap(bwrap);
  const own = dirname(await realpath(bwrap));
  const folders = own.startsWith('/usr/') ? [] : [{ path: own, writable: false }];
  const plan = { ...bubblewrap, hasFilter: false, network: true, home: '/', cwd: '/', folders };
  const trial = await run([...sandboxCommand(plan), bwrap, '--version']);
  if (trial.exitCode === 0) return { ok: true, bubblewrap };
  const complaint = /^bwrap: ([^\n]{1,200})/m.exec(trial.stderr)?.[1] ?? `it ended with status ${trial.exitCode}`;
  return { ok: false, why: `bubblewrap does not work here (${complaint})` };
}

async function run(command: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const child = Bun.spawn(command, { env: {}, stdio: ['ignore', 'pipe', 'pipe'], timeout: LOOK_MS });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { exitCode: await child.exited, stdout, stderr };
}

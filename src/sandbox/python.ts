import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Config } from '../config/schema.ts';
import { type AppError, fail } from '../errors.ts';
import { programEnvironment } from '../lib/program-environment.ts';
import { Semaphore } from '../lib/semaphore.ts';
import { bubblewrapCommand, lookAtBubblewrap, RELOCATED_PYTHON } from './bubblewrap.ts';
import { ControlGroups } from './control-group.ts';
import { PYTHON_RUNNER } from './python-runner.ts';
import { type ProgramResult, runProgram } from './run-program.ts';
import { seccompFilter } from './seccomp-filter.ts';

/** Looks a program up in the PATH; undefined when it is not there. */
export type FindProgram = (name: string) => string | undefined;

/** Where the interpreter is and how it is shut in. */
interface Place {
  /** Path of the interpreter itself, not of a shim. */
  executable: string;
  /** The command in front of it; undefined runs it without a sandbox (`python.unsafe`). */
  wrapper: string[] | undefined;
}

/** Calls that run at the same time. */
const AT_ONCE = 2;
const LOOK_MS = 10_000;
const FILE_BYTES = 64 * 1024 * 1024;
/** What bubblewrap and its first process take of the limits of a call. */
const SANDBOX_BYTES = 16 * 1024 * 1024;
const SANDBOX_PROCESSES = 2;
/** A user of no one: limits of processes are counted by user, and do not bind root. */
const SANDBOX_UID = 64_199;
const LOOK = 'import json,sys;print(json.dumps([sys.executable,sys.base_prefix,sys.prefix]))';
const TRY_OTHER = 'Use javascript_repl_tool instead.';

/** Runs Python shut in by bubblewrap; every call is a new process with an empty /tmp. */
export class Python {
  readonly #config: Config['python'];
  readonly #find: FindProgram;
  readonly #places = new Semaphore(AT_ONCE);
  readonly #groups: ControlGroups;
  #place: Promise<Place> | undefined;

  constructor(
    config: Config['python'],
    find: FindProgram = (name) => Bun.which(name) ?? undefined,
    groups = new ControlGroups(),
  ) {
    this.#config = config;
    this.#find = find;
    this.#groups = groups;
  }

  /** Runs code; throws why it cannot (`python_disabled`, `python_unavailable`). */
  async run(code: string, signal: AbortSignal): Promise<ProgramResult> {
    if (!this.#config.enabled)
      throw fail('python_disabled', `Python is disabled on this server (ENABLE_PYTHON_REPL). ${TRY_OTHER}`);
    // What is missing may be installed while the server runs.
    this.#place ??= this.#look().catch((error: unknown) => {
      this.#place = undefined;
      throw error;
    });
    const place = await this.#place;
    return this.#places.run(() => this.#start(place, code, signal), signal);
  }

  async #start({ executable, wrapper }: Place, code: string, signal: AbortSignal): Promise<ProgramResult> {
    const { time_limit_seconds: seconds, memory_limit_bytes: memory, max_processes: processes } = this.#config;
    const limits = {
      memory,
      file: FILE_BYTES,
      cpu: Math.ceil(seconds) + 1,
      // Without a sandbox the processes of the server's user count too.
      processes: wrapper ? processes : null,
      uid: wrapper && isRoot() ? SANDBOX_UID : null,
    };
    const memoryBytes = memory + SANDBOX_BYTES;
    const cwd = await mkdtemp(join(tmpdir(), 'agent-python-'));
    const group = await this.#groups.open({ memoryBytes, processes: processes + SANDBOX_PROCESSES });
    try {
      const filter = wrapper && seccompFilter('code');
      const thirdFile = filter && join(cwd, 'seccomp');
      if (thirdFile) await writeFile(thirdFile, filter);
      const result = await runProgram({
        command: [
          ...(group?.enter ?? []),
          ...(wrapper ?? []),
          ...[executable, '-I', '-B', '-c', PYTHON_RUNNER, JSON.stringify(limits)],
        ],
        cwd,
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: cwd, LANG: 'C.UTF-8' },
        stdin: code,
        thirdFile,
        timeMs: seconds * 1000,
        outputBytes: this.#config.output_limit_bytes,
        memory: group ? undefined : { bytes: memoryBytes, hasFiles: wrapper !== undefined },
        signal,
      });
      if (await group?.ranOutOfMemory()) return { ...result, exceeded: 'memory' };
      const refusal = /^bwrap: (.*)$/m.exec(result.complaint)?.[1];
      if (refusal !== undefined) throw unavailable(`bubblewrap could not build the sandbox (${refusal}).`);
      if (result.exitCode !== 0 && result.output === '' && result.complaint !== '' && !result.exceeded)
        throw fail('python_failed', 'The Python sandbox failed to start.', { cause: new Error(result.complaint) });
      return result;
    } finally {
      await group?.remove();
      await rm(cwd, { recursive: true, force: true });
    }
  }

  async #look(): Promise<Place> {
    const { command, unsafe } = this.#config;
    const bwrap = this.#find('bwrap');
    if (!bwrap && !unsafe)
      throw unavailable(
        'bubblewrap (bwrap) is not installed. The operator can install it, or set python.unsafe: true.',
      );
    const python = isAbsolute(command) ? command : this.#find(command);
    if (!python) throw unavailable(`there is no ${command} on this machine.`);
    const look = await ask([python, '-I', '-c', LOOK]);
    const [executable, basePrefix, prefix] = parsePaths(look.output);
    if (!executable || !basePrefix || !prefix) throw unavailable(`${command} does not run.`);
    if (!bwrap) return { executable, wrapper: undefined };
    const sandbox = {
      ...(await lookAtBubblewrap(bwrap)),
      hasFilter: seccompFilter('code') !== undefined,
    };
    if (basePrefix === prefix && isOutside(prefix) && executable.startsWith(`${prefix}/`)) {
      const wrapper = bubblewrapCommand({ ...sandbox, binds: [{ from: prefix, to: RELOCATED_PYTHON }] });
      return { executable: RELOCATED_PYTHON + executable.slice(prefix.length), wrapper };
    }
    // A virtual environment names its interpreter by absolute path.
    const folders = [...new Set([basePrefix, prefix])].filter(isOutside);
    return {
      executable,
      wrapper: bubblewrapCommand({ ...sandbox, binds: folders.map((path) => ({ from: path, to: path })) }),
    };
  }
}

function ask(command: [program: string, ...args: string[]]): Promise<ProgramResult> {
  const signal = new AbortController().signal;
  const env = programEnvironment(command[0]);
  return runProgram({ command, cwd: '/', env, stdin: '', timeMs: LOOK_MS, outputBytes: 65_536, signal });
}

function parsePaths(text: string): string[] {
  try {
    const paths: unknown = JSON.parse(text);
    return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string' && isAbsolute(path)) : [];
  } catch {
    return [];
  }
}

function isOutside(path: string): boolean {
  return path !== '/' && !/^\/usr(\/|$)/.test(path);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function unavailable(why: string): AppError {
  return fail('python_unavailable', `Python cannot run here: ${why} ${TRY_OTHER}`);
}

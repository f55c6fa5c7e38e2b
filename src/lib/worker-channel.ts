import { existsSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { WorkerRequest, WorkerResponse } from './serve-worker.ts';

/** Where the code of a worker is, and what it runs as. */
export interface WorkerSource {
  /**
   * A thread shares this process; one that is busy in native code (a regular expression, a decoder) cannot be ended. A
   * process can, whatever it does, has a memory of its own that can be measured, and sees neither secrets nor sockets:
   * it is for what strangers send. It starts in some 10 ms from source and 50 ms from a binary.
   */
  kind: 'thread' | 'process';
  /** `import.meta.url` of a module that lies beside the worker's file. */
  moduleUrl: string;
  /** Folder below `src` and name without `.worker.ts`, such as `crawl/parse`. */
  path: string;
}

/** What a worker that runs can be told. */
export interface WorkerChannel {
  send(request: WorkerRequest, transfer: ArrayBuffer[]): void;
  /** Ends it at once. */
  kill(): void;
  /** Keeps this process alive, or no longer. */
  ref(): void;
  unref(): void;
  /** Lets everybody else go first, for good; a thread stays as it is. */
  yield(): void;
  /** Resident memory in bytes; undefined for a thread, and where the system does not tell. */
  memory(): number | undefined;
}

/** Whom a worker tells. */
export interface WorkerListener {
  onAnswer(response: WorkerResponse): void;
  /** It ended by itself. */
  onEnd(reason: Error): void;
}

/** First argument of a binary that is to be a worker; the second is `WorkerSource.path`. */
export const WORKER_ARGUMENT = '__worker';

const LOWEST_PRIORITY = 19;

/** Starts a worker. */
export function startWorker(source: WorkerSource, listener: WorkerListener): WorkerChannel {
  return source.kind === 'thread' ? startThread(source, listener) : startProcess(source, listener);
}

function startThread(source: WorkerSource, listener: WorkerListener): WorkerChannel {
  const name = source.path.slice(source.path.lastIndexOf('/') + 1);
  const file = isEmbedded(source) ? `./src/${source.path}.worker.js` : `./${name}.worker.ts`;
  // The DOM's declaration of Worker hides Bun's.
  const thread = new Worker(new URL(file, source.moduleUrl).href, {
    smol: true,
  } as WorkerOptions) as never as Bun.Worker;
  thread.onmessage = ((event: MessageEvent<WorkerResponse>) =>
    listener.onAnswer(event.data)) as typeof thread.onmessage;
  thread.onerror = (event) => {
    event.preventDefault();
    listener.onEnd(event.error instanceof Error ? event.error : new Error(event.message));
  };
  return {
    send: (request, transfer) => thread.postMessage(request, transfer),
    kill: () => thread.terminate(),
    ref: () => thread.ref(),
    unref: () => thread.unref(),
    yield: () => {},
    memory: () => undefined,
  };
}

function startProcess(source: WorkerSource, listener: WorkerListener): WorkerChannel {
  // By the running file itself: an update may have put another version at its path.
  const executable = existsSync('/proc/self/exe') ? '/proc/self/exe' : process.execPath;
  const file = `${source.path.slice(source.path.lastIndexOf('/') + 1)}.worker.ts`;
  const words = isEmbedded(source)
    ? [WORKER_ARGUMENT, source.path]
    : ['--no-env-file', '--smol', Bun.fileURLToPath(new URL(file, source.moduleUrl))];
  const child = Bun.spawn([executable, ...words], {
    argv0: 'agent-worker',
    cwd: '/',
    // Neither keys nor tokens.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore'],
    serialization: 'advanced',
    ipc: (message) => listener.onAnswer(message as WorkerResponse),
    onExit: (_child, code, signal) =>
      listener.onEnd(new Error(`The worker ended with ${signal ? `signal ${signal}` : `status ${code}`}.`)),
  });
  return {
    send: (request) => child.send(request),
    kill: () => child.kill('SIGKILL'),
    ref: () => child.ref(),
    unref: () => child.unref(),
    yield: () => {
      try {
        setPriority(child.pid, LOWEST_PRIORITY);
      } catch {
        // It ended meanwhile, or the system forbids it: then it competes like the others.
      }
    },
    memory: () => residentBytes(child.pid),
  };
}

function residentBytes(pid: number): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** In a binary a worker is an extra entry point that keeps its path in the repository (`root` in scripts/build.ts). */
function isEmbedded({ moduleUrl }: WorkerSource): boolean {
  return /\$bunfs|~BUN/.test(moduleUrl);
}

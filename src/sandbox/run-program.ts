import { usedMemory } from './used-memory.ts';

/** A program with its limits. */
export interface ProgramOptions {
  command: string[];
  cwd: string;
  /** All variables it has; none of this process reaches it. */
  env: Record<string, string>;
  stdin: string;
  /** A file the program finds open as descriptor 3. */
  thirdFile?: string | undefined;
  timeMs: number;
  /** What it prints beyond this ends it. */
  outputBytes: number;
  /** More memory than this, of all its processes and the files of its sandbox, ends it. Absent: nobody looks. */
  memory?: { bytes: number; hasFiles: boolean } | undefined;
  signal: AbortSignal;
}

export interface ProgramResult {
  output: string;
  /** What it wrote to stderr, its beginning. */
  complaint: string;
  exitCode: number | null;
  exceeded?: 'time' | 'output' | 'memory';
}

/** Time for the last output after the program has ended; a grandchild may hold the pipe open. */
const DRAIN_MS = 250;
const COMPLAINT_BYTES = 4096;
const LOOK_MS = 100;

/**
 * Runs a program as the head of its own process group and ends the whole group at a limit, on abort, and when it is
 * done. Rejects with the signal's reason on abort.
 */
export async function runProgram(options: ProgramOptions): Promise<ProgramResult> {
  const { command, cwd, env, timeMs, outputBytes, signal } = options;
  signal.throwIfAborted();
  const child = Bun.spawn(command, {
    cwd,
    env,
    stdio: [
      new TextEncoder().encode(options.stdin),
      'pipe',
      'pipe',
      ...(options.thirdFile === undefined ? [] : [Bun.file(options.thirdFile)]),
    ],
    detached: true,
  });
  let exceeded: ProgramResult['exceeded'];
  const kill = (why?: ProgramResult['exceeded']) => {
    exceeded ??= why;
    killGroup(child.pid);
  };
  const onAbort = () => kill();
  const timer = setTimeout(() => kill('time'), timeMs);
  const unwatch = options.memory ? watchMemory(child.pid, options.memory, () => kill('memory')) : () => {};
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const stdout = collect(child.stdout, outputBytes, () => kill('output'));
    const stderr = collect(child.stderr, COMPLAINT_BYTES, () => {});
    const exitCode = await child.exited;
    kill();
    await Promise.race([Promise.all([stdout.ended, stderr.ended]), Bun.sleep(DRAIN_MS)]);
    signal.throwIfAborted();
    return { output: stdout.text(), complaint: stderr.text(), exitCode, ...(exceeded ? { exceeded } : {}) };
  } finally {
    clearTimeout(timer);
    unwatch();
    signal.removeEventListener('abort', onAbort);
    kill();
  }
}

/** Looks now and then; the returned function stops it. */
function watchMemory(
  pid: number,
  { bytes, hasFiles }: { bytes: number; hasFiles: boolean },
  onExceeded: () => void,
): () => void {
  let timer: Timer | undefined;
  let stopped = false;
  const look = async () => {
    if ((await usedMemory(pid, bytes, hasFiles)) > bytes) onExceeded();
    else if (!stopped) timer = setTimeout(look, LOOK_MS);
  };
  timer = setTimeout(look, LOOK_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

/** Reads up to `limit` bytes, and goes on reading for nothing so that the writer is not held. */
function collect(stream: ReadableStream<Uint8Array>, limit: number, onFull: () => void) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const read = async () => {
    for await (const chunk of stream) {
      if (size < limit) chunks.push(chunk.subarray(0, limit - size));
      size += chunk.byteLength;
      if (size > limit) onFull();
    }
  };
  return { ended: read(), text: () => new TextDecoder().decode(Buffer.concat(chunks)) };
}

/** What the benches share: processes that print their address, memory, medians and the table. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ROOT = join(import.meta.dir, '../..');

export interface Process extends AsyncDisposable {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts a program and waits for the first http address it prints. */
export async function startProcess(command: string[], env: Record<string, string> = {}): Promise<Process> {
  const child = Bun.spawn(command, {
    cwd: ROOT,
    env: { PATH: Bun.env['PATH'] ?? '', HOME: tmpdir(), ...env },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const reader = child.stdout.getReader();
  let text = '';
  let url: string | undefined;
  while (!url) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`${command.join(' ')} ended before it printed an address: ${text}`);
    text += new TextDecoder().decode(value);
    url = /https?:\/\/[\w.:[\]-]+/.exec(text)?.[0];
  }
  void (async () => {
    while (!(await reader.read()).done);
  })();
  const stop = async () => {
    child.kill('SIGTERM');
    await child.exited;
  };
  return { url, pid: child.pid, stop, [Symbol.asyncDispose]: stop };
}

/** The compiled binary serving on a free port from an empty home. */
export async function startAgent(
  env: Record<string, string>,
  binary = join(ROOT, 'dist/agent'),
): Promise<Process & { home: string }> {
  const home = mkdtempSync(join(tmpdir(), 'agent-bench-'));
  const server = await startProcess([binary, 'serve', '--port', '0'], {
    AGENT_HOME: home,
    AGENT_LOG_LEVEL: 'error',
    ...env,
  });
  const stop = async () => {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  };
  return { ...server, home, stop, [Symbol.asyncDispose]: stop };
}

/** Resident memory of a process, MB. */
export async function rssOf(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

/** The value below which `share` of the values lie. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: number[]): number => percentile(values, 0.5);

/** Prints one result: the figure, the floor of the same run, their ratio, and the mark. */
export function printRow(what: string, figure: string, floor: string, mark: string, reached: boolean): void {
  console.log(`${reached ? 'reached' : 'MISSED '}  ${what}: ${figure}; floor ${floor}; mark ${mark}`);
}

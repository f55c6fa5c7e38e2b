import { existsSync } from 'node:fs';
import { join } from 'node:path';

const BINARY = join(import.meta.dir, '../../dist', process.platform === 'win32' ? 'agent.exe' : 'agent');

/** The compiled binary; `scripts/test` builds it before the tests. */
export function binaryPath(): string {
  if (!existsSync(BINARY)) throw new Error('dist/agent is missing: run `bun scripts/build.ts` first.');
  return BINARY;
}

/** Runs the binary to its end in an environment of its own. */
export async function runBinary(
  words: string[],
  options: { cwd: string; env?: Record<string, string>; stdin?: string },
): Promise<{ status: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([binaryPath(), ...words], {
    cwd: options.cwd,
    env: { PATH: '/usr/bin:/bin', HOME: options.cwd, ...options.env },
    stdin: new TextEncoder().encode(options.stdin ?? ''),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { status: await child.exited, stdout, stderr };
}

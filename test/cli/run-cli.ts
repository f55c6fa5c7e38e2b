import type { CliGroup } from '../../src/cli/command.ts';
import type { CliContext } from '../../src/cli/context.ts';
import { runCli } from '../../src/cli/run.ts';

export interface CliResult {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs a command in this process with its own streams and environment. */
export async function runWords(
  root: CliGroup,
  words: string[],
  options: { env?: Record<string, string>; stdin?: string; signal?: AbortSignal; terminal?: boolean } = {},
): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  const text = (chunk: string | Uint8Array) => (typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk));
  const output = (add: (text: string) => void) => ({
    write: async (chunk: string | Uint8Array) => add(text(chunk)),
    isTerminal: options.terminal ?? false,
    columns: 80,
  });
  const context: CliContext = {
    env: options.env ?? {},
    signal: options.signal ?? new AbortController().signal,
    stdin: {
      text: async () => options.stdin ?? '',
      bytes: async () => new TextEncoder().encode(options.stdin ?? ''),
      isTerminal: options.terminal ?? false,
    },
    stdout: output((chunk) => {
      stdout += chunk;
    }),
    stderr: output((chunk) => {
      stderr += chunk;
    }),
  };
  const status = await runCli(root, words, context);
  return { status, stdout, stderr };
}

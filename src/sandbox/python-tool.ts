import type { Config } from '../config/schema.ts';
import type { Tool } from '../research/tool.ts';
import { codeArgument } from './javascript-tool.ts';
import type { Python } from './python.ts';
import type { ProgramResult } from './run-program.ts';

const MEBIBYTE = 1024 * 1024;

/** `python_repl_tool`: Python shut in by bubblewrap; it exists also where Python is disabled, and says so. */
export function createPythonTool(python: Python, config: Config['python']): Tool {
  const does = config.enabled
    ? `Run Python to compute or transform data. Returns what the code printed and the value of a last expression. Every call is a new process: define again what you need. There is no network, /tmp is empty, other files are not there; a call may take ${config.time_limit_seconds} s.`
    : 'Disabled on this server: use javascript_repl_tool.';
  return {
    // Without bubblewrap the code has a network.
    ...(config.enabled && config.unsafe ? { reach: 'outside' } : {}),
    definition: {
      name: 'python_repl_tool',
      description: does,
      parameters: {
        type: 'object',
        properties: { code: { type: 'string', description: 'The code.' } },
        required: ['code'],
      },
    },
    run: async (args, signal) => {
      const result = await python.run(codeArgument(args, 'python_repl_tool'), signal);
      return { content: describe(result, config) };
    },
  };
}

function describe(result: ProgramResult, config: Config['python']): string {
  const { exceeded, exitCode } = result;
  const output = result.output.trimEnd();
  const parts = output === '' ? [] : [output];
  if (exceeded === 'time')
    parts.push(`Error: stopped, the code ran longer than the ${config.time_limit_seconds} s allowed.`);
  else if (exceeded === 'memory')
    parts.push(
      `Error: stopped, the code used more memory than the ${Math.floor(config.memory_limit_bytes / MEBIBYTE)} MB allowed.`,
    );
  else if (exceeded === 'output')
    parts.push(`Error: stopped, the code printed more than the ${config.output_limit_bytes} bytes allowed.`);
  else if (exitCode !== 0) parts.push(...hintsFor(output, config));
  // A program that the system ended says nothing itself.
  if (!exceeded && exitCode !== 0 && output === '') parts.push(`Error: the code ended with status ${exitCode}.`);
  return parts.join('\n') || '(no output; use print or end with an expression)';
}

/** Why the sandbox is the reason of an error, and what to do instead. */
function hintsFor(output: string, config: Config['python']): string[] {
  const last = output.slice(-2000);
  const hints: string[] = [];
  if (/MemoryError|cannot allocate memory/i.test(last))
    hints.push(`The code may use ${Math.floor(config.memory_limit_bytes / MEBIBYTE)} MB.`);
  if (/Resource temporarily unavailable|can't start new thread|BlockingIOError/.test(last))
    hints.push(`The code may have ${config.max_processes} processes and threads.`);
  if (
    /Network is unreachable|Address family not supported|name resolution|Name or service not known|urlopen error/.test(
      last,
    )
  )
    hints.push('The sandbox has no network; use the search tools for that.');
  else if (/PermissionError: \[Errno 1\]/.test(last))
    hints.push('The sandbox forbids this: code may compute and use /tmp, and nothing else of the system.');
  else if (/FileNotFoundError|PermissionError|Read-only file system/.test(last))
    hints.push(
      'The sandbox has no files but those of Python itself; only /tmp can be written, and is empty in every call.',
    );
  if (/ModuleNotFoundError/.test(last))
    hints.push('Only the modules installed on this server are there; none can be installed.');
  return hints;
}

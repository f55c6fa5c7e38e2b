import { fail } from '../errors.ts';
import type { Tool } from '../research/tool.ts';
import type { ExceededLimit, SandboxLimits } from './model.ts';
import type { QuickJsSession, SessionEvaluation } from './quickjs-pool.ts';

const MEBIBYTE = 1024 * 1024;
const MAX_CODE = 200_000;

/** `javascript_repl_tool`: JavaScript in a sandbox without any I/O; variables are kept for the run. */
export function createJavaScriptTool(session: QuickJsSession, limits: SandboxLimits): Tool {
  return {
    definition: {
      name: 'javascript_repl_tool',
      description: `Run JavaScript (ES2023) to compute or transform data. Returns what console.log printed and the value of the last expression. Variables are kept between calls. There is no network, no file, no module, no timer and no DOM; a call may take ${limits.timeMs / 1000} s.`,
      parameters: {
        type: 'object',
        properties: { code: { type: 'string', description: 'The code.' } },
        required: ['code'],
      },
    },
    run: async (args, signal) => {
      const evaluation = await session.evaluate(codeArgument(args, 'javascript_repl_tool'), signal);
      return { content: describe(evaluation, limits) };
    },
  };
}

/** The code of a call, without the fence that models like to put around it. */
export function codeArgument(args: Record<string, unknown>, tool: string): string {
  // Models confuse the names of parameters; one text argument is meant to be it.
  const texts = Object.values(args).filter((value) => typeof value === 'string');
  const code = args['code'] ?? (texts.length === 1 ? texts[0] : undefined);
  if (typeof code !== 'string' || code.trim() === '')
    throw fail('invalid_arguments', `${tool} needs the text argument "code".`);
  if (code.length > MAX_CODE) throw fail('invalid_arguments', `The code is longer than ${MAX_CODE} characters.`);
  return /^\s*```[\w-]*\n([\s\S]*?)\n?```\s*$/.exec(code)?.[1] ?? code;
}

function describe(evaluation: SessionEvaluation, limits: SandboxLimits): string {
  const { output, value, error, exceeded, forgot } = evaluation;
  const parts: string[] = [];
  if (forgot) parts.push('Note: the variables of earlier calls were dropped to make room for other runs.');
  if (output !== '') parts.push(output.replace(/\n$/, ''));
  if (value !== undefined) parts.push(`=> ${value}`);
  if (error !== undefined) parts.push(error);
  if (exceeded) parts.push(`${reasonOf(exceeded, limits)} The variables of this sandbox are gone.`);
  return parts.join('\n') || '(no output; use console.log or end with an expression)';
}

function reasonOf(exceeded: ExceededLimit, limits: SandboxLimits): string {
  switch (exceeded) {
    case 'time':
      return `Error: stopped, the code ran longer than the ${limits.timeMs / 1000} s allowed.`;
    case 'memory':
      return `Error: stopped, the code needed more memory than the ${Math.floor(limits.memoryBytes / MEBIBYTE)} MB allowed.`;
    case 'output':
      return `Error: stopped, the code printed more than the ${limits.outputBytes} characters allowed.`;
    default:
      return 'Error: stopped, the code broke the sandbox (its recursion or its data is too deep).';
  }
}

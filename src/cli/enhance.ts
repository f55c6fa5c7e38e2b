import { enhancePrompt } from '../prompt/enhance.ts';
import { usageError } from './args.ts';
import { defineCliCommand } from './command.ts';
import { checkOutput, namesFile, readText, writeResult } from './content/files.ts';
import { STYLE_NAMES } from './research/style-names.ts';
import { runWithDeps } from './run-with-deps.ts';

/** `agent enhance`: a prompt in, a better one out. */
export const enhanceCommand = defineCliCommand({
  description: 'Improve a prompt for research',
  examples: [
    'agent enhance "write about tides"',
    'agent enhance prompt.txt --style news --context "for a school magazine"',
  ],
  args: {
    prompt: {
      type: 'positional',
      default: '-',
      description: 'The prompt, or a file that holds it; stdin when it is left out or `-`',
    },
    context: { type: 'string', valueHint: 'text', description: 'What the prompt is meant for' },
    style: { type: 'enum', options: STYLE_NAMES, default: 'academic', description: 'Style of the report' },
    out: { type: 'string', alias: 'o', valueHint: 'file', description: 'Write the prompt to this file' },
  },
  async run(args, context) {
    await checkOutput(args.out);
    const isFile = args.prompt === '-' || (await namesFile(args.prompt));
    const prompt = isFile ? await readText(context, args.prompt, 'prompt') : args.prompt;
    if (prompt.trim() === '') throw usageError('The prompt is empty.');
    const request = { prompt, context: args.context ?? null, report_style: args.style };
    const result = await runWithDeps(context, { log: 'error' }, (deps) =>
      enhancePrompt(deps.models, request, context.signal),
    );
    const toStdout = args.out === undefined || args.out === '-';
    if (!toStdout || !context.json) await writeResult(context, args.out, `${result}\n`);
    if (context.json) await context.print(toStdout ? { result } : { path: args.out });
  },
});

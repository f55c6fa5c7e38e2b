import { PROSE_OPTIONS } from '../prose/model.ts';
import { writeProse } from '../prose/write-prose.ts';
import { usageError } from './args.ts';
import { defineCliCommand } from './command.ts';
import { checkOutput, readText, writeOut, writeResult } from './content/files.ts';
import { runWithDeps } from './run-with-deps.ts';

/** `agent prose`: a text in, a continued, improved, shorter, longer, corrected or changed text out. */
export const proseCommand = defineCliCommand({
  description: 'Continue, improve, shorten, lengthen, correct or change a text',
  examples: [
    'agent prose fix letter.txt',
    'agent prose shorter draft.md -o short.md',
    'echo "Good morning." | agent prose zap -c "in French"',
  ],
  args: {
    option: { type: 'positional', required: true, options: PROSE_OPTIONS, description: 'What to do with the text' },
    text: { type: 'positional', default: '-', description: 'Text file; stdin when it is left out or `-`' },
    command: { type: 'string', alias: 'c', valueHint: 'text', description: 'What zap does with the text' },
    out: { type: 'string', alias: 'o', valueHint: 'file', description: 'Write the text to this file' },
  },
  async run(args, context) {
    const { option } = args;
    if (option === 'zap' && !args.command?.trim()) throw usageError('zap needs --command, for example -c "in French".');
    await checkOutput(args.out);
    const prompt = await readText(context, args.text, 'text');
    const toStdout = args.out === undefined || args.out === '-';
    const streams = toStdout && !context.json;
    let text = '';
    await runWithDeps(context, { log: 'error' }, async (deps) => {
      const request = { prompt, option, command: args.command ?? null };
      for await (const piece of writeProse(deps.models, request, context.signal)) {
        text += piece;
        if (streams) await writeOut(context, piece);
      }
    });
    if (streams) return void (await context.stdout.write(text.endsWith('\n') ? '' : '\n'));
    if (!toStdout) await writeResult(context, args.out, `${text.trimEnd()}\n`);
    if (context.json) await context.print(toStdout ? { option, text } : { option, path: args.out });
  },
});

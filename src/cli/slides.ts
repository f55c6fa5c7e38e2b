import { THEMES } from '../slides/model.ts';
import { defineCliCommand } from './command.ts';
import { checkBinaryOutput, readText, writeResult } from './content/files.ts';
import { runWithDeps } from './run-with-deps.ts';

/** `agent slides`: a report in, a PowerPoint file out. */
export const slidesCommand = defineCliCommand({
  description: 'Make a PowerPoint presentation from a report',
  examples: ['agent slides report.md -o deck.pptx', 'agent slides report.md -o deck.pptx --theme dark --locale de-DE'],
  args: {
    report: { type: 'positional', default: '-', description: 'Markdown file; stdin when it is left out or `-`' },
    out: {
      type: 'string',
      alias: 'o',
      valueHint: 'file',
      description: 'Write the presentation to this file (`-` for stdout)',
    },
    locale: { type: 'string', valueHint: 'tag', description: 'Language of the slides, for example de-DE' },
    theme: { type: 'enum', options: THEMES, default: 'light', description: 'Look of the slides: light or dark' },
  },
  async run(args, context) {
    await checkBinaryOutput(context, args.out, 'deck.pptx', 'A presentation');
    const content = await readText(context, args.report, 'report');
    // Warnings say which image was left out; the rest of the log is for servers.
    const deck = await runWithDeps(context, { log: 'warn', home: true }, (deps) => {
      const model = deps.models.get('basic').name;
      const request = { content, locale: args.locale, theme: args.theme };
      return deps.slides.generate(request, context.signal, (step) => {
        if (context.stderr.isTerminal)
          void context.note(step === 'asking' ? `Asking ${model} for the slides …` : 'Building the file …');
      });
    });
    await writeResult(context, args.out, deck.bytes);
    const summary = { path: args.out, title: deck.title, slides: deck.slides, bytes: deck.bytes.byteLength };
    if (context.json) await context.print(summary);
    else if (args.out !== undefined && args.out !== '-')
      await context.done(`${args.out}: ${deck.slides} slide${deck.slides === 1 ? '' : 's'}`);
  },
});

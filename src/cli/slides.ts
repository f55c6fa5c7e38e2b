import { readFile, writeFile } from 'node:fs/promises';
import { ensureHome } from '../config/home.ts';
import { createDeps } from '../deps.ts';
import { THEMES } from '../slides/model.ts';
import { usageError } from './args.ts';
import { defineCliCommand } from './command.ts';

/** `agent slides`: a report in, a PowerPoint file out. */
export const slidesCommand = defineCliCommand({
  description: 'Make a PowerPoint presentation from a report',
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
    const toStdout = args.out === undefined || args.out === '-';
    if (toStdout && (context.stdout.isTerminal || context.json))
      throw usageError('A presentation is no text: name a file with -o deck.pptx.');
    if (args.report === '-' && context.stdin.isTerminal)
      throw usageError('Name a Markdown file, or send the report on stdin.');
    const content = args.report === '-' ? await context.stdin.text() : await readFile(args.report, 'utf8');
    const { config, home } = await context.loadConfig();
    await ensureHome(home);
    // Warnings say which image was left out; the rest of the log is for servers.
    const level = config.log.level === 'debug' ? 'debug' : 'warn';
    await using deps = createDeps({ config, home, logLevel: level, worker: false });
    const model = deps.models.get('basic').name;
    const deck = await deps.slides.generate(
      { content, locale: args.locale, theme: args.theme },
      context.signal,
      (step) => {
        if (context.stderr.isTerminal)
          void context.warn(step === 'asking' ? `Asking ${model} for the slides …` : 'Building the file …');
      },
    );
    if (toStdout) await context.stdout.write(deck.bytes);
    else await writeFile(args.out as string, deck.bytes);
    const summary = { path: args.out, title: deck.title, slides: deck.slides, bytes: deck.bytes.byteLength };
    if (context.json) await context.print(summary);
    else if (!toStdout) await context.warn(`${args.out}: ${deck.slides} slides`);
  },
});

import type { Deps } from '../deps.ts';
import { generatePodcast, type Podcast } from '../podcast/generate.ts';
import { type FollowDeps, followRun } from '../runs/follow.ts';
import { defineCliCommand } from './command.ts';
import { checkBinaryOutput, readText, writeResult } from './content/files.ts';
import type { CommandContext } from './context.ts';
import { createProgressBar, type ProgressBar } from './knowledge/progress-bar.ts';
import { runWithDeps } from './run-with-deps.ts';

/** `agent podcast`: a report in, an MP3 of two voices out. */
export const podcastCommand = defineCliCommand({
  description: 'Make a podcast with two voices from a report',
  examples: ['agent podcast report.md -o show.mp3', 'agent research "How do tides work?" | agent podcast -o tides.mp3'],
  args: {
    report: { type: 'positional', default: '-', description: 'Markdown file; stdin when it is left out or `-`' },
    out: { type: 'string', alias: 'o', valueHint: 'file', description: 'Write the MP3 to this file (`-` for stdout)' },
    locale: { type: 'string', valueHint: 'tag', description: 'Language of the podcast, for example de-DE' },
  },
  async run(args, context) {
    await checkBinaryOutput(context, args.out, 'show.mp3');
    const content = await readText(context, args.report, 'report');
    const request = { content, locale: args.locale ?? null };
    const podcast = await runWithDeps(context, { log: 'error', runs: true }, (deps) =>
      makePodcast(deps, context, request),
    );
    await writeResult(context, args.out, podcast.audio);
    const { runId } = podcast;
    if (context.json) await context.print({ path: args.out, run_id: runId, bytes: podcast.audio.length });
    else if (args.out !== undefined && args.out !== '-')
      await context.done(`${args.out}: ${podcast.audio.length} bytes; run ${runId} keeps the transcript`);
  },
});

/** Runs the workflow in this process and shows how far it is. */
async function makePodcast(
  deps: Deps,
  context: CommandContext,
  request: { content: string; locale: string | null },
): Promise<Podcast> {
  const { podcasts, speech, runs, store, clock } = deps;
  speech.checkReady();
  let shown: Promise<void> | undefined;
  const podcast = generatePodcast(podcasts, request, context.signal, (run) => {
    if (!context.json) shown = showProgress({ store, runs, clock }, run.id, context);
  });
  // The progress ends with the run, also when it fails.
  return podcast.finally(() => shown);
}

async function showProgress(deps: FollowDeps, runId: string, context: CommandContext): Promise<void> {
  const output = context.stderr;
  if (output.isTerminal) await output.write('… Writing the script');
  let bar: ProgressBar | undefined;
  for await (const event of followRun(deps, runId, 0, new AbortController().signal)) {
    if (event.type === 'podcast_script' && !bar) {
      bar = createProgressBar(output, event.data.total);
      if (output.isTerminal) await output.write('\r\u001b[2K');
    }
    if (event.type === 'podcast_progress') await bar?.step('lines spoken');
  }
  if (bar) await bar.end();
  else if (output.isTerminal) await output.write('\r\u001b[2K');
}

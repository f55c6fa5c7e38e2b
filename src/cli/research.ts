import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, type ErrorCode } from '../errors.ts';
import { findStyle } from '../research/model.ts';
import { usageError } from './args.ts';
import { defineCliCommand } from './command.ts';
import { runResearch } from './research/session.ts';
import { STYLE_NAMES } from './research/style-names.ts';
import { runWithDeps } from './run-with-deps.ts';

/** `agent research`: one question, one cited report. */
export const researchCommand = defineCliCommand({
  description: 'Research a question and print the cited report',
  examples: [
    'agent research "How do tides work?"',
    'agent research "Which battery for a boat?" --style news --out boat.md',
    'agent research "What do our notes say?" --knowledge local://notes.md --no-web',
    'echo "How do tides work?" | agent research - --json',
  ],
  args: {
    question: { type: 'positional', required: true, description: 'What to find out; `-` reads it from stdin' },
    style: { type: 'enum', options: STYLE_NAMES, description: 'Style of the report' },
    steps: {
      type: 'number',
      integer: true,
      min: 1,
      max: 50,
      valueHint: 'n',
      description: 'Most steps of the plan (default 3)',
    },
    locale: { type: 'string', valueHint: 'tag', description: 'Language of the report, for example de-DE' },
    knowledge: {
      type: 'string',
      multiple: true,
      valueHint: 'uri',
      description: 'Use this document (see agent knowledge list)',
    },
    web: { type: 'boolean', default: true, description: 'Search the web (--no-web to leave it)' },
    'auto-accept': { type: 'boolean', description: 'Do not ask about the plan' },
    out: { type: 'string', valueHint: 'file', description: 'Write the report to a file' },
  },
  async run(args, context) {
    const question = (args.question === '-' ? await context.stdin.text() : args.question).trim();
    if (question === '') throw usageError('The question is empty.');
    if (args.out !== undefined) await checkFolder(args.out);
    const interactive = context.stdin.isTerminal && context.stdout.isTerminal && !context.json;
    const session = {
      question,
      interactive,
      json: context.json,
      out: args.out,
      request: {
        messages: [{ role: 'user' as const, content: question }],
        auto_accepted_plan: args['auto-accept'] || !interactive,
        enable_web_search: args.web,
        ...(args.style === undefined ? {} : { report_style: findStyle(args.style) }),
        ...(args.steps === undefined ? {} : { max_step_num: args.steps }),
        ...(args.locale === undefined ? {} : { locale: args.locale }),
        resources: args.knowledge.map((uri) => ({ uri, title: uri })),
      },
    };
    // Progress is shown by the session; the log would run through it.
    const outcome = await runWithDeps(context, { log: 'error', runs: true }, (deps) =>
      runResearch(deps, context, session),
    );
    if (outcome.status === 'failed')
      throw new AppError(outcome.message, { code: outcome.code as ErrorCode, category: 'internal', status: 500 });
    return outcome.status === 'quit' ? 1 : 0;
  },
});

/** Says before the research, not after it, that the report could not be written. */
async function checkFolder(file: string): Promise<void> {
  const folder = dirname(file);
  await access(folder, constants.W_OK).catch(() => {
    throw usageError(`--out: the folder ${folder} does not exist or cannot be written.`);
  });
}

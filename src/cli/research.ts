import { ensureHome } from '../config/home.ts';
import { createDeps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { REPORT_STYLES } from '../research/model.ts';
import { usageError } from './args.ts';
import { defineCliCommand } from './command.ts';
import { runResearch } from './research/session.ts';

/** `agent research`: one question, one cited report. */
export const researchCommand = defineCliCommand({
  description: 'Research a question and print the cited report',
  args: {
    question: { type: 'positional', required: true, description: 'What to find out; `-` reads it from stdin' },
    style: {
      type: 'string',
      valueHint: 'style',
      description: `Style of the report: ${REPORT_STYLES.join(', ').toLowerCase()}`,
    },
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
      description: 'Use this document (repeatable; `agent knowledge list`)',
    },
    web: { type: 'boolean', default: true, description: 'Search the web (--no-web to leave it)' },
    'auto-accept': { type: 'boolean', description: 'Do not ask about the plan' },
    out: { type: 'string', valueHint: 'file', description: 'Write the report to a file' },
  },
  async run(args, context) {
    const question = (args.question === '-' ? await context.stdin.text() : args.question).trim();
    if (question === '') throw usageError('The question is empty.');
    const { config, home } = await context.loadConfig();
    await ensureHome(home);
    // Progress is shown by the session; the log would run through it.
    const level = config.log.level === 'debug' ? 'debug' : 'error';
    await using deps = createDeps({ config, home, logLevel: level, worker: false });
    await deps.start();
    await deps.runs.start();
    const interactive = context.stdin.isTerminal && context.stdout.isTerminal && !context.json;
    const outcome = await runResearch(deps, context, {
      question,
      interactive,
      json: context.json,
      out: args.out,
      request: {
        messages: [{ role: 'user', content: question }],
        auto_accepted_plan: args['auto-accept'] || !interactive,
        enable_web_search: args.web,
        ...(args.style === undefined ? {} : { report_style: args.style }),
        ...(args.steps === undefined ? {} : { max_step_num: args.steps }),
        ...(args.locale === undefined ? {} : { locale: args.locale }),
        resources: args.knowledge.map((uri) => ({ uri, title: uri })),
      },
    });
    if (outcome.status === 'failed')
      throw new AppError(outcome.message, { code: outcome.code, category: 'internal', status: 500 });
    return outcome.status === 'quit' ? 1 : 0;
  },
});

import { evaluateReport } from '../evaluation/evaluate.ts';
import type { EvaluationAnswer } from '../evaluation/model.ts';
import { STYLES } from '../evaluation/sections.ts';
import { escapeLine, escapeText } from '../lib/escape-controls.ts';
import { defineCliCommand } from './command.ts';
import { checkOutput, readText, writeResult } from './content/files.ts';
import { runWithDeps } from './run-with-deps.ts';

/** `agent evaluate`: a report in, its measures and grade out. */
export const evaluateCommand = defineCliCommand({
  description: 'Evaluate a report: count, and have a model judge it',
  examples: [
    'agent evaluate report.md --query "How do tides work?"',
    'agent evaluate report.md --query "How do tides work?" --llm --json',
  ],
  args: {
    report: { type: 'positional', default: '-', description: 'Markdown file; stdin when it is left out or `-`' },
    query: { type: 'string', required: true, valueHint: 'text', description: 'The question the report answers' },
    style: { type: 'enum', options: STYLES, default: 'default', description: 'Style the report was written in' },
    llm: { type: 'boolean', description: 'Have a language model judge it as well' },
    out: { type: 'string', alias: 'o', valueHint: 'file', description: 'Write the evaluation to this file' },
  },
  async run(args, context) {
    await checkOutput(args.out);
    const content = await readText(context, args.report, 'report');
    const request = { content, query: args.query, report_style: args.style, use_llm: args.llm };
    const answer = await runWithDeps(context, { log: 'error' }, (deps) =>
      evaluateReport(deps.models, request, context.signal),
    );
    const text = context.json ? JSON.stringify(answer, null, 2) : describe(answer);
    await writeResult(context, args.out, `${text}\n`);
  },
});

function describe({ summary, metrics, llm_evaluation: judged }: EvaluationAnswer): string {
  const rows: [string, string | number][] = [
    ['words', metrics.word_count],
    ['citations', metrics.citation_count],
    ['sources', metrics.unique_sources],
    ['images', metrics.image_count],
    ['sections', `${metrics.section_count} of ${metrics.section_count + metrics.sections_missing.length}`],
    ...Object.entries(judged?.scores ?? {}).map(([name, score]): [string, string] => [
      name.replaceAll('_', ' '),
      `${score}/10`,
    ]),
  ];
  const table = rows.map(([name, value]) => `  ${name.padEnd(18)}${value}`).join('\n');
  const notes = judged?.suggestions.map((note) => `- ${escapeLine(note)}`).join('\n');
  return `${escapeText(summary)}\n\n${table}${notes ? `\n\nSuggestions\n${notes}` : ''}`;
}

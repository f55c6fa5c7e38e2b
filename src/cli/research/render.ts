import type { Citation } from '../../research/model.ts';
import { readPlan } from '../../research/plan.ts';

const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
const dim = (text: string) => `\u001b[2m${text}\u001b[22m`;

/** Control characters other than newline and tab; fetched text must not steer the terminal. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** A report for the terminal. */
export function renderMarkdown(markdown: string, columns: number): string {
  const render = Bun.markdown as unknown as { ansi(text: string, theme?: object, options?: object): string };
  return `\n${render.ansi(plain(markdown), { columns, hyperlinks: false })}\n`;
}

/** The plan as a numbered list. */
export function renderPlan(planJson: string, columns: number): string {
  const result = readPlan(planJson, { locale: '', title: '', maxSteps: 50 });
  if (!result.ok) return '';
  const { plan } = result;
  const steps = plan.steps.map(
    (step, index) =>
      `${indented(`${index + 1}. ${bold(plain(step.title))} ${dim(`(${step.step_type})`)}`, 2, columns)}\n${indented(plain(step.description), 5, columns)}`,
  );
  const thought = plan.thought ? `${indented(dim(plain(plan.thought)), 0, columns)}\n` : '';
  return `\n${indented(bold(plain(plan.title)), 0, columns)}\n${thought}\n${steps.join('\n')}\n\n`;
}

/** The sources, numbered. */
export function renderSources(citations: Citation[], columns: number): string {
  if (citations.length === 0) return '';
  const lines = citations.map((citation, index) =>
    indented(`${index + 1}. ${plain(citation.title)} ${dim(plain(citation.url))}`, 2, columns),
  );
  return `\n${bold('Sources')}\n${lines.join('\n')}\n\n`;
}

/** Text broken at words to the width of the terminal, every line moved in by `indent`. */
function indented(text: string, indent: number, columns: number): string {
  return Bun.wrapAnsi(text, Math.max(20, columns - indent)).replaceAll(/^(?=.)/gm, ' '.repeat(indent));
}

/** Text without characters that steer a terminal. */
export function plain(text: string): string {
  return text.replaceAll(CONTROL, '');
}

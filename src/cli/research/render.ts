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
export function renderPlan(planJson: string): string {
  const result = readPlan(planJson, { locale: '', title: '', maxSteps: 50 });
  if (!result.ok) return '';
  const { plan } = result;
  const steps = plan.steps.map(
    (step, index) =>
      `  ${index + 1}. ${bold(plain(step.title))} ${dim(`(${step.step_type})`)}\n     ${plain(step.description)}`,
  );
  return `\n${bold(plain(plan.title))}\n${plan.thought ? `${dim(plain(plan.thought))}\n` : ''}\n${steps.join('\n')}\n\n`;
}

/** The sources, numbered. */
export function renderSources(citations: Citation[]): string {
  if (citations.length === 0) return '';
  const lines = citations.map(
    (citation, index) => `  ${index + 1}. ${plain(citation.title)} ${dim(plain(citation.url))}`,
  );
  return `\n${bold('Sources')}\n${lines.join('\n')}\n\n`;
}

/** Text without characters that steer a terminal. */
export function plain(text: string): string {
  return text.replaceAll(CONTROL, '');
}

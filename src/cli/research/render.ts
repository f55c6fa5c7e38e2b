import { escapeLine, escapeText } from '../../lib/escape-controls.ts';
import type { Citation } from '../../research/model.ts';
import { readPlan } from '../../research/plan.ts';

const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
const dim = (text: string) => `\u001b[2m${text}\u001b[22m`;

/** `&#155;` in Markdown is the character itself; named references stand for none that steers a terminal. */
const REFERENCE = /&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));/gi;

/** A report for the terminal. */
export function renderMarkdown(markdown: string, columns: number): string {
  const render = Bun.markdown as { ansi(text: string, theme?: object, options?: object): string };
  return `\n${render.ansi(withoutControls(markdown), { columns, hyperlinks: false })}\n`;
}

/** The plan as a numbered list. */
export function renderPlan(planJson: string, columns: number): string {
  const result = readPlan(planJson, { locale: '', title: '', maxSteps: 50 });
  if (!result.ok) return '';
  const { plan } = result;
  const steps = plan.steps.map(
    (step, index) =>
      `${indented(`${index + 1}. ${bold(escapeLine(step.title))} ${dim(`(${step.step_type})`)}`, 2, columns)}\n${indented(escapeText(step.description), 5, columns)}`,
  );
  const thought = plan.thought ? `${indented(dim(escapeText(plan.thought)), 0, columns)}\n` : '';
  return `\n${indented(bold(escapeLine(plan.title)), 0, columns)}\n${thought}\n${steps.join('\n')}\n\n`;
}

/** The sources, numbered. */
export function renderSources(citations: Citation[], columns: number): string {
  if (citations.length === 0) return '';
  const lines = citations.map((citation, index) =>
    indented(`${index + 1}. ${escapeLine(citation.title)} ${dim(escapeLine(citation.url))}`, 2, columns),
  );
  return `\n${bold('Sources')}\n${lines.join('\n')}\n\n`;
}

/** Text broken at words to the width of the terminal, every line moved in by `indent`. */
function indented(text: string, indent: number, columns: number): string {
  return Bun.wrapAnsi(text, Math.max(20, columns - indent)).replaceAll(/^(?=.)/gm, ' '.repeat(indent));
}

/** Fetched text must not steer the terminal, neither by itself nor after the renderer has read its references. */
function withoutControls(markdown: string): string {
  return escapeText(
    markdown.replace(REFERENCE, (reference, hex?: string, decimal?: string) => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      const character = code <= 0xffff ? String.fromCharCode(code) : '';
      const shown = escapeLine(character);
      return shown === character ? reference : shown;
    }),
  );
}

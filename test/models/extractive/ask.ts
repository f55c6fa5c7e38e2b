import { createExtractiveModel } from '../../../src/models/extractive/extractive.ts';
import type { ModelEvent, ModelMessage, ModelRequest, ToolCall } from '../../../src/models/model.ts';
import type { AgentTask, Finding, NumberedSource, Plan, PlanStep } from '../../../src/models/task.ts';

export interface Asked {
  text: string;
  calls: ToolCall[];
  events: ModelEvent[];
}

/** Asks a fresh engine and collects its answer. */
export async function ask(
  request: Partial<ModelRequest> & { task?: AgentTask },
  signal = new AbortController().signal,
): Promise<Asked> {
  const events: ModelEvent[] = [];
  for await (const event of createExtractiveModel().stream({ agent: 'researcher', messages: [], ...request }, signal))
    events.push(event);
  return {
    events,
    text: events.map((event) => (event.type === 'text' ? event.text : '')).join(''),
    calls: events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : [])),
  };
}

export async function askPlan(
  task: Partial<Extract<AgentTask, { kind: 'plan' }>>,
  messages: ModelMessage[] = [],
): Promise<Plan> {
  const { text } = await ask({
    agent: 'planner',
    messages,
    task: {
      kind: 'plan',
      question: 'How does WAL work?',
      locale: 'en-US',
      maxSteps: 3,
      background: [],
      findings: [],
      ...task,
    },
  });
  return JSON.parse(text) as Plan;
}

export async function askReport(task: Partial<Extract<AgentTask, { kind: 'report' }>>): Promise<string> {
  const question = task.question ?? 'How does write-ahead logging work?';
  const { text } = await ask({
    agent: 'reporter',
    task: {
      kind: 'report',
      question,
      title: question,
      locale: 'en-US',
      style: 'ACADEMIC',
      findings: [finding(question)],
      sources: [],
      ...task,
    },
  });
  return text;
}

export function finding(title: string, result = '', failed = false): Finding {
  return { title, description: '', result, failed };
}

export function source(
  number: number,
  content: string,
  url = `https://example.com/${number}`,
  title = `Source ${number}`,
): NumberedSource {
  return { number, title, url, content };
}

export function step(title: string, description = ''): PlanStep {
  return { need_search: true, title, description, step_type: 'research' };
}

/** Quotes of a text with the address each is cited from. */
export function quotesIn(markdown: string): { text: string; url: string }[] {
  return [...markdown.matchAll(/^> "([\s\S]+?)" — \[[^\]]*\]\(<?([^\s>]+?)>?\)$/gm)].map((match) => ({
    text: match[1]!,
    url: match[2]!,
  }));
}

/** Every address a Markdown text links or shows. */
export function addressesIn(markdown: string): string[] {
  return markdown.match(/[a-z][a-z0-9+.-]*:\/\/[^\s<>"()]+/gi) ?? [];
}

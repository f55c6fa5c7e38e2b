import type { ScriptedStep } from '../helpers/scripted-model.ts';

export const HANDOFF: ScriptedStep = {
  agent: 'coordinator',
  toolCalls: [{ name: 'handoff_to_planner', args: { research_topic: 'How do tides work?', locale: 'en-US' } }],
};

/** A plan with `count` research steps. */
export function planText(count: number, extra: Record<string, unknown> = {}): string {
  return JSON.stringify({
    locale: 'en-US',
    has_enough_context: false,
    thought: 'Find out.',
    title: 'Tides',
    steps: Array.from({ length: count }, (_, index) => ({
      need_search: true,
      title: `Step ${index + 1}`,
      description: `Find out part ${index + 1}`,
      step_type: 'research',
    })),
    ...extra,
  });
}

export const plan = (count: number, extra?: Record<string, unknown>): ScriptedStep => ({
  agent: 'planner',
  text: [planText(count, extra)],
});

export const finding = (text = 'The Moon does it. [Tides](https://example.org/tides)'): ScriptedStep => ({
  agent: 'researcher',
  text: [text],
});

export const search = (query = 'tides'): ScriptedStep => ({
  agent: 'researcher',
  toolCalls: [{ name: 'web_search', args: { query } }],
});

export const report = (text = '# Tides\n\nThe Moon raises them [Tides](https://example.org/tides).'): ScriptedStep => ({
  agent: 'reporter',
  text: text.match(/[\s\S]{1,7}/g) ?? [],
});

export const question = (text = 'How do tides work?') => ({ messages: [{ role: 'user', content: text }] });

import { askLine } from '../ask.ts';
import type { CommandContext } from '../context.ts';

export type ReviewChoice = { kind: 'accept' } | { kind: 'edit'; text: string } | { kind: 'quit' };

/** Asks what to do with the plan. The end of the input is quitting. */
export async function askReview(context: CommandContext): Promise<ReviewChoice> {
  for (;;) {
    const line = await askLine(context, 'Start this research? [a]ccept, [e]dit, [q]uit: ');
    const answer = line?.trim().toLowerCase() ?? 'quit';
    if (['a', 'accept', 'y', 'yes', ''].includes(answer)) return { kind: 'accept' };
    if (['q', 'quit', 'n', 'no'].includes(answer)) return { kind: 'quit' };
    if (!['e', 'edit'].includes(answer)) continue;
    const text = (await askLine(context, 'What should change? '))?.trim();
    if (text) return { kind: 'edit', text };
  }
}

import { askChoice, askText } from '../ask.ts';
import type { CommandContext } from '../context.ts';

export type ReviewChoice = { kind: 'accept' } | { kind: 'edit'; text: string } | { kind: 'quit' };

/** Asks what to do with the plan. A question that is cancelled is quitting. */
export async function askReview(context: CommandContext): Promise<ReviewChoice> {
  for (;;) {
    const kind = await askChoice(context, 'Start this research?', {
      accept: 'Accept the plan',
      edit: 'Say what should change',
      quit: 'Quit',
    });
    if (kind === 'accept') return { kind };
    if (kind !== 'edit') return { kind: 'quit' };
    const text = (await askText(context, 'What should change?'))?.trim();
    if (text) return { kind, text };
  }
}

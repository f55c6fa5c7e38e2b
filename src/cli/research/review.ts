import { createInterface } from 'node:readline/promises';
import type { CommandContext } from '../context.ts';

export type ReviewChoice = { kind: 'accept' } | { kind: 'edit'; text: string } | { kind: 'quit' };

/** Asks what to do with the plan. The end of the input is quitting. */
export async function askReview(context: CommandContext): Promise<ReviewChoice> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<'quit'>((resolve) => lines.once('close', () => resolve('quit')));
  const ask = (prompt: string) => Promise.race([lines.question(prompt, { signal: context.signal }), ended]);
  try {
    for (;;) {
      const answer = (await ask('Start this research? [a]ccept, [e]dit, [q]uit: ')).trim().toLowerCase();
      if (['a', 'accept', 'y', 'yes', ''].includes(answer)) return { kind: 'accept' };
      if (['q', 'quit', 'n', 'no'].includes(answer)) return { kind: 'quit' };
      if (['e', 'edit'].includes(answer)) {
        const text = (await ask('What should change? ')).trim();
        if (text !== '' && text !== 'quit') return { kind: 'edit', text };
      }
    }
  } finally {
    lines.close();
  }
}

import { createInterface } from 'node:readline/promises';
import type { CommandContext } from '../context.ts';

export type ReviewChoice = { kind: 'accept' } | { kind: 'edit'; text: string } | { kind: 'quit' };

/** Asks what to do with the plan. The end of the input is quitting. */
export async function askReview(context: CommandContext): Promise<ReviewChoice> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal is in raw mode while a line is read, so Ctrl-C arrives as a key: it must stop the command all the same.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  const ask = async (prompt: string) =>
    (await Promise.race([lines.question(prompt, { signal: context.signal }), ended]))?.trim();
  try {
    for (;;) {
      const answer = (await ask('Start this research? [a]ccept, [e]dit, [q]uit: '))?.toLowerCase();
      if (answer === undefined) return { kind: 'quit' };
      if (['a', 'accept', 'y', 'yes', ''].includes(answer)) return { kind: 'accept' };
      if (['q', 'quit', 'n', 'no'].includes(answer)) return { kind: 'quit' };
      if (['e', 'edit'].includes(answer)) {
        const text = await ask('What should change? ');
        if (text) return { kind: 'edit', text };
      }
    }
  } finally {
    lines.close();
  }
}

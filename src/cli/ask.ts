import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { CommandContext } from './context.ts';

/**
 * Asks for a line on the terminal; undefined at the end of the input. Readline, not the prompts of consola: on Bun those
 * lose what is typed (they wait for `_write` of a `tty.WriteStream`, which is never called) and cannot hide it.
 */
export function askLine(context: CommandContext, question: string): Promise<string | undefined> {
  return askOn(context, question, process.stderr);
}

/** Asks for a line without showing what is typed; undefined at the end of the input. */
export async function askHidden(context: CommandContext, question: string): Promise<string | undefined> {
  await context.stderr.write(question);
  // Readline echoes to its output; this one swallows it.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = await askOn(context, '', nowhere);
  if (answer !== undefined) await context.stderr.write('\n');
  return answer;
}

/** Asks until the answer is one that a person may mean by yes or no; empty is `initial`, the end of the input is no. */
export async function askYesNo(context: CommandContext, question: string, initial: boolean): Promise<boolean> {
  for (;;) {
    const answer = await askLine(context, `${question} [${initial ? 'Y/n' : 'y/N'}]: `);
    const word = answer?.trim().toLowerCase() ?? 'no';
    if (word === '') return initial;
    if (['y', 'yes'].includes(word)) return true;
    if (['n', 'no'].includes(word)) return false;
  }
}

async function askOn(context: CommandContext, question: string, output: NodeJS.WritableStream) {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  // The terminal is in raw mode while a line is read, so Ctrl-C arrives as a key: it must stop the command all the same.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  let hasEnded = false;
  const ended = new Promise<undefined>((resolve) =>
    lines.once('close', () => {
      hasEnded = true;
      resolve(undefined);
    }),
  );
  try {
    return await Promise.race([lines.question(question, { signal: context.signal }), ended]);
  } finally {
    // Nobody pressed Enter on a question that ended otherwise.
    if (hasEnded || context.signal.aborted) await context.stderr.write('\n');
    lines.close();
  }
}

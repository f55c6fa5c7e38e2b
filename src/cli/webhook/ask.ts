import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { fail } from '../../errors.ts';
import type { CommandContext } from '../context.ts';

/** Asks for a line on the terminal. The end of the input gives up. */
export function askLine(context: CommandContext, question: string): Promise<string> {
  return askOn(context, question, process.stderr);
}

/** Asks for a line without showing what is typed. */
export async function askHidden(context: CommandContext, question: string): Promise<string> {
  await context.stderr.write(question);
  // Readline echoes to its output; this one swallows it.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = await askOn(context, '', nowhere);
  await context.stderr.write('\n');
  return answer;
}

async function askOn(context: CommandContext, question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const ended = new Promise<never>((_resolve, reject) =>
    lines.once('close', () => reject(fail('setup_cancelled', 'Setup was cancelled; nothing was written.'))),
  );
  ended.catch(() => undefined);
  try {
    return await Promise.race([lines.question(question, { signal: context.signal }), ended]);
  } finally {
    lines.close();
  }
}

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { PromptOptions } from 'consola';
import type { CommandContext } from './context.ts';

/** True when somebody sits at a terminal; questions stand on stdout, where `--json` has the result. */
export function canAsk(context: CommandContext): boolean {
  return context.stdin.isTerminal && context.stdout.isTerminal && !context.json;
}

/** A line that is typed, or `initial` when nothing is; undefined when the question was cancelled. */
export async function askText(context: CommandContext, question: string, initial = ''): Promise<string | undefined> {
  const shown = initial === '' ? {} : { placeholder: initial, default: initial };
  const answer = await ask(context, question, { type: 'text', ...shown });
  return answer === null ? undefined : String(answer ?? initial);
}

/** Yes or no; undefined when the question was cancelled. */
export async function askYesNo(
  context: CommandContext,
  question: string,
  initial: boolean,
): Promise<boolean | undefined> {
  return ((await ask(context, question, { type: 'confirm', initial })) as boolean | null) ?? undefined;
}

/** One of several; undefined when the question was cancelled. */
export async function askChoice<const T extends string>(
  context: CommandContext,
  question: string,
  labels: Record<T, string>,
): Promise<T | undefined> {
  const options = Object.entries<string>(labels).map(([value, label]) => ({ value, label }));
  return ((await ask(context, question, { type: 'select', options })) as T | null) ?? undefined;
}

/** A line that is not shown while it is typed, which consola cannot do; undefined when the question was cancelled. */
export async function askHidden(context: CommandContext, question: string): Promise<string | undefined> {
  await context.stdout.write(question);
  // Readline echoes to its output; this one swallows it.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  try {
    return await Promise.race([lines.question('', { signal: context.signal }), ended]);
  } finally {
    lines.close();
    await context.stdout.write('\n');
  }
}

/** Null when the question is cancelled or the input ends; the command's abort ends it too, the terminal as it was before. */
async function ask(context: CommandContext, question: string, options: PromptOptions): Promise<unknown> {
  const { consola } = await import('consola');
  let stop = () => {};
  const ended = new Promise<null>((resolve) => {
    // The end of the input only pauses it; an answer does too, and comes first.
    stop = () => void setImmediate(resolve, null);
    process.stdin.once('pause', stop);
    context.signal.addEventListener('abort', stop, { once: true });
  });
  try {
    const answer: unknown = await Promise.race([consola.prompt(question, { ...options, cancel: 'null' }), ended]);
    context.signal.throwIfAborted();
    return answer;
  } finally {
    process.stdin.off('pause', stop);
    context.signal.removeEventListener('abort', stop);
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
    await context.stdout.write('\u001b[?25h');
  }
}

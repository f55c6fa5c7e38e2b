import { readFile, writeFile } from 'node:fs/promises';
import { userError } from '../../errors.ts';
import { usageError } from '../args.ts';
import type { CommandContext } from '../context.ts';

/** Text of the file, or of stdin for `-`; an empty one is wrong use. */
export async function readText(context: CommandContext, file: string, what: string): Promise<string> {
  if (file === '-' && context.stdin.isTerminal) throw usageError(`Name a file, or send the ${what} on stdin.`);
  const text = file === '-' ? await context.stdin.text() : await readFile(file, 'utf8');
  if (text.trim() === '') throw usageError(`The ${what} is empty.`);
  return text;
}

/** Refuses before the work what could not be delivered after it: bytes on a terminal or between lines of JSON. */
export function checkBinaryOutput(context: CommandContext, out: string | undefined, example: string): void {
  const toStdout = out === undefined || out === '-';
  if (toStdout && (context.stdout.isTerminal || context.json))
    throw usageError(`Audio is no text: name a file with -o ${example}.`);
}

/** Writes the result to the file, or to stdout without one. */
export async function writeResult(
  context: CommandContext,
  out: string | undefined,
  result: string | Uint8Array,
): Promise<void> {
  if (out === undefined || out === '-') return context.stdout.write(result);
  try {
    await writeFile(out, result);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw userError('cannot_write', 400, `The result cannot be written to ${out} (${reason}).`, error);
  }
}

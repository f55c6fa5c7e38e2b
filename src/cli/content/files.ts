import { access, constants, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail } from '../../errors.ts';
import { escapeText } from '../../lib/escape-controls.ts';
import { usageError } from '../args.ts';
import type { CommandContext } from '../context.ts';
import { writeUserFile } from '../write-user-file.ts';

const READ_FAILURES: Record<string, string> = {
  ENOENT: 'it does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
};

/** Text of the file, or of stdin for `-`; an empty one is wrong use, and one that is no UTF-8 text is refused. */
export async function readText(context: CommandContext, file: string, what: string): Promise<string> {
  if (file === '-' && context.stdin.isTerminal) throw usageError(`Name a file, or send the ${what} on stdin.`);
  const text = decodeText(file === '-' ? await context.stdin.bytes() : await readBytes(file));
  if (text === undefined) throw fail('not_text', `${file === '-' ? 'Stdin' : file} is not a text file in UTF-8.`);
  if (text.trim() === '') throw usageError(`The ${what} is empty.`);
  return text;
}

/** True when the words of an argument are the path of a file that is there. */
export async function namesFile(words: string): Promise<boolean> {
  const found = await stat(words).catch(() => undefined);
  return found?.isFile() ?? false;
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw fail('cannot_read', `${file} cannot be read: ${READ_FAILURES[reason] ?? reason}.`, { cause: error });
  }
}

/** Undefined for bytes that are no text: a program would otherwise speak or print them. */
function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8: the caller says so with the file's name.
    return undefined;
  }
}

/** Refuses before the work what could not be delivered after it: bytes on a terminal or between lines of JSON. */
export async function checkBinaryOutput(
  context: CommandContext,
  out: string | undefined,
  example: string,
  what = 'Audio',
): Promise<void> {
  const toStdout = out === undefined || out === '-';
  if (toStdout && (context.stdout.isTerminal || context.json))
    throw usageError(`${what} is no text: name a file with -o ${example}.`);
  await checkOutput(out);
}

/** Says before the work, not after it, that the result could not be written. */
export async function checkOutput(out: string | undefined): Promise<void> {
  if (out === undefined || out === '-') return;
  const existing = await stat(out).catch(() => undefined);
  if (existing?.isDirectory()) throw usageError(`--out: ${out} is a folder; name a file.`);
  await access(existing ? out : dirname(out), constants.W_OK).catch(() => {
    throw usageError(
      `--out: ${existing ? `${out} cannot be written` : `the folder ${dirname(out)} does not exist or cannot be written`}.`,
    );
  });
}

/** Writes the result to the file, or to stdout without one; stdout gets no text that steers a terminal. */
export async function writeResult(
  context: CommandContext,
  out: string | undefined,
  result: string | Uint8Array,
): Promise<void> {
  if (out === undefined || out === '-') return writeOut(context, result);
  try {
    await writeUserFile(out, result, context.umask);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw fail('cannot_write', `The result cannot be written to ${out} (${reason}).`, { cause: error });
  }
}

/** Writes to stdout; what a model wrote must not steer a terminal, not even behind a pipe. */
export function writeOut({ stdout }: CommandContext, result: string | Uint8Array): Promise<void> {
  return stdout.write(typeof result === 'string' ? escapeText(result) : result);
}

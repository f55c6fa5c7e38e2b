import { AppError, isAbort } from '../errors.ts';
import { escapeLine, escapeLines } from '../lib/escape-controls.ts';
import { nearest } from '../lib/nearest.ts';
import { unknownFlag } from './args.ts';
import { type CliCommand, type CliGroup, COMMON_ARGS, findEntry, usageError } from './command.ts';
import type { CliContext } from './context.ts';
import { Messages } from './messages.ts';

/** Finds the command the words name and runs it; returns the exit status and prints what went wrong as one line. */
export async function runCli(root: CliGroup, words: readonly string[], context: CliContext): Promise<number> {
  const messages = new Messages(context.stderr);
  try {
    return await dispatch(root, 'agent', words, context, messages);
  } catch (error) {
    if (context.signal.aborted && (isAbort(error) || error === context.signal.reason)) return 130;
    await messages.say('error', describeError(error, words.includes('--debug')));
    return error instanceof AppError && error.code === 'usage' ? 2 : 1;
  }
}

async function dispatch(
  node: CliCommand | CliGroup,
  path: string,
  words: readonly string[],
  context: CliContext,
  messages: Messages,
): Promise<number> {
  if (node.kind === 'command') {
    const flags = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined);
    if (!flags.includes('--help') && !flags.includes('-h')) return node.execute(words, context, messages);
    await printHelp(node, path, context);
    return 0;
  }
  const { leading, name, rest } = splitLeading(words);
  if (leading.includes('--version') && path === 'agent') {
    const { VERSION } = await import('../version.ts');
    await context.stdout.write(`${VERSION}\n`);
    return 0;
  }
  rejectUnknownLeading(leading);
  if (name === undefined) {
    await printHelp(node, path, context);
    return path === 'agent' || leading.includes('--help') ? 0 : 2;
  }
  const found = findEntry(node, name);
  if (!found) throw usageError(unknownCommand(node, path, name));
  return dispatch(await found[1].load(), `${path} ${found[0]}`, [...rest, ...leading], context, messages);
}

/** Flags may stand before the command: `agent --home DIR serve`. */
function splitLeading(words: readonly string[]): { leading: string[]; name: string | undefined; rest: string[] } {
  const leading: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (!word.startsWith('-')) return { leading, name: word, rest: words.slice(index + 1) };
    if (word === '-h' || word === '--help') leading.push('--help');
    else if (word === '-v' || word === '--version') leading.push('--version');
    else leading.push(word);
    if (word === '--home' && index + 1 < words.length) leading.push(words[++index] as string);
  }
  return { leading, name: undefined, rest: [] };
}

function rejectUnknownLeading(leading: readonly string[]): void {
  const names = [...Object.keys(COMMON_ARGS), 'version'];
  for (const [index, word] of leading.entries()) {
    const name = word.replace(/^--?/, '').split('=')[0] as string;
    if (leading[index - 1] !== '--home' && !names.includes(name)) throw unknownFlag(word, names, 'commands');
  }
}

function unknownCommand(group: CliGroup, path: string, name: string): string {
  const names = Object.entries(group.commands).flatMap(([command, entry]) => [command, ...(entry.alias ?? [])]);
  const near = nearest(name, names);
  return near
    ? `Unknown command "${path} ${name}"; did you mean ${path} ${near}?`
    : `Unknown command "${path} ${name}"; the commands are ${Object.keys(group.commands).join(', ')}.`;
}

async function printHelp(node: CliCommand | CliGroup, path: string, { stdout }: CliContext): Promise<void> {
  const { renderHelp } = await import('./help.ts');
  const text = await renderHelp(node, path, stdout.isTerminal ? stdout.columns : undefined);
  await stdout.write(`${text}\n`);
}

function describeError(error: unknown, debug: boolean): string {
  const stack = debug && error instanceof Error ? `\n${escapeLines(Bun.inspect(error))}` : '';
  if (error instanceof AppError && error.multiline) return `${escapeLines(error.message)}${stack}`;
  if (error instanceof AppError || isSystemError(error)) return `${escapeLine(error.message)}${stack}`;
  return debug ? `Internal error.${stack}` : 'Internal error; run the command again with --debug to see where.';
}

/** What the operating system says ("ENOENT: no such file or directory, open '/x'") is for the person at the terminal. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && /^E[A-Z0-9]+$/.test((error as NodeJS.ErrnoException).code ?? '');
}

import { AppError, isAbort } from '../errors.ts';
import { escapeLine, escapeLines } from '../lib/escape-controls.ts';
import { nearest } from '../lib/nearest.ts';
import { type Args, type ParsedArgs, parseCommandArgs, usageError } from './args.ts';
import type { CliContext, CommandContext } from './context.ts';
import { Messages } from './messages.ts';

export { usageError } from './args.ts';

/** Flags every command has. */
export const COMMON_ARGS = {
  home: { type: 'string', valueHint: 'dir', description: 'Agent home instead of AGENT_HOME or ~/.agent' },
  json: { type: 'boolean', description: 'Print JSON' },
  debug: { type: 'boolean', description: 'Log everything, with stack traces' },
  help: { type: 'boolean', alias: 'h', description: 'Show this help' },
} as const satisfies Args;

export interface CliCommandDefinition<T extends Args> {
  /** One sentence for `--help`. */
  description: string;
  args?: T;
  /** Does the work; a number is the exit status (0 done, 1 refused or failed, 2 wrong usage), nothing means 0. */
  run(args: ParsedArgs<T>, context: CommandContext): Promise<number | undefined> | Promise<void>;
}

/** A command that does something. */
export interface CliCommand {
  kind: 'command';
  description: string;
  args: Args;
  execute(words: readonly string[], context: CliContext, messages: Messages): Promise<number>;
}

/** An entry of a table of commands; `load` imports the command's file only when it is asked for. */
export interface CommandEntry {
  description: string;
  alias?: string[];
  load(): Promise<CliCommand | CliGroup>;
}

/** A command that only has commands below it. */
export interface CliGroup {
  kind: 'group';
  description: string;
  commands: Record<string, CommandEntry>;
}

/** Defines one command; its flags are checked, `--help`, `--home`, `--json` and `--debug` come with it. */
export function defineCliCommand<const T extends Args>(definition: CliCommandDefinition<T>): CliCommand {
  const args: Args = { ...definition.args, ...COMMON_ARGS };
  return {
    kind: 'command',
    description: definition.description,
    args,
    async execute(words, context, messages) {
      const values = parseCommandArgs(args, words) as ParsedArgs<T> & ParsedArgs<typeof COMMON_ARGS>;
      return (await definition.run(values, commandContext(context, messages, values))) || 0;
    },
  };
}

/** Defines a command that leads to others: `agent webhook subscribe`. */
export function defineCliGroup(description: string, commands: Record<string, CommandEntry>): CliGroup {
  return { kind: 'group', description, commands };
}

/** Finds the command the words name and runs it; returns the exit status and prints what went wrong as one line. */
export async function runCli(root: CliGroup, words: readonly string[], context: CliContext): Promise<number> {
  const debug = words.includes('--debug');
  const messages = new Messages(context.stderr);
  try {
    return await dispatch(root, 'agent', words, context, messages);
  } catch (error) {
    if (context.signal.aborted && (isAbort(error) || error === context.signal.reason)) return 130;
    await messages.say('error', describeError(error, debug));
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
    await printUsage(node, path, context);
    return 0;
  }
  const { leading, name, rest } = splitLeading(words);
  if (leading.includes('--version') && path === 'agent') {
    const { VERSION } = await import('../version.ts');
    await context.stdout.write(`${VERSION}\n`);
    return 0;
  }
  if (name === undefined || (leading.includes('--help') && name === undefined)) {
    rejectUnknownLeading(leading);
    await printUsage(node, path, context);
    return path === 'agent' || leading.includes('--help') ? 0 : 2;
  }
  rejectUnknownLeading(leading);
  const [found, entry] = findEntry(node, name);
  if (!entry) throw usageError(unknownCommand(node, path, name));
  return dispatch(await entry.load(), `${path} ${found}`, [...rest, ...leading], context, messages);
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
  for (const [index, word] of leading.entries()) {
    if (leading[index - 1] === '--home') continue;
    const name = word.replace(/^--?/, '').split('=')[0] as string;
    if (name in COMMON_ARGS || name === 'version') continue;
    const near = nearest(name, [...Object.keys(COMMON_ARGS), 'version']);
    throw usageError(`Unknown flag ${word}${near ? `; did you mean --${near}?` : '; --help lists the commands.'}`);
  }
}

function findEntry(group: CliGroup, name: string): [string, CommandEntry | undefined] {
  if (Object.hasOwn(group.commands, name)) return [name, group.commands[name]];
  return Object.entries(group.commands).find(([, entry]) => entry.alias?.includes(name)) ?? [name, undefined];
}

function unknownCommand(group: CliGroup, path: string, name: string): string {
  const names = Object.entries(group.commands).flatMap(([command, entry]) => [command, ...(entry.alias ?? [])]);
  const near = nearest(name, names);
  return near
    ? `Unknown command "${path} ${name}"; did you mean ${path} ${near}?`
    : `Unknown command "${path} ${name}"; the commands are ${Object.keys(group.commands).join(', ')}.`;
}

async function printUsage(node: CliCommand | CliGroup, path: string, context: CliContext): Promise<void> {
  const { renderHelp } = await import('./help.ts');
  await context.stdout.write(`${await renderHelp(node, path, context.stdout.isTerminal)}\n`);
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

function commandContext(
  context: CliContext,
  messages: Messages,
  values: ParsedArgs<typeof COMMON_ARGS>,
): CommandContext {
  return {
    ...context,
    json: values.json,
    homeOverride: values.home,
    print: (line) =>
      context.stdout.write(
        `${typeof line === 'string' ? escapeLine(line) : escapeLines(JSON.stringify(line, null, 2))}\n`,
      ),
    printLines: (lines) => context.stdout.write(lines.map((line) => `${escapeLine(line)}\n`).join('')),
    note: (line) => messages.say('info', escapeLine(line)),
    done: (line) => messages.say('success', escapeLine(line)),
    warn: (line) => messages.say('warn', escapeLine(line)),
    async loadConfig(flags) {
      const { loadConfig } = await import('../config/load.ts');
      const loaded = await loadConfig({
        ...(context.env ? { env: context.env } : {}),
        flags: values.debug ? { ...flags, log: { ...flags?.log, level: 'debug' } } : flags,
        homeOverride: values.home,
      });
      messages.format = loaded.config.log.format;
      return loaded;
    },
  };
}

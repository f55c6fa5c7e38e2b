import { escapeLine, escapeLines } from '../lib/escape-controls.ts';
import { type Args, type ParsedArgs, parseCommandArgs } from './args.ts';
import type { CliContext, CommandContext } from './context.ts';
import type { Messages } from './messages.ts';

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
  /** Lines that can be pasted, for `--help`. */
  examples?: readonly string[];
  /** Does the work; a number is the exit status (0 done, 1 refused or failed, 2 wrong usage), nothing means 0. */
  run(args: ParsedArgs<T>, context: CommandContext): Promise<number | undefined> | Promise<void>;
}

/** A command that does something. */
export interface CliCommand {
  kind: 'command';
  description: string;
  args: Args;
  examples: readonly string[];
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
  examples: readonly string[];
}

/** Defines one command; its flags are checked, `--help`, `--home`, `--json` and `--debug` come with it. */
export function defineCliCommand<const T extends Args>(definition: CliCommandDefinition<T>): CliCommand {
  const args: Args = { ...definition.args, ...COMMON_ARGS };
  return {
    kind: 'command',
    description: definition.description,
    args,
    examples: definition.examples ?? [],
    async execute(words, context, messages) {
      const values = parseCommandArgs(args, words) as ParsedArgs<T> & ParsedArgs<typeof COMMON_ARGS>;
      return (await definition.run(values, commandContext(context, messages, values))) || 0;
    },
  };
}

/** Defines a command that leads to others: `agent webhook subscribe`. */
export function defineCliGroup(
  description: string,
  commands: Record<string, CommandEntry>,
  examples: readonly string[] = [],
): CliGroup {
  return { kind: 'group', description, commands, examples };
}

/** The entry of that name or alias, with its name. */
export function findEntry(group: CliGroup, word: string): [name: string, entry: CommandEntry] | undefined {
  return Object.entries(group.commands).find(([name, { alias }]) => name === word || alias?.includes(word));
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

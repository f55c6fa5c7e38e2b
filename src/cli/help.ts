import { type ArgsDef, type CommandDef, renderUsage } from 'citty';
import { colors } from 'consola/utils';
import { VERSION } from '../version.ts';
import type { Arg, Args } from './args.ts';
import { type CliCommand, type CliGroup, COMMON_ARGS } from './command.ts';

/** Longer lists of allowed values stand in the description. */
const MAX_OPTIONS_LENGTH = 20;
const ROOT_ARGS: Args = { version: { type: 'boolean', alias: 'v', description: 'Show the version' } };

/** The help text of a command or a group; for a terminal of `columns` it is coloured and broken at words. */
export async function renderHelp(node: CliCommand | CliGroup, path: string, columns?: number): Promise<string> {
  const args: Args = node.kind === 'command' ? node.args : { ...COMMON_ARGS, ...(path === 'agent' ? ROOT_ARGS : {}) };
  const definition: CommandDef = {
    meta: { name: path, description: node.description, version: VERSION },
    args: mapValues(args, toCitty),
    ...(node.kind === 'group' && { subCommands: mapValues(node.commands, ({ load: _, ...meta }) => ({ meta })) }),
  };
  let usage = await renderUsage(definition);
  if (node.kind === 'group') usage = usage.replace(/(USAGE.{0,400} )[^ ]{1,400}\|[^ \u001b]{1,400}/, '$1<COMMAND>');
  const examples = node.examples.map((example) => `  ${example}`);
  const heading = colors.underline(colors.bold('EXAMPLES'));
  const lines = [...usage.trimEnd().split('\n'), ...(examples.length > 0 ? ['', heading, '', ...examples] : [])];
  // citty fills the last column of a table up with spaces.
  const text = lines.map((line) => line.trimEnd());
  if (columns === undefined) return Bun.stripANSI(text.join('\n'));
  return text.map((line) => (examples.includes(line) ? line : wrapLine(line, columns))).join('\n');
}

/** A row of a table goes on under its second column, where the terminal is wide enough for two. */
function wrapLine(line: string, columns: number): string {
  if (Bun.stringWidth(line) <= columns) return line;
  const label = /^ {1,40}\S.{0,200}? {2,80}(?=\S)/.exec(Bun.stripANSI(line))?.[0].length ?? 0;
  if (label > columns / 2) return Bun.wrapAnsi(line.trimStart(), columns).replaceAll('\n', '\n      ');
  const rest = Bun.wrapAnsi(Bun.sliceAnsi(line, label), columns - label);
  return Bun.sliceAnsi(line, 0, label) + rest.replaceAll('\n', `\n${' '.repeat(label)}`);
}

function toCitty(arg: Arg): ArgsDef[string] {
  const { alias, default: preset } = arg as { alias?: string; default?: unknown };
  const options = 'options' in arg ? (arg.options ?? []).join('|') : '';
  const isShort = arg.type === 'enum' && options.length <= MAX_OPTIONS_LENGTH;
  const allowed = options === '' || isShort ? '' : `: ${options.replaceAll('|', ', ')}`;
  const more = 'multiple' in arg && arg.multiple ? ' (repeatable)' : '';
  const common = {
    description: `${arg.description}${allowed}${more}`,
    required: arg.required ?? false,
    ...(arg.type === 'boolean' && { negativeDescription: arg.default ? 'Switch it off' : '' }),
    ...(alias === undefined ? {} : { alias }),
    ...(preset === undefined || preset === false ? {} : { default: preset }),
  };
  if (arg.type === 'positional' || arg.type === 'boolean') return { ...common, type: arg.type } as ArgsDef[string];
  const hint = 'valueHint' in arg ? arg.valueHint : isShort ? options : undefined;
  const valueHint = hint ?? { number: 'n', enum: 'name', string: 'text' }[arg.type];
  return { ...common, type: 'string', valueHint } as ArgsDef[string];
}

function mapValues<T, U>(record: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

import { type ArgsDef, type CommandDef, renderUsage } from 'citty';
import { VERSION } from '../version.ts';
import type { Arg } from './args.ts';
import type { CliCommand, CliGroup } from './command.ts';

/** The help text of a command or a group, coloured only for a terminal. */
export async function renderHelp(node: CliCommand | CliGroup, path: string, colour: boolean): Promise<string> {
  const meta = { name: path, description: node.description, version: VERSION };
  const definition: CommandDef =
    node.kind === 'command'
      ? {
          meta,
          args: Object.fromEntries(Object.entries(node.args).map(([name, arg]) => [name, toCitty(arg)])) as ArgsDef,
        }
      : {
          meta,
          subCommands: Object.fromEntries(
            Object.entries(node.commands).map(([name, entry]) => [
              name,
              { meta: { description: entry.description, ...(entry.alias ? { alias: entry.alias } : {}) } },
            ]),
          ),
        };
  const text = await renderUsage(definition);
  return colour ? text : Bun.stripANSI(text);
}

function toCitty(arg: Arg): ArgsDef[string] {
  const more = 'multiple' in arg && arg.multiple ? ' (repeatable)' : '';
  const common = { description: `${arg.description}${more}`, required: arg.required ?? false };
  switch (arg.type) {
    case 'positional':
      return { ...common, type: 'positional', ...(arg.default === undefined ? {} : { default: arg.default }) };
    case 'boolean':
      return { ...common, type: 'boolean', ...aliasOf(arg), ...(arg.default ? { default: true } : {}) };
    case 'enum':
      return { ...common, type: 'enum', options: [...arg.options], ...aliasOf(arg), ...defaultOf(arg) };
    default:
      return {
        ...common,
        type: 'string',
        ...aliasOf(arg),
        ...defaultOf(arg),
        valueHint: arg.valueHint ?? (arg.type === 'number' ? 'n' : 'text'),
      };
  }
}

function aliasOf(arg: { alias?: string }): { alias?: string } {
  return arg.alias ? { alias: arg.alias } : {};
}

function defaultOf(arg: { default?: string | number }): { default?: string } {
  return arg.default === undefined ? {} : { default: String(arg.default) };
}

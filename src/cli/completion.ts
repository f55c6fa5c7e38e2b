import type { Arg } from './args.ts';
import { type CliCommand, type CliGroup, COMMON_ARGS, defineCliCommand } from './command.ts';
import { bashScript, type CompletionFlag, type CompletionPlace, fishScript, zshScript } from './completion-scripts.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `agent completion SHELL`: a script that knows every command below `root`, its flags and their allowed values. */
export function createCompletionCommand(root: CliGroup): CliCommand {
  return defineCliCommand({
    description: 'Print a script that completes commands, flags and values in your shell',
    args: {
      shell: { type: 'positional', required: true, options: ['bash', 'zsh', 'fish'], description: 'Your shell' },
    },
    examples: [
      'source <(agent completion bash)',
      'agent completion zsh >"${fpath[1]}/_agent"',
      'agent completion fish >~/.config/fish/completions/agent.fish',
    ],
    async run({ shell }, context) {
      await context.stdout.write(SCRIPTS[shell](await readPlaces(root)));
    },
  });
}

/** Every place of the tree, parents first. */
async function readPlaces(node: CliCommand | CliGroup, path = 'agent', aliases: string[] = []) {
  const isGroup = node.kind === 'group';
  const args = Object.entries<Arg>(isGroup ? COMMON_ARGS : node.args);
  const positional = args.map(([, arg]) => arg).find((arg) => arg.type === 'positional');
  const entries = isGroup ? Object.entries(node.commands) : [];
  const place: CompletionPlace = {
    path,
    aliases,
    commands: entries.map(([name, { description }]) => ({ name, description })),
    flags: args.flatMap(([name, arg]) => flagsOf(name, arg)),
    values: (positional?.type === 'positional' && positional.options) || [],
  };
  const places = [place];
  for (const [name, { alias = [], load }] of entries)
    places.push(
      ...(await readPlaces(
        await load(),
        `${path} ${name}`,
        alias.map((other) => `${path} ${other}`),
      )),
    );
  return places;
}

function flagsOf(name: string, arg: Arg): CompletionFlag[] {
  if (arg.type === 'positional') return [];
  const { description } = arg;
  const flag: CompletionFlag = {
    long: `--${name}`,
    short: arg.alias === undefined ? undefined : `-${arg.alias}`,
    description,
    takesValue: arg.type !== 'boolean',
    values: arg.type === 'enum' ? arg.options : [],
  };
  const negated = { ...flag, long: `--no-${name}`, short: undefined, description: `Not: ${description}` };
  return arg.type === 'boolean' && arg.default ? [flag, negated] : [flag];
}

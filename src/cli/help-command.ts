import { type CliCommand, type CliGroup, defineCliCommand } from './command.ts';
import { runCli } from './run.ts';

/** `agent help X Y`: the same as `agent X Y --help`. */
export function createHelpCommand(root: CliGroup): CliCommand {
  return defineCliCommand({
    description: 'Show the help of a command',
    args: { command: { type: 'positional', multiple: true, description: 'The command; none is the whole program' } },
    examples: ['agent help', 'agent help webhook subscribe'],
    run: ({ command }, context) => runCli(root, [...command, '--help'], context),
  });
}

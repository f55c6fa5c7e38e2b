import { maskConfig, printedValues } from '../config/print.ts';
import { ConfigSchema } from '../config/schema.ts';
import { defineCliCommand } from './command.ts';

/** `agent config`: what is in effect, where each value comes from, or a sample file. */
export const configCommand = defineCliCommand({
  description: 'Show the effective configuration and where each value comes from',
  examples: ['agent config', 'agent config --json', 'agent config --sample >~/.agent/config.yaml'],
  args: { sample: { type: 'boolean', description: 'Print a commented config.yaml that documents every key' } },
  async run(args, context) {
    if (args.sample) {
      const { renderSample } = await import('../config/sample.ts');
      await context.stdout.write(renderSample(ConfigSchema));
      return;
    }
    const { config, home, origins } = await context.loadConfig();
    const rows = printedValues(ConfigSchema, config, origins);
    if (context.json) {
      await context.print({
        home,
        config: maskConfig(ConfigSchema, config) as object,
        origins: Object.fromEntries(rows.map((row) => [row.path, row.origin])),
      });
      return;
    }
    await context.print(`# home: ${home}`);
    const width = Math.max(...rows.map((row) => row.path.length));
    for (const row of rows)
      await context.print(`${row.path.padEnd(width)} = ${JSON.stringify(row.value)}  # ${row.origin}`);
  },
});

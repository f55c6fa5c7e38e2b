import { isRecord } from '../../lib/json.ts';
import { webhookUrl } from '../../webhooks/settings.ts';
import { defineCliCommand } from '../command.ts';
import { openWebhookCli, readName, unknownSubscription } from './open.ts';

const MASK = '********';

/** `agent webhook show NAME`: the whole record; secrets only with `--reveal`. */
export const showCommand = defineCliCommand({
  description: 'Show one subscription with everything that is stored',
  examples: ['agent webhook show github', 'agent webhook show github --reveal --json'],
  args: {
    name: { type: 'positional', required: true, description: 'Name of the subscription' },
    reveal: { type: 'boolean', description: 'Show the secret' },
  },
  async run(args, context) {
    const cli = await openWebhookCli(context);
    const name = readName(args.name);
    const subscriptions = await cli.read();
    const isStatic = Object.hasOwn(cli.settings.routes, name);
    const stored = isStatic
      ? cli.settings.routes[name]
      : Object.hasOwn(subscriptions, name)
        ? subscriptions[name]
        : undefined;
    if (!isRecord(stored)) throw unknownSubscription(name, cli.settings);
    const record = args.reveal ? stored : masked(stored);
    const shown = {
      name,
      webhook_url: webhookUrl(cli.settings, name),
      source: isStatic ? 'static' : 'dynamic',
      ...record,
    };
    if (context.json) {
      await context.print(shown);
      return;
    }
    for (const [key, value] of Object.entries(shown))
      await context.print(`${`${key}:`.padEnd(16)} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  },
});

function masked(record: Record<string, unknown>): Record<string, unknown> {
  const copy = { ...record };
  if (copy['secret']) copy['secret'] = MASK;
  if (Array.isArray(copy['secrets'])) copy['secrets'] = copy['secrets'].map(() => MASK);
  return copy;
}

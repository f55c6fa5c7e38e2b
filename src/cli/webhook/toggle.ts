import { isRecord } from '../../lib/json.ts';
import { defineCliCommand } from '../command.ts';
import { openWebhookCli, readName, unknownSubscription } from './open.ts';

/** `agent webhook enable NAME`. */
export const enableCommand = createToggle(true, 'Accept events of a subscription again');

/** `agent webhook disable NAME`: events get 403 until it is enabled. */
export const disableCommand = createToggle(false, 'Refuse events of a subscription without removing it');

function createToggle(enabled: boolean, description: string) {
  return defineCliCommand({
    description,
    examples: [`agent webhook ${enabled ? 'enable' : 'disable'} github`],
    args: { name: { type: 'positional', required: true, description: 'Name of the subscription' } },
    async run(args, context) {
      const cli = await openWebhookCli(context);
      const name = readName(args.name);
      await cli.update((subscriptions) => {
        const record = Object.hasOwn(subscriptions, name) ? subscriptions[name] : undefined;
        if (!isRecord(record)) throw unknownSubscription(name, cli.settings);
        record['enabled'] = enabled;
      });
      const word = enabled ? 'Enabled' : 'Disabled';
      await context.print(context.json ? { name, enabled } : `${word} webhook subscription: ${name}`);
    },
  });
}

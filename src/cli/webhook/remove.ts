import { toAppError } from '../../errors.ts';
import { defineCliCommand } from '../command.ts';
import { openEvents, openWebhookCli, readName, unknownSubscription } from './open.ts';

/** `agent webhook remove NAME`. */
export const removeCommand = defineCliCommand({
  description: 'Remove a subscription',
  examples: ['agent webhook remove github'],
  args: { name: { type: 'positional', required: true, description: 'Name of the subscription' } },
  async run(args, context) {
    const cli = await openWebhookCli(context);
    const name = readName(args.name);
    await cli.update((subscriptions) => {
      if (!Object.hasOwn(subscriptions, name)) throw unknownSubscription(name, cli.settings);
      delete subscriptions[name];
    });
    // Who subscribes under this name next has other senders.
    await forget(cli.home, name).catch((error) =>
      context.warn(`Warning: which schemes were seen is still noted: ${toAppError(error).message}`),
    );
    await context.print(context.json ? { name, removed: true } : `Removed webhook subscription: ${name}`);
  },
});

async function forget(home: string, name: string): Promise<void> {
  const store = await openEvents(home);
  await store?.forgetSchemes(name).finally(() => store.stop());
}

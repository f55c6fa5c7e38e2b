import { fail } from '../../errors.ts';
import { isRecord } from '../../lib/json.ts';
import { readScheme } from '../../webhooks/subscribe.ts';
import { schemeOf, suggestScheme } from '../../webhooks/suggest-scheme.ts';
import { defineCliCommand } from '../command.ts';
import { openWebhookCli, readName, readSchemesSeen, unknownSubscription } from './open.ts';

/** `agent webhook pin NAME [--scheme S]`. */
export const pinCommand = defineCliCommand({
  description: 'Accept one signature scheme only: the one that was seen, or --scheme; --scheme none takes it back',
  examples: [
    'agent webhook pin github',
    'agent webhook pin shop --scheme shopify',
    'agent webhook pin shop --scheme none',
  ],
  args: {
    name: { type: 'positional', required: true, description: 'Name of the subscription' },
    scheme: { type: 'string', description: 'The scheme, or the sender it belongs to (default: the one that was seen)' },
  },
  async run(args, context) {
    const cli = await openWebhookCli(context);
    const name = readName(args.name);
    const given = args.scheme === undefined ? undefined : readScheme(args.scheme);
    const seen = (await readSchemesSeen(cli.home)).get(name) ?? [];
    const { scheme, isNew } = await cli.update((subscriptions) => {
      const record = Object.hasOwn(subscriptions, name) ? subscriptions[name] : undefined;
      if (!isRecord(record)) throw unknownSubscription(name, cli.settings);
      const present = typeof record['scheme'] === 'string' ? schemeOf(record['scheme']) : undefined;
      const scheme = given ?? present ?? chooseSeen(name, seen, record);
      if (scheme === 'none') delete record['scheme'];
      else record['scheme'] = scheme;
      return { scheme, isNew: scheme !== present };
    });
    const others = seen.filter((other) => isNew && scheme !== 'none' && other !== scheme);
    if (context.json) return context.print({ name, scheme: scheme === 'none' ? null : scheme, schemes_seen: seen });
    await context.print(
      scheme === 'none'
        ? `Unpinned webhook subscription: ${name} accepts every scheme`
        : `Pinned webhook subscription: ${name} accepts only the scheme ${scheme}`,
    );
    if (others.length > 0)
      await context.warn(`Warning: deliveries signed by ${others.join(', ')} came in before; they are refused now.`);
  },
});

function chooseSeen(name: string, seen: string[], record: Record<string, unknown>): string {
  const [only, ...others] = seen;
  if (only !== undefined && others.length === 0) return only;
  const pick = only ?? suggestScheme(name, record) ?? 'SCHEME';
  throw fail(
    only === undefined ? 'no_scheme_seen' : 'several_schemes_seen',
    only === undefined
      ? `No signed delivery to '${name}' was seen yet; name the scheme: agent webhook pin ${name} --scheme ${pick}`
      : `Deliveries to '${name}' were signed by ${seen.join(', ')}; choose one: agent webhook pin ${name} --scheme ${pick}`,
  );
}

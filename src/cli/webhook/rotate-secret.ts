import { isRecord } from '../../lib/json.ts';
import { createSecret } from '../../webhooks/secret.ts';
import { webhookUrl } from '../../webhooks/settings.ts';
import { defineCliCommand, usageError } from '../command.ts';
import { checkSecret, openWebhookCli, readName, unknownSubscription } from './open.ts';

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `agent webhook rotate-secret NAME --grace 24h`. */
export const rotateSecretCommand = defineCliCommand({
  description: 'Give a subscription a new secret; with --grace the old one stays valid for a while',
  examples: ['agent webhook rotate-secret github --grace 24h'],
  args: {
    name: { type: 'positional', required: true, description: 'Name of the subscription' },
    grace: { type: 'string', valueHint: '24h', description: 'How long the old secret stays valid (s, m, h or d)' },
    secret: { type: 'string', description: 'The new secret (default: a generated one)' },
  },
  async run(args, context) {
    const cli = await openWebhookCli(context);
    const name = readName(args.name);
    const graceMs = args.grace === undefined ? 0 : readDuration(args.grace);
    const secret = args.secret ?? createSecret();
    checkSecret(secret, cli);
    const until = graceMs > 0 ? new Date(Date.now() + graceMs).toISOString() : undefined;
    await cli.update((subscriptions) => {
      const record = Object.hasOwn(subscriptions, name) ? subscriptions[name] : undefined;
      if (!isRecord(record)) throw unknownSubscription(name, cli.settings);
      const listed: unknown[] = Array.isArray(record['secrets']) ? record['secrets'] : [];
      // Plain texts have no end of their own; they get the one of this rotation.
      const old = [record['secret'] ?? (listed.length > 0 ? undefined : cli.settings.secret), ...listed].filter(isText);
      const timed = listed.filter(isStillValid);
      record['secret'] = secret;
      if (until) {
        const ending = [...new Set(old)]
          .filter((text) => text !== secret)
          .map((text) => ({ secret: text, expires_at: until }));
        record['secrets'] = [secret, ...timed, ...ending];
      } else delete record['secrets'];
    });
    const url = webhookUrl(cli.settings, name);
    if (context.json) {
      await context.print({ name, webhook_url: url, secret, old_secret_valid_until: until ?? null });
      return;
    }
    await context.print(`Rotated the secret of webhook subscription: ${name}`);
    await context.print(`  URL:    ${url}`);
    await context.print(`  Secret: ${secret}`);
    await context.print(
      until ? `  The old secret stays valid until ${until}.` : '  The old secret is no longer valid.',
    );
  },
});

/** `90s`, `30m`, `24h`, `7d` in milliseconds. */
function readDuration(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text.trim());
  if (!match) throw usageError(`--grace must be a number and s, m, h or d (24h), not "${text}".`);
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isStillValid(entry: unknown): boolean {
  return isRecord(entry) && Date.parse(String(entry['expires_at'])) > Date.now();
}

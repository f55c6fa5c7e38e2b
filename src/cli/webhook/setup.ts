import { fail } from '../../errors.ts';
import { writeDotenv } from '../../webhooks/dotenv-write.ts';
import { createSecret } from '../../webhooks/secret.ts';
import { localUrl, webhookSettings } from '../../webhooks/settings.ts';
import { askHidden, askLine, askYesNo } from '../ask.ts';
import { defineCliCommand, usageError } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { writeBox } from '../messages.ts';
import { checkSecret } from './open.ts';

interface Answers {
  port: number;
  /** Undefined: generate one. */
  secret: string | undefined;
  enable: boolean;
}

/** `agent gateway setup`: a few questions, or flags where nobody can answer. */
export const setupCommand = defineCliCommand({
  description: 'Enable the webhook platform and choose its port and secret',
  examples: ['agent gateway setup', 'agent gateway setup --yes --port 9644'],
  args: {
    port: { type: 'number', integer: true, min: 1, max: 65535, valueHint: 'port', description: 'Port of the listener' },
    secret: { type: 'string', description: 'Global signing secret (default: the present one, else a generated one)' },
    yes: { type: 'boolean', alias: 'y', description: 'Ask nothing; take the flags and defaults' },
  },
  async run(args, context) {
    const { config, home, environment } = await context.loadConfig();
    const present = webhookSettings(config.platforms.webhook);
    const given = { port: args.port ?? present.port, secret: args.secret ?? present.secret, enable: true };
    if (!args.yes && !context.stdin.isTerminal)
      throw usageError('There is no terminal to ask questions on; pass --yes, and --port or --secret where needed.');
    const answers = args.yes ? given : await ask(context, given);
    const secret = answers.secret ?? createSecret();
    // A short one that is in use is the doctor's to name: to refuse it here would leave the platform as it was.
    if (secret !== present.secret) checkSecret(secret, { settings: present, environment });
    // .env is read over config.yaml by the command line and the server alike, so nothing written before hides it.
    const path = await writeDotenv(home, {
      WEBHOOK_ENABLED: String(answers.enable),
      WEBHOOK_PORT: String(answers.port),
      WEBHOOK_SECRET: secret,
    });
    const now = webhookSettings((await context.loadConfig()).config.platforms.webhook);
    if (now.enabled !== answers.enable || now.port !== answers.port)
      await context.warn('Warning: WEBHOOK_ENABLED or WEBHOOK_PORT of the environment wins over what was written.');
    const url = localUrl(now);
    if (context.json) {
      await context.print({ enabled: answers.enable, port: answers.port, url, file: path });
      return;
    }
    await writeBox(context.stdout, [
      `Webhook platform ${answers.enable ? 'enabled' : 'disabled'} (${path}).`,
      `  URL:    ${url}`,
      `  Secret: ${answers.secret === undefined ? 'generated' : 'stored'} (WEBHOOK_SECRET in ${path})`,
      ...(answers.enable ? ['Start it with: agent gateway run'] : []),
    ]);
  },
});

async function ask(context: CommandContext, given: Answers): Promise<Answers> {
  let port = Number.NaN;
  while (!(Number.isInteger(port) && port >= 1 && port <= 65535))
    port = Number(answered(await askLine(context, `Port [${given.port}]: `)) || given.port);
  const keep = given.secret === undefined ? 'empty generates one' : 'empty keeps the present one';
  const secret = answered(await askHidden(context, `Global secret (hidden, ${keep}): `)).trim();
  const enable = await askYesNo(context, 'Enable the webhook platform?', true);
  return { port, secret: secret || given.secret, enable };
}

function answered(answer: string | undefined): string {
  if (answer === undefined) throw fail('setup_cancelled', 'Setup was cancelled; nothing was written.');
  return answer;
}

import { weaknessOf } from '../config/api-token.ts';
import { fail } from '../errors.ts';
import { writeDotenv } from '../webhooks/dotenv-write.ts';
import { createSecret } from '../webhooks/secret.ts';
import { defineCliCommand } from './command.ts';

/** `agent token`: makes the token of the API and keeps it in the `.env` of the home. */
export const tokenCommand = defineCliCommand({
  description: 'Make the token that every call of the API must carry',
  examples: ['agent token', 'agent token --replace'],
  args: {
    token: { type: 'string', valueHint: 'text', description: 'The token (default: a generated one)' },
    replace: { type: 'boolean', description: 'Replace the present one; clients that have it are refused then' },
  },
  async run(args, context) {
    const { config, home, origins } = await context.loadConfig();
    const weakness = args.token === undefined ? undefined : weaknessOf(args.token);
    if (weakness)
      throw fail(
        'weak_token',
        `The token ${weakness}. Leave --token out for a generated one, or take this: --token=${createSecret()}`,
      );
    const present = config.server.api_token;
    if (present !== undefined && present !== args.token && !args.replace)
      throw fail(
        'token_exists',
        `There is a token already (${origins.get('server.api_token')?.label}); --replace makes another one.`,
      );
    const token = args.token ?? createSecret();
    const path = await writeDotenv(home, { AGENT_API_TOKEN: token });
    if ((await context.loadConfig()).config.server.api_token !== token)
      await context.warn('Warning: AGENT_API_TOKEN of the environment wins over what was written.');
    if (context.json) return context.print({ token, file: path });
    await context.print(token);
    await context.done(`Stored as AGENT_API_TOKEN in ${path}; a running server takes it when it is started again.`);
  },
});

import { COMMIT, VERSION } from '../version.ts';
import { defineCliCommand } from './command.ts';

/** `agent version`: what a report of a fault should name. */
export const versionCommand = defineCliCommand({
  description: 'Show the version, the commit it was built from, Bun and the platform',
  examples: ['agent version', 'agent version --json'],
  async run(_args, context) {
    const platform = `${process.platform}-${process.arch}`;
    if (context.json) return context.print({ version: VERSION, commit: COMMIT ?? null, bun: Bun.version, platform });
    await context.print(`agent ${VERSION} (${COMMIT ? `commit ${COMMIT}, ` : ''}bun ${Bun.version}, ${platform})`);
  },
});

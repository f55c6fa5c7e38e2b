import { type CliGroup, defineCliGroup } from './command.ts';

/** Every command, each imported only when it is called. */
export const rootCommand: CliGroup = defineCliGroup(
  'Self-hosted research and content-generation backend with a webhook gateway',
  {
    config: {
      description: 'Show the effective configuration and where each value comes from',
      load: async () => (await import('./config.ts')).configCommand,
    },
    doctor: {
      description: 'Check home, database, models, search, speech, MCP and webhooks, and say what to do',
      load: async () => (await import('./doctor.ts')).doctorCommand,
    },
  },
);

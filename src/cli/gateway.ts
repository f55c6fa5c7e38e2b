import { defineCliGroup } from './command.ts';

/** `agent gateway …`: the process that hosts the webhook listener, and its setup. */
export const gatewayCommands = defineCliGroup(
  'The webhook gateway',
  {
    run: {
      description: 'Serve the API and, when it is enabled, the webhook listener',
      load: async () => {
        const [{ createServeCommand }, { openServices }] = await Promise.all([
          import('./serve.ts'),
          import('./open-services.ts'),
        ]);
        return createServeCommand(async (loaded) => {
          const services = await openServices(loaded);
          if (!loaded.config.platforms.webhook.enabled)
            services.deps.log.warn(
              'the webhook platform is not enabled, only the API runs; enable it with agent gateway setup',
            );
          return services;
        }, 'agent gateway run');
      },
    },
    setup: {
      description: 'Enable the webhook platform and choose its port and secret',
      load: async () => (await import('./webhook/setup.ts')).setupCommand,
    },
  },
  ['agent gateway setup', 'agent gateway run'],
);

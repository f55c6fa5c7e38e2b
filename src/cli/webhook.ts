import { defineCliGroup } from './command.ts';

/** `agent webhook …`: subscriptions of outside services and what came of their events. */
export const webhookCommands = defineCliGroup(
  'Subscriptions that let outside services start agent runs',
  {
    subscribe: {
      description: 'Create or change a subscription',
      alias: ['add'],
      load: async () => (await import('./webhook/subscribe.ts')).subscribeCommand,
    },
    list: {
      description: 'List the subscriptions',
      alias: ['ls'],
      load: async () => (await import('./webhook/list.ts')).listCommand,
    },
    show: {
      description: 'Show one subscription',
      load: async () => (await import('./webhook/show.ts')).showCommand,
    },
    remove: {
      description: 'Remove a subscription',
      alias: ['rm'],
      load: async () => (await import('./webhook/remove.ts')).removeCommand,
    },
    enable: {
      description: 'Accept events of a subscription again',
      load: async () => (await import('./webhook/toggle.ts')).enableCommand,
    },
    disable: {
      description: 'Refuse events of a subscription without removing it',
      load: async () => (await import('./webhook/toggle.ts')).disableCommand,
    },
    'rotate-secret': {
      description: 'Give a subscription a new secret, the old one staying valid for a while',
      load: async () => (await import('./webhook/rotate-secret.ts')).rotateSecretCommand,
    },
    pin: {
      description: 'Accept one signature scheme only',
      load: async () => (await import('./webhook/pin.ts')).pinCommand,
    },
    test: {
      description: 'Send a signed test event to the running gateway, or try one without it',
      load: async () => (await import('./webhook/test.ts')).testCommand,
    },
    events: {
      description: 'Show the delivery log',
      load: async () => (await import('./webhook/events.ts')).eventsCommand,
    },
    replay: {
      description: 'Run a stored event again',
      load: async () => (await import('./webhook/replay.ts')).replayCommand,
    },
  },
  ['agent webhook subscribe github --events push --prompt "What is new in {ref}?"', 'agent webhook list'],
);

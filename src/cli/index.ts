import { type CliGroup, defineCliGroup } from './command.ts';

/** Every command, each imported only when it is called. */
export const rootCommand: CliGroup = defineCliGroup(
  'Self-hosted research and content-generation backend with a webhook gateway',
  {
    serve: {
      description: 'Serve the HTTP API',
      load: async () => {
        const [{ createServeCommand }, { openServices }] = await Promise.all([
          import('./serve.ts'),
          import('./open-services.ts'),
        ]);
        return createServeCommand(openServices);
      },
    },
    research: {
      description: 'Research a question and print the cited report',
      load: async () => (await import('./research.ts')).researchCommand,
    },
    webhook: {
      description: 'Subscriptions that let outside services start agent runs',
      load: async () => (await import('./webhook.ts')).webhookCommands,
    },
    gateway: {
      description: 'Run or set up the webhook gateway',
      load: async () => (await import('./gateway.ts')).gatewayCommands,
    },
    knowledge: {
      description: 'Manage the documents that research may use',
      load: async () => (await import('./knowledge.ts')).knowledgeCommand,
    },
    speech: {
      description: 'Speak a text to an audio file',
      load: async () => (await import('./speech.ts')).speechCommand,
    },
    podcast: {
      description: 'Make a podcast from a report',
      load: async () => (await import('./podcast.ts')).podcastCommand,
    },
    slides: {
      description: 'Make a PowerPoint presentation from a report',
      load: async () => (await import('./slides.ts')).slidesCommand,
    },
    prose: {
      description: 'Continue, improve, shorten, lengthen or fix a text',
      load: async () => (await import('./prose.ts')).proseCommand,
    },
    enhance: {
      description: 'Make a prompt better',
      load: async () => (await import('./enhance.ts')).enhanceCommand,
    },
    evaluate: {
      description: 'Measure and grade a report',
      load: async () => (await import('./evaluate.ts')).evaluateCommand,
    },
    mcp: {
      description: 'Model Context Protocol: look at servers, or be one',
      load: async () => (await import('./mcp.ts')).mcpCommands,
    },
    config: {
      description: 'Show the effective configuration and where each value comes from',
      load: async () => (await import('./config.ts')).configCommand,
    },
    token: {
      description: 'Make the token that every call of the API must carry',
      load: async () => (await import('./token.ts')).tokenCommand,
    },
    doctor: {
      description: 'Check home, server, database, models, search, speech, MCP and webhooks, and say what to do',
      load: async () => (await import('./doctor.ts')).doctorCommand,
    },
    completion: {
      description: 'Print a script that completes commands, flags and values in your shell',
      load: async () => (await import('./completion.ts')).createCompletionCommand(rootCommand),
    },
    help: {
      description: 'Show the help of a command',
      load: async () => (await import('./help-command.ts')).createHelpCommand(rootCommand),
    },
    version: {
      description: 'Show the version, the commit it was built from, Bun and the platform',
      load: async () => (await import('./version.ts')).versionCommand,
    },
  },
  ['agent doctor', 'agent serve', 'agent research "How do tides work?" --out tides.md', 'agent help webhook subscribe'],
);

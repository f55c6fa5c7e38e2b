import { defineCliCommand } from '../command.ts';
import { openEvents, openWebhookCli, readName } from './open.ts';
import { eventJson, formatTime } from './text.ts';

/** `agent webhook events [NAME]`: the delivery log, newest first. */
export const eventsCommand = defineCliCommand({
  description: 'Show the delivery log, newest first',
  examples: ['agent webhook events', 'agent webhook events github --limit 5'],
  args: {
    name: { type: 'positional', description: 'Only this subscription' },
    limit: {
      type: 'number',
      integer: true,
      min: 1,
      max: 10_000,
      default: 20,
      valueHint: 'n',
      description: 'Lines shown',
    },
  },
  async run(args, context) {
    const cli = await openWebhookCli(context);
    const route = args.name === undefined ? undefined : readName(args.name);
    const store = await openEvents(cli.home);
    const events = store?.list({ ...(route === undefined ? {} : { route }), limit: args.limit }) ?? [];
    await store?.stop();
    if (context.json) {
      await context.print(events.map(eventJson));
      return;
    }
    if (events.length === 0) {
      await context.print('No events.');
      return;
    }
    for (const event of events) {
      const facts = [
        event.status,
        ...(event.reason ? [`(${event.reason})`] : []),
        `attempts=${event.attempts}`,
        ...(event.runId ? [`run=${event.runId}`] : []),
        ...(event.replayOf ? [`replay_of=${event.replayOf}`] : []),
      ];
      await context.print(
        `${formatTime(event.createdAt)}  ${event.id}  ${event.route}  ${event.event}  ${facts.join(' ')}`,
      );
      if (event.answer) await context.print(`    ${firstLine(event.answer)}`);
    }
  },
});

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

import { fail } from '../../errors.ts';
import { createId } from '../../lib/id.ts';
import { compileRoute } from '../../webhooks/route.ts';
import { localUrl } from '../../webhooks/settings.ts';
import { defineCliCommand } from '../command.ts';
import { openEvents, openWebhookCli, type WebhookCli } from './open.ts';

/** `agent webhook replay ID`: queues a stored event again, with the route as it is now. */
export const replayCommand = defineCliCommand({
  description: 'Run a stored event again, with the subscription as it is now',
  examples: ['agent webhook replay evt_0123456789'],
  args: { id: { type: 'positional', required: true, description: 'Id of the event (agent webhook events)' } },
  async run(args, context) {
    const cli = await openWebhookCli(context);
    const store = await openEvents(cli.home);
    try {
      const stored = store?.get(args.id);
      if (!store || !stored) throw fail('unknown_event', `No event '${args.id}'; see agent webhook events.`);
      const work = (await currentWork(cli, stored.route)) ?? stored.snapshot;
      if (!work || stored.body.length === 0)
        throw fail('not_replayable', `The event '${args.id}' was stored without its payload or route.`);
      const id = createId('evt');
      const runId = id.replace('evt', 'run');
      await store.accept({
        id,
        route: stored.route,
        event: stored.event,
        deliveryId: stored.deliveryId,
        status: 'queued',
        stage: work.script ? 'script' : 'run',
        body: stored.body,
        ...(stored.origin ? { origin: stored.origin } : {}),
        snapshot: work,
        runId,
        replayOf: stored.id,
      });
      const isRunning = await gatewayAnswers(cli);
      if (context.json) await context.print({ id, replay_of: stored.id, run_id: runId, gateway_running: isRunning });
      else {
        await context.print(`Replaying ${stored.id} as ${id}`);
        if (!isRunning) await context.print('The gateway is not running; the event waits for: agent gateway run');
      }
    } finally {
      await store?.stop();
    }
  },
});

async function currentWork(cli: WebhookCli, name: string) {
  const isStatic = Object.hasOwn(cli.settings.routes, name);
  const records = isStatic ? cli.settings.routes : await cli.read();
  if (!Object.hasOwn(records, name)) return undefined;
  const compiled = compileRoute(name, records[name], cli.routeContext(isStatic ? 'static' : 'dynamic'));
  return compiled.ok ? compiled.route.work : undefined;
}

async function gatewayAnswers({ settings }: WebhookCli): Promise<boolean> {
  try {
    return (await fetch(`${localUrl(settings)}/health`, { signal: AbortSignal.timeout(1000) })).ok;
  } catch {
    return false;
  }
}

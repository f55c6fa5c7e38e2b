import { isWantedEvent, readEventType } from '../../webhooks/event-type.ts';
import { renderMessage } from '../../webhooks/message.ts';
import type { Route } from '../../webhooks/route.ts';
import type { SchemeName } from '../../webhooks/signatures.ts';
import type { TestEvent } from '../../webhooks/test-request.ts';
import { runEventScript, scriptReason } from '../../webhooks/work.ts';
import type { CommandContext } from '../context.ts';
import { indented } from '../indented.ts';
import type { WebhookCli } from './open.ts';

/** Shows what the gateway would do with an event: which conditions hold, what the script says, the rendered text. */
export async function dryRun(
  context: CommandContext,
  cli: WebhookCli,
  route: Route,
  event: TestEvent,
  scheme: SchemeName,
): Promise<number> {
  const { payload } = event;
  const headers = new Headers(event.headers);
  const type = readEventType(headers, payload, scheme);
  const isWanted = isWantedEvent(route.events, type);
  await route.filter?.prepare();
  const filters = route.filter?.explain({ payload, eventType: type.name, headers }) ?? [];
  const script = route.work.script
    ? await runEventScript(
        { route: route.name, event: type.name, deliveryId: 'dry-run' },
        route.work,
        payload,
        { home: cli.home, environment: cli.loaded.environment },
        context.signal,
      )
    : undefined;
  const isIgnored = script !== undefined && script.outcome !== 'continue';
  const message = isIgnored
    ? undefined
    : renderMessage(route.work, {
        payload: script?.outcome === 'continue' ? script.payload : payload,
        eventType: type.name,
        route: route.name,
      });
  const scriptSays =
    script && (script.outcome === 'continue' ? 'continue' : scriptReason(script).replace('script: ', ''));
  const outcome = !isWanted
    ? 'ignored: event'
    : filters.some(({ matched }) => !matched)
      ? 'ignored: filter'
      : isIgnored
        ? 'ignored: script'
        : 'accepted';
  if (context.json) {
    await context.print({
      route: route.name,
      event: type.name,
      outcome,
      event_accepted: isWanted,
      filters,
      script: scriptSays ?? null,
      prompt: message?.text ?? null,
      deliver: route.work.deliver,
      deliver_extra: message?.extra ?? null,
    });
    return 0;
  }
  await context.print(`Event:   ${type.name} (${isWanted ? 'accepted' : `not in ${[...route.events].join(', ')}`})`);
  for (const { condition, matched } of filters)
    await context.print(`Filter:  ${matched ? 'matched' : 'not matched'} ${JSON.stringify(condition)}`);
  if (filters.length === 0) await context.print('Filter:  none');
  if (script) {
    await context.print(`Script:  ${scriptSays}`);
    if (script.outcome === 'continue') await context.print(`Payload: ${JSON.stringify(script.payload)}`);
  }
  await context.print(`Deliver: ${route.work.deliver}`);
  await context.print(`Outcome: ${outcome}`);
  if (message) await context.printLines(['Prompt:', ...indented(message.text)]);
  return 0;
}

import { fail } from '../../errors.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { readEventType } from '../../webhooks/event-type.ts';
import { compileRoute, type Route } from '../../webhooks/route.ts';
import { localUrl } from '../../webhooks/settings.ts';
import type { SchemeName } from '../../webhooks/signatures.ts';
import { buildTestRequest, isEventInBody, nameEvent } from '../../webhooks/test-request.ts';
import { defineCliCommand, usageError } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { openWebhookCli, readName, unknownSubscription, type WebhookCli } from './open.ts';

const TIMEOUT_MS = 60_000;

/** `agent webhook test NAME`. */
export const testCommand = defineCliCommand({
  description: 'Send a signed test event to the running gateway; --dry-run shows what would happen, without it',
  examples: [
    'agent webhook test github',
    'agent webhook test github --event push --payload \'{"ref":"main"}\' --dry-run',
  ],
  args: {
    name: { type: 'positional', required: true, description: 'Name of the subscription' },
    payload: { type: 'string', valueHint: 'json', description: 'Payload to send' },
    event: {
      type: 'string',
      valueHint: 'type',
      description: 'Event type (default: the first the subscription accepts)',
    },
    'dry-run': { type: 'boolean', description: 'Filter, run the script and render the prompt here; send nothing' },
  },
  async run(args, context) {
    const cli = await openWebhookCli(context);
    const name = readName(args.name);
    const payload = args.payload === undefined ? defaultPayload() : parseJson(args.payload);
    if (!isRecord(payload)) throw fail('invalid_payload', '--payload is not valid JSON: it must be one JSON object.');
    const route = await findRoute(cli, name);
    const scheme = route.scheme ?? 'github';
    const type = args.event ?? defaultEvent(route, scheme, args.payload === undefined ? {} : payload);
    const event = type === undefined ? { headers: {}, payload } : nameEvent(scheme, payload, type);
    if (Object.values(event.headers).some((value) => !/^[\x20-\x7e]+$/.test(value)))
      throw usageError(
        `The event type "${type}" cannot be sent: it must be printable ASCII, as it stands in a header.`,
      );
    if (args['dry-run']) {
      const { dryRun } = await import('./dry-run.ts');
      return dryRun(context, cli, route, event, scheme);
    }
    const body = args.payload !== undefined && event.payload === payload ? args.payload : JSON.stringify(event.payload);
    return send(context, cli, route, { scheme, headers: event.headers, body });
  },
});

function defaultPayload(): Record<string, unknown> {
  return { test: true, event_type: 'test', message: 'Hello from agent webhook test' };
}

/** The first event the route accepts, unless the payload names one where the scheme's senders do. */
function defaultEvent(route: Route, scheme: SchemeName, payload: Record<string, unknown>): string | undefined {
  const first = [...route.events][0];
  const isNamed = isEventInBody(scheme) && readEventType(new Headers(), payload, scheme).name !== 'unknown';
  return isNamed ? undefined : first;
}

async function findRoute(cli: WebhookCli, name: string): Promise<Route> {
  const isStatic = Object.hasOwn(cli.settings.routes, name);
  const records = isStatic ? cli.settings.routes : await cli.read();
  if (!Object.hasOwn(records, name)) throw unknownSubscription(name, cli.settings);
  const compiled = compileRoute(name, records[name], cli.routeContext(isStatic ? 'static' : 'dynamic'));
  if (!compiled.ok) throw fail('invalid_subscription', `The subscription '${name}' ${compiled.reason}.`);
  return compiled.route;
}

async function send(
  context: CommandContext,
  cli: WebhookCli,
  route: Route,
  event: { scheme: SchemeName; headers: Record<string, string>; body: string },
): Promise<number> {
  const base = localUrl(cli.settings);
  const secret = route.secrets[0]?.value ?? '';
  const request = buildTestRequest(event.scheme, secret, { ...event, nowMs: Date.now() });
  let response: Response;
  try {
    response = await fetch(`${base}/webhooks/${route.name}`, {
      method: 'POST',
      ...request,
      signal: AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  } catch (error) {
    context.signal.throwIfAborted();
    throw fail('gateway_unreachable', `The gateway is not running on ${base}: start it with agent gateway run.`, {
      cause: error,
    });
  }
  const text = await response.text();
  if (context.json) await context.print({ status: response.status, body: parseJson(text) ?? text });
  else await context.print(`Response (${response.status}): ${text}`);
  if (response.status === 401)
    await context.warn(
      'The gateway refused the signature: it runs with another secret for this route, or on another home.',
    );
  return response.ok ? 0 : 1;
}

import { userError } from '../../errors.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { compileRoute, type Route } from '../../webhooks/route.ts';
import { localUrl } from '../../webhooks/settings.ts';
import { signRequest } from '../../webhooks/sign.ts';
import { defineCliCommand, usageError } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { openWebhookCli, readName, unknownSubscription, type WebhookCli } from './open.ts';

const TIMEOUT_MS = 60_000;

/** `agent webhook test NAME`. */
export const testCommand = defineCliCommand({
  description: 'Send a signed test event to the running gateway; --dry-run shows what would happen, without it',
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
    if (!isRecord(payload))
      throw userError('invalid_payload', 400, '--payload is not valid JSON: it must be one JSON object.');
    const route = await findRoute(cli, name);
    const event = args.event ?? [...route.events][0];
    if (event !== undefined && !/^[\x20-\x7e]+$/.test(event))
      throw usageError(
        `The event type "${event}" cannot be sent: it must be printable ASCII, as it stands in a header.`,
      );
    if (args['dry-run']) {
      const { dryRun } = await import('./dry-run.ts');
      return dryRun(context, cli, route, payload, event);
    }
    return send(context, cli, route, args.payload ?? JSON.stringify(payload), event);
  },
});

function defaultPayload(): Record<string, unknown> {
  return { test: true, event_type: 'test', message: 'Hello from agent webhook test' };
}

async function findRoute(cli: WebhookCli, name: string): Promise<Route> {
  const isStatic = Object.hasOwn(cli.settings.routes, name);
  const records = isStatic ? cli.settings.routes : await cli.read();
  if (!Object.hasOwn(records, name)) throw unknownSubscription(name, cli.settings);
  const compiled = compileRoute(name, records[name], cli.routeContext(isStatic ? 'static' : 'dynamic'));
  if (!compiled.ok) throw userError('invalid_subscription', 409, `The subscription '${name}' ${compiled.reason}.`);
  return compiled.route;
}

async function send(
  context: CommandContext,
  cli: WebhookCli,
  route: Route,
  body: string,
  event: string | undefined,
): Promise<number> {
  const id = `test-${crypto.randomUUID()}`;
  const base = localUrl(cli.settings);
  const secret = route.secrets[0]?.value ?? '';
  let response: Response;
  try {
    response = await fetch(`${base}/webhooks/${route.name}`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-delivery': id,
        ...(event ? { 'x-github-event': event } : {}),
        ...signRequest(route.scheme ?? 'github', secret, { body, id, nowMs: Date.now() }),
      },
      signal: AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  } catch (error) {
    context.signal.throwIfAborted();
    throw userError(
      'gateway_unreachable',
      500,
      `The gateway is not running on ${base}: start it with agent gateway run.`,
      error,
    );
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

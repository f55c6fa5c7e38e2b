import { readFile } from 'node:fs/promises';
import { createDeliverer } from '../../delivery/deliver.ts';
import { hasFixedHost } from '../../delivery/route-address.ts';
import { fail } from '../../errors.ts';
import { systemClock } from '../../lib/clock.ts';
import { parseJson } from '../../lib/json.ts';
import { nearest } from '../../lib/nearest.ts';
import { isDestinationFromEvent } from '../../webhooks/destination.ts';
import { compileFilters } from '../../webhooks/filters.ts';
import { compileRoute } from '../../webhooks/route.ts';
import { resolveScript } from '../../webhooks/script-path.ts';
import { webhookUrl } from '../../webhooks/settings.ts';
import { buildRecord, type SubscribeRequest } from '../../webhooks/subscribe.ts';
import { suggestScheme } from '../../webhooks/suggest-scheme.ts';
import type { ParsedArgs } from '../args.ts';
import { defineCliCommand, usageError } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { checkSecret, openWebhookCli, quietLog, readName, type WebhookCli } from './open.ts';
import { describeEvents, describeMode } from './text.ts';

const args = {
  name: { type: 'positional', required: true, description: 'Name of the subscription, part of its URL' },
  prompt: { type: 'string', description: 'Template with {dot.notation} fields of the payload' },
  events: { type: 'string', valueHint: 'a,b', description: 'Event types to accept (default: all)' },
  description: { type: 'string', description: 'Free text' },
  skills: { type: 'string', valueHint: 'a,b', description: 'Skills given to the agent run' },
  deliver: { type: 'string', valueHint: 'target', description: 'Where the answer goes (default: log)' },
  'deliver-chat-id': { type: 'string', valueHint: 'id', description: 'Chat at the target' },
  'deliver-extra': {
    type: 'string',
    multiple: true,
    valueHint: 'key=value',
    description: 'Setting of the target',
  },
  secret: { type: 'string', description: 'Signing secret (default: a generated one)' },
  script: {
    type: 'string',
    valueHint: 'file',
    description: 'Script under <home>/scripts that filters or changes events',
  },
  'deliver-only': { type: 'boolean', description: 'Send the rendered prompt itself, without an agent run' },
  'no-deliver-only': { type: 'boolean', description: 'Run the agent again on a subscription that was direct' },
  knowledge: { type: 'boolean', description: 'Let runs read private documents whoever reads the answer' },
  'no-knowledge': { type: 'boolean', description: 'Close private documents to the runs' },
  filters: { type: 'string', valueHint: 'json|@file', description: 'Conditions an event must meet' },
  scheme: { type: 'string', description: 'The only signature scheme to accept, or its sender; none accepts every one' },
  'rate-limit': {
    type: 'number',
    integer: true,
    min: 0,
    valueHint: 'n',
    description: 'Requests a minute; 0 is no limit',
  },
} as const;

/** `agent webhook subscribe`. */
export const subscribeCommand = defineCliCommand({
  description: 'Create or change a subscription; keys that are not given keep their value',
  examples: [
    'agent webhook subscribe github --events push --prompt "What is new in {ref}?"',
    'agent webhook subscribe alerts --deliver telegram --deliver-chat-id -100123',
    'agent webhook subscribe shop --scheme shopify --filters @filters.json',
  ],
  args,
  async run(values, context) {
    const cli = await openWebhookCli(context);
    const name = readName(values.name);
    if (Object.hasOwn(cli.settings.routes, name))
      throw fail('static_route', `'${name}' is a static route of config.yaml; choose another name.`);
    const request = await readRequest(values);
    const warnings = await check(request, cli);
    const { record, isNew } = await cli.update((subscriptions) => {
      const stored = Object.hasOwn(subscriptions, name) ? subscriptions[name] : undefined;
      const record = buildRecord(stored, request, new Date());
      subscriptions[name] = record;
      return { record, isNew: stored === undefined };
    });
    warnings.push(...checkRecord(record, cli));
    for (const warning of warnings) await context.warn(`Warning: ${warning}`);
    await report(context, cli, name, record, isNew, warnings);
  },
});

async function readRequest(values: ParsedArgs<typeof args>): Promise<SubscribeRequest> {
  const filters = values.filters === undefined ? undefined : await readFilters(values.filters);
  const extra = values['deliver-extra'].map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw usageError(`--deliver-extra must be key=value, not "${pair}".`);
    return [pair.slice(0, at).trim(), pair.slice(at + 1)] as const;
  });
  if (values['deliver-only'] && values['no-deliver-only'])
    throw usageError('--deliver-only and --no-deliver-only exclude each other.');
  if (values.knowledge && values['no-knowledge'])
    throw usageError('--knowledge and --no-knowledge exclude each other.');
  const given = {
    prompt: values.prompt,
    events: values.events === undefined ? undefined : splitList(values.events),
    description: values.description,
    skills: values.skills === undefined ? undefined : splitList(values.skills),
    deliver: values.deliver?.trim().toLowerCase(),
    chatId: values['deliver-chat-id'],
    deliverExtra: extra.length > 0 ? Object.fromEntries(extra) : undefined,
    secret: values.secret,
    script: values.script?.trim(),
    deliverOnly: values['deliver-only'] || (values['no-deliver-only'] ? false : undefined),
    filters,
    scheme: values.scheme,
    rateLimit: values['rate-limit'],
    knowledge: values.knowledge || (values['no-knowledge'] ? false : undefined),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as SubscribeRequest;
}

async function readFilters(text: string): Promise<unknown> {
  const json = text.startsWith('@') ? await readFilterFile(text.slice(1)) : text;
  const filters = parseJson(json);
  if (typeof filters !== 'object' || filters === null)
    throw fail('invalid_filters', '--filters must be a JSON object or list, or @ and the name of a file with one.');
  return filters;
}

async function readFilterFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw fail('invalid_filters', `--filters: the file ${path} cannot be read (${code}).`, { cause: error });
  }
}

/** Refuses what cannot work; returns what only needs attention. */
async function check(request: SubscribeRequest, cli: WebhookCli): Promise<string[]> {
  const warnings: string[] = [];
  if (request.secret !== undefined) checkSecret(request.secret, cli);
  if (request.deliver !== undefined) warnings.push(...checkTarget(request.deliver, cli));
  if (request.script) {
    const found = await resolveScript(cli.home, request.script);
    if (!found.ok && found.code === 'outside')
      throw fail('script_outside', `--script must stay inside ${cli.home}/scripts/.`);
    if (!found.ok)
      warnings.push(`${request.script} does not exist in ${cli.home}/scripts/ yet; events are ignored until it does.`);
  }
  if (request.filters !== undefined) {
    const filter = compileFilters(request.filters, cli.routeContext('dynamic').filterTools);
    await filter.prepare();
    if (filter.problems.length > 0)
      throw fail('invalid_filters', `--filters is not valid: ${filter.problems.join('; ')}.`);
  }
  return warnings;
}

/** What the whole subscription, older keys included, will not do as one might think. */
function checkRecord(record: Record<string, unknown>, cli: WebhookCli): string[] {
  const compiled = compileRoute('check', record, cli.routeContext('dynamic'));
  if (!compiled.ok) return [];
  const { work } = compiled.route;
  const warnings: string[] = [];
  if (!work.deliverOnly && work.knowledge === undefined && isDestinationFromEvent(work))
    warnings.push(
      'the event says who reads the answer, so its runs do not read your private documents; --knowledge lets them.',
    );
  const url = work.deliver === 'webhook' ? (work.deliverExtra['url'] ?? work.deliverExtra['chat_id']) : undefined;
  const { allowed_hosts: allowedHosts } = cli.loaded.config.platforms.outgoing_webhook;
  if (typeof url === 'string' && allowedHosts.length === 0 && !hasFixedHost(url))
    warnings.push(
      'the url takes its host from the event, so nothing is delivered; write scheme and host into it, or list the host in platforms.outgoing_webhook.allowed_hosts.',
    );
  return warnings;
}

function checkTarget(name: string, cli: WebhookCli): string[] {
  const { platforms } = cli.loaded.config;
  const targets = createDeliverer({
    config: platforms,
    fetch,
    guardedFetch: fetch,
    clock: systemClock,
    log: quietLog,
  }).targets();
  const found = targets.find((target) => target.name === name);
  const names = targets.map((target) => target.name);
  if (!found) {
    const near = nearest(name, names);
    throw fail(
      'unknown_target',
      `Unknown delivery target '${name}'${near ? `; did you mean ${near}?` : '.'} Known targets: ${names.join(', ')}.`,
    );
  }
  return found.configured ? [] : [`${name} is not configured yet; set ${found.missing.join(', ')}.`];
}

async function report(
  context: CommandContext,
  { settings }: WebhookCli,
  name: string,
  record: Record<string, unknown>,
  isNew: boolean,
  warnings: string[],
): Promise<void> {
  const url = webhookUrl(settings, name);
  const suggested = record['scheme'] ? undefined : suggestScheme(name, record);
  if (context.json) {
    const suggestion = suggested ? { suggested_scheme: suggested } : {};
    return context.print({ name, webhook_url: url, created: isNew, ...record, ...suggestion, warnings });
  }
  await context.print(`${isNew ? 'Created' : 'Updated'} webhook subscription: ${name}`);
  await context.print(`  URL:     ${url}`);
  await context.print(`  Secret:  ${record['secret']}`);
  await context.print(`  Events:  ${describeEvents(record['events'])}`);
  await context.print(`  Deliver: ${record['deliver']}`);
  await context.print(`  Mode:    ${describeMode(record)}`);
  await context.print(`  Scheme:  ${record['scheme'] ?? describeAny(name, suggested)}`);
}

function describeAny(name: string, suggested: string | undefined): string {
  if (!suggested) return `any (agent webhook pin ${name} keeps to the one that is seen)`;
  return `any (${suggested}, by the look of it: agent webhook pin ${name} --scheme ${suggested})`;
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

import { isRecord } from '../../lib/json.ts';
import type { EventLine } from '../../webhooks/event-record.ts';
import { isValidName } from '../../webhooks/name.ts';
import { compileRoute } from '../../webhooks/route.ts';
import { webhookUrl } from '../../webhooks/settings.ts';
import { defineCliCommand } from '../command.ts';
import { openEvents, openWebhookCli, type WebhookCli } from './open.ts';
import { describeEvents, describeLast, describeMode, eventJson } from './text.ts';

interface Listed {
  name: string;
  source: 'static' | 'dynamic';
  record: Record<string, unknown>;
  url: string;
  state: string;
  problems: string[];
  /** Schemes by which deliveries were signed while the route accepted any. */
  seen: string[];
  last?: EventLine;
}

/** `agent webhook list`: every route with its state and what came last; never a secret. */
export const listCommand = defineCliCommand({
  description: 'List the subscriptions, their state and their last event',
  examples: ['agent webhook list', 'agent webhook list --json'],
  async run(_args, context) {
    const cli = await openWebhookCli(context);
    const dynamic = await listRoutes(cli, 'dynamic', await cli.read());
    const fixed = await listRoutes(cli, 'static', cli.settings.routes);
    await addHistory(cli.home, [...dynamic, ...fixed]);
    if (context.json) {
      await context.print({ count: dynamic.length, subscriptions: [...dynamic, ...fixed].map(toJson) });
      return;
    }
    const lines = [
      dynamic.length === 0 ? 'No dynamic webhook subscriptions.' : `${dynamic.length} webhook subscription(s):`,
    ];
    for (const item of dynamic) lines.push('', ...toLines(item));
    if (fixed.length > 0) lines.push('', 'Static routes (config.yaml):');
    for (const item of fixed) lines.push('', ...toLines(item));
    await context.printLines(lines);
  },
});

async function listRoutes(
  cli: WebhookCli,
  source: 'static' | 'dynamic',
  records: Record<string, unknown>,
): Promise<Listed[]> {
  const routeContext = cli.routeContext(source);
  const listed: Listed[] = [];
  for (const [name, record] of Object.entries(records)) {
    const compiled = isValidName(name)
      ? compileRoute(name, record, routeContext)
      : ({ ok: false, reason: 'has a name that is not valid' } as const);
    if (compiled.ok) await compiled.route.filter?.prepare();
    const isShadowed = source === 'dynamic' && Object.hasOwn(cli.settings.routes, name);
    const state = !compiled.ok ? 'invalid' : isShadowed ? 'shadowed' : compiled.route.enabled ? 'enabled' : 'disabled';
    const problems = compiled.ok ? [...(compiled.route.filter?.problems ?? [])] : [`it ${compiled.reason}`];
    if (isShadowed) problems.push('a static route has the same name and wins');
    listed.push({
      name,
      source,
      record: isRecord(record) ? record : {},
      url: webhookUrl(cli.settings, name),
      state,
      problems,
      seen: [],
    });
  }
  return listed;
}

async function addHistory(home: string, items: Listed[]): Promise<void> {
  const store = items.length > 0 ? await openEvents(home) : undefined;
  if (!store) return;
  try {
    const last = store.lastByRoute(items.map((item) => item.name));
    const seen = store.schemesByRoute();
    for (const item of items) {
      item.seen = seen.get(item.name) ?? [];
      const line = last.get(item.name);
      if (line) item.last = line;
    }
  } finally {
    await store.stop();
  }
}

function toLines(item: Listed): string[] {
  const { name, source, record, url, state, problems, last } = item;
  return [
    `  ${name}${source === 'static' ? ' (static)' : ''}`,
    ...(record['description'] ? [`    Description: ${record['description']}`] : []),
    `    URL:         ${url}`,
    `    Events:      ${describeEvents(record['events'])}`,
    `    Deliver:     ${record['deliver'] ?? 'log'}`,
    `    Mode:        ${describeMode(record)}`,
    ...(record['script'] ? [`    Script:      ${record['script']}`] : []),
    `    Scheme:      ${describeScheme(item)}`,
    `    State:       ${state}${problems.length > 0 ? ` (${problems.join('; ')})` : ''}`,
    `    Last event:  ${last ? describeLast(last) : 'none'}`,
  ];
}

/** The one scheme that is accepted, or which were seen and how to keep the others out. */
function describeScheme({ name, source, record, seen }: Listed): string {
  if (record['scheme']) return String(record['scheme']);
  if (seen.length === 0) return 'any (none seen yet)';
  const how =
    source === 'static'
      ? `pin it with scheme: ${seen[0]} in config.yaml`
      : `pin it: agent webhook pin ${name}${seen.length > 1 ? ` --scheme ${seen[0]}` : ''}`;
  return `any (seen: ${seen.join(', ')}; ${how})`;
}

function toJson({ name, source, record, url, state, problems, seen, last }: Listed): object {
  return {
    name,
    source,
    description: record['description'] ?? '',
    webhook_url: url,
    events: record['events'] ?? [],
    deliver: record['deliver'] ?? 'log',
    deliver_only: record['deliver_only'] === true,
    script: record['script'] ?? null,
    scheme: record['scheme'] ?? null,
    schemes_seen: seen,
    state,
    problems,
    last_event: last ? eventJson(last) : null,
  };
}

import type { Approvals, KnownServer } from '../../mcp/approvals.ts';
import { describeIdentity } from '../../mcp/identity.ts';
import { configuredServers } from '../../mcp/policy.ts';
import { comparePins } from '../../mcp/tool-pins.ts';
import { defineCliCommand } from '../command.ts';
import { openNeeds } from './known-servers.ts';
import { describeFolders } from './text.ts';

/** `agent mcp list`: the servers of the configuration and those of requests, and what was decided about them. */
export const mcpListCommand = defineCliCommand({
  description: 'List the servers of the configuration and those requests asked for, and which are allowed',
  examples: ['agent mcp list', 'agent mcp list --json'],
  async run(_args, context) {
    const loaded = await context.loadConfig();
    const { approvals } = openNeeds(loaded);
    const configured = await findConfiguredServers(loaded.config.mcp, approvals);
    const requested = (await approvals.list()).filter((known) => known.name === null);
    if (context.json) return context.print({ servers: [...configured, ...requested].map(toJson) });
    const { enable_server_configuration: enabled, require_approval: required } = loaded.config.mcp;
    const sections = [
      ...section('Servers of the configuration:', configured),
      ...section(`Servers of requests${enabled ? '' : ' (switched off)'}:`, requested),
    ];
    for (const line of sections.length > 0 ? sections : ['No MCP servers.']) await context.print(line);
    if (enabled && !required)
      await context.warn('mcp.require_approval is false: requests may start servers that nobody has looked at.');
  },
});

async function findConfiguredServers(
  mcp: Parameters<typeof configuredServers>[0],
  approvals: Approvals,
): Promise<KnownServer[]> {
  return Promise.all(configuredServers(mcp).map(({ name, target }) => approvals.find(target, name)));
}

function section(title: string, servers: readonly KnownServer[]): string[] {
  if (servers.length === 0) return [];
  return [title, ...servers.flatMap((known) => ['', ...toLines(known)]), ''];
}

function toLines(known: KnownServer): string[] {
  const { record } = known;
  const key = known.name ?? known.id;
  const state = stateOf(known);
  const folders = record && record.folders.length > 0 ? [`    Folders: ${describeFolders(record.folders)}`] : [];
  const advice = state === 'allowed' || state === 'new' ? [] : [`    Look at it and allow it: agent mcp allow ${key}`];
  return [
    `  ${key}`,
    `    Server:  ${describeIdentity(known.server)}`,
    ...folders,
    `    State:   ${sentenceOf(known)}`,
    ...advice,
  ];
}

type State = 'new' | 'pending' | 'allowed' | 'changed' | 'denied';

function stateOf({ name, record }: KnownServer): State {
  if (!record) return name === null ? 'pending' : 'new';
  return record.state === 'allowed' && record.offered ? 'changed' : record.state;
}

function sentenceOf(known: KnownServer): string {
  const { record } = known;
  switch (stateOf(known)) {
    case 'new':
      return 'never used; its tools are pinned at the first use';
    case 'pending':
      return 'waits for approval';
    case 'denied':
      return 'denied';
    case 'changed': {
      const { added, changed } = comparePins(record?.tools ?? [], record?.offered ?? []);
      const count = added.length + changed.length;
      return `allowed, but ${count === 1 ? 'a tool changed and is' : `${count} tools changed and are`} kept back`;
    }
    default:
      return record?.tools
        ? `allowed with ${record.tools.length} tools`
        : 'allowed; its tools are pinned at the next use';
  }
}

function toJson(known: KnownServer): object {
  const { record } = known;
  return {
    id: known.id,
    name: known.name,
    server: known.server,
    state: stateOf(known),
    folders: record?.folders ?? [],
    tools: record?.tools?.map((tool) => tool.name) ?? null,
    changes: record?.offered ? comparePins(record.tools ?? [], record.offered) : null,
  };
}

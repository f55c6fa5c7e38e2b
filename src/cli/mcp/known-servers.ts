import type { LoadedConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { createGuardedStreamFetch } from '../../crawl/guarded-stream-fetch.ts';
import type { Approvals, KnownServer } from '../../mcp/approvals.ts';
import type { ConnectionNeeds } from '../../mcp/connection.ts';
import { createConnectionNeeds } from '../../mcp/connection-needs.ts';
import type { McpServerSpec } from '../../mcp/model.ts';
import { configuredServers } from '../../mcp/policy.ts';
import { usageError } from '../command.ts';

/** What the commands that decide on servers work with. */
export function openNeeds({ config, home }: Pick<LoadedConfig, 'config' | 'home'>): ConnectionNeeds {
  return createConnectionNeeds({
    config,
    home,
    guardedFetch: createGuardedStreamFetch({ allowPrivateNetwork: config.crawl.allow_private_network }),
    openFetch: createGuardedStreamFetch({ allowPrivateNetwork: true, anyPort: true }),
  });
}

/** A server of `mcp.servers` by its name. */
export function findConfigured(mcp: Config['mcp'], name: string): McpServerSpec {
  const servers = configuredServers(mcp);
  const server = servers.find((entry) => entry.name === name);
  if (server) return server;
  const names = servers.map((entry) => entry.name).join(', ') || 'none';
  throw usageError(`There is no server "${name}" in mcp.servers; known are ${names}.`);
}

/** A server of the configuration by name, or one that a request brought by the beginning of its id. */
export async function findKnown(
  mcp: Config['mcp'],
  approvals: Approvals,
  word: string,
): Promise<{ known: KnownServer; spec: McpServerSpec | undefined }> {
  const spec = configuredServers(mcp).find((entry) => entry.name === word);
  if (spec) return { known: await approvals.find(spec.target, spec.name), spec };
  const all = await approvals.list();
  const matching = /^[0-9a-f]{4,64}$/.test(word) ? all.filter((known) => known.digest.startsWith(word)) : [];
  const [known, second] = matching.filter((entry) => entry.name === null);
  if (second) throw usageError(`Several servers begin with ${word}; agent mcp list shows longer ids.`);
  if (!known)
    throw usageError(
      `There is no server "${word}", neither in mcp.servers nor among those that requests asked for; agent mcp list shows all.`,
    );
  return { known, spec: undefined };
}

import type { Config } from '../../config/schema.ts';
import { isLoopback } from '../../http/bind.ts';

/**
 * Why requests may not bring servers although they are allowed to; undefined when they may. Whoever reaches the API
 * could have programs started: it must be this machine alone, or who has the token. A further host name means that
 * something in front of the loopback address lets others in.
 */
export function refuseRequestServers({ mcp, server }: Pick<Config, 'mcp' | 'server'>): string | undefined {
  if (!mcp.enable_server_configuration || server.api_token !== undefined) return undefined;
  const names = [...server.allowed_hosts, ...mcp.allowed_hosts].filter((name) => !isLoopback(name));
  if (isLoopback(server.host) && names.length === 0) return undefined;
  const where = isLoopback(server.host) ? `answer to ${names[0]}` : `listen on ${server.host || 'all addresses'}`;
  return (
    `Refusing to ${where} without a token while requests may bring MCP servers (ENABLE_MCP_SERVER_CONFIGURATION): ` +
    'anyone on the network could have programs started. Set AGENT_API_TOKEN to a secret (agent token), or take ' +
    'ENABLE_MCP_SERVER_CONFIGURATION away; --insecure is not enough for this.'
  );
}

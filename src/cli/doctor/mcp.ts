import { configuredServers } from '../../mcp/policy.ts';
import type { Check, Finding } from './check.ts';

const area = 'mcp';

/** MCP servers: whether requests may name their own, and whether the programs that start servers are there. */
export const checkMcp: Check = async ({ config }) => {
  const isInstalled = (name: string) => Bun.which(name, { PATH: config.mcp.path }) !== null;
  const findings: Finding[] = [];
  for (const { name, target } of configuredServers(config.mcp)) {
    if (target.transport !== 'stdio') {
      const url = URL.parse(target.url);
      findings.push(
        url
          ? {
              area,
              status: 'ok',
              message: `Server ${name} at ${url.host}.`,
              advice: [`Try it: agent mcp inspect ${name}`],
            }
          : { area, status: 'fail', message: `Server ${name} has no url.`, advice: [`Set mcp.servers.${name}.url.`] },
      );
      continue;
    }
    if (target.command === '')
      findings.push({
        area,
        status: 'fail',
        message: `Server ${name} has no command.`,
        advice: [`Set mcp.servers.${name}.command.`],
      });
    else if (isInstalled(target.command))
      findings.push({
        area,
        status: 'ok',
        message: `Server ${name} is started with ${target.command}.`,
        advice: [`Try it: agent mcp inspect ${name}`],
      });
    else
      findings.push({
        area,
        status: 'fail',
        message: `Server ${name} needs ${target.command}, which is not on the PATH.`,
        advice: [`Install it, or set mcp.servers.${name}.command.`],
      });
  }
  return [...findings, requestServers(config.mcp, isInstalled)];
};

function requestServers(
  mcp: { enable_server_configuration: boolean; allowed_commands: string[] },
  isInstalled: (name: string) => boolean,
): Finding {
  if (!mcp.enable_server_configuration)
    return {
      area,
      status: 'ok',
      message: 'Requests may not name MCP servers of their own.',
      advice: ['To allow it put ENABLE_MCP_SERVER_CONFIGURATION=true into the .env of the home.'],
    };
  const found = mcp.allowed_commands.filter(isInstalled);
  if (found.length === 0)
    return {
      area,
      status: 'warn',
      message: 'Requests may name MCP servers, but no program that starts stdio servers is on the PATH.',
      advice: [`Install one of ${mcp.allowed_commands.join(', ')}, or use servers with a URL.`],
    };
  return { area, status: 'ok', message: `Requests may name MCP servers; found ${found.join(', ')}.` };
}

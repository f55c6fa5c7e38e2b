import type { Config } from '../../config/schema.ts';
import { systemClock } from '../../lib/clock.ts';
import { Approvals } from '../../mcp/approvals.ts';
import { configuredServers } from '../../mcp/policy.ts';
import { ServerSandbox } from '../../mcp/server-sandbox.ts';
import { comparePins } from '../../mcp/tool-pins.ts';
import { refuseRequestServers } from '../mcp/refuse-request-servers.ts';
import type { Check, Finding } from './check.ts';

const area = 'mcp';

/** MCP servers: whether requests may name their own, and whether the programs that start servers are there. */
export const checkMcp: Check = async ({ config, home }) => {
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
  return [
    ...findings,
    requestServers(config, isInstalled),
    ...(await sandbox(config.mcp, home)),
    ...(await decisions(config.mcp, home)),
  ];
};

/** Whether stdio servers are shut in; nothing where none can be started. */
async function sandbox(mcp: Config['mcp'], home: string): Promise<Finding[]> {
  const isUsed =
    mcp.enable_server_configuration || configuredServers(mcp).some(({ target }) => target.transport === 'stdio');
  if (!isUsed) return [];
  if (mcp.sandbox === 'off')
    return [{ area, status: 'warn', message: 'MCP servers run without a sandbox (mcp.sandbox: off).' }];
  const look = await new ServerSandbox({ config: mcp, home }).look();
  if (look.ok) return [{ area, status: 'ok', message: 'MCP servers run shut in by bubblewrap.' }];
  const isRequired = mcp.sandbox === 'required';
  return [
    {
      area,
      status: isRequired ? 'fail' : 'warn',
      message: isRequired
        ? `MCP servers cannot start: mcp.sandbox is required and ${look.why}.`
        : `MCP servers run without a sandbox and can do what this server can: ${look.why}.`,
      advice: ['apt-get install bubblewrap'],
    },
  ];
}

/** Servers and tools that wait for the operator. */
async function decisions(mcp: Config['mcp'], home: string): Promise<Finding[]> {
  const approvals = new Approvals({ home, required: true, clock: systemClock });
  const current = await Promise.all(configuredServers(mcp).map(({ name, target }) => approvals.find(target, name)));
  const requested = (await approvals.list()).filter((known) => known.name === null);
  return [...current, ...requested].flatMap(({ id, name, record }): Finding[] => {
    const key = name ?? id;
    const advice = [`agent mcp allow ${key}`];
    if (record?.state === 'pending')
      return [{ area, status: 'ok', message: `A request asked for the server ${key}, which is not allowed.`, advice }];
    if (record?.state !== 'allowed' || !record.offered) return [];
    const { added, changed } = comparePins(record.tools ?? [], record.offered);
    const count = added.length + changed.length;
    return [
      {
        area,
        status: 'warn',
        message: `${count === 1 ? 'A tool' : `${count} tools`} of ${key} changed and ${count === 1 ? 'is' : 'are'} kept back.`,
        advice,
      },
    ];
  });
}

function requestServers(config: Pick<Config, 'mcp' | 'server'>, isInstalled: (name: string) => boolean): Finding {
  const { mcp } = config;
  const refusal = refuseRequestServers(config);
  if (refusal !== undefined) return { area, status: 'fail', message: refusal };
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
  if (!mcp.require_approval)
    return {
      area,
      status: 'warn',
      message: `Requests may start MCP servers with ${found.join(', ')} that nobody has approved (mcp.require_approval: false).`,
    };
  return {
    area,
    status: 'ok',
    message: `Requests may name MCP servers once they are allowed (agent mcp list); found ${found.join(', ')}.`,
  };
}

import type { Check } from './check.ts';

const area = 'mcp';
/** Programs that usually start stdio servers. */
const RUNNERS = ['npx', 'uvx', 'node', 'python3', 'bunx', 'docker'];

/** MCP servers: whether requests may name their own, and which programs could start them. */
export const checkMcp: Check = async ({ config, environment }) => {
  if (!config.mcp.enable_server_configuration)
    return [
      {
        area,
        status: 'ok',
        message: 'Requests may not name MCP servers of their own.',
        advice: ['To allow it put ENABLE_MCP_SERVER_CONFIGURATION=true into the .env of the home.'],
      },
    ];
  const found = RUNNERS.filter((name) => Bun.which(name, { PATH: environment['PATH'] ?? '' }));
  if (found.length === 0)
    return [
      {
        area,
        status: 'warn',
        message: 'Requests may name MCP servers, but no program that starts stdio servers is on the PATH.',
        advice: [`Install one of ${RUNNERS.join(', ')}, or use servers with a URL.`],
      },
    ];
  return [{ area, status: 'ok', message: `Requests may name MCP servers; found ${found.join(', ')}.` }];
};

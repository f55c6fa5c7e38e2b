import { AppError, fail } from '../../errors.ts';
import type { KnownServer } from '../../mcp/approvals.ts';
import { type CheckableServer, checkServer } from '../../mcp/check-server.ts';
import type { ConnectionNeeds } from '../../mcp/connection.ts';
import { describeIdentity } from '../../mcp/identity.ts';
import { inspectServer } from '../../mcp/metadata.ts';
import type { McpServerSpec, McpTarget, SharedFolder } from '../../mcp/model.ts';
import { createMcpPolicy } from '../../mcp/policy.ts';
import { foldersForRequests } from '../../mcp/shared-folders.ts';
import { type PinnedTool, pinTools } from '../../mcp/tool-pins.ts';
import { askYesNo } from '../ask.ts';
import { defineCliCommand, usageError } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { indented } from '../indented.ts';
import { findKnown, openNeeds } from './known-servers.ts';
import { changeLines, describeFolders, toolLines, visible } from './text.ts';
import { readPairs, readTypedServer, SERVER_FLAGS, type ServerFlags } from './typed-server.ts';

/** What is decided on. */
interface Candidate {
  known: KnownServer;
  target: McpTarget;
  folders: SharedFolder[];
}

/** `agent mcp allow SERVER`: shows what would be started and what a model would read, asks, and remembers both. */
export const mcpAllowCommand = defineCliCommand({
  description: 'Look at an MCP server of a request, or at the changed tools of any server, and allow it',
  examples: [
    'agent mcp allow files',
    'agent mcp allow --url https://mcp.example.com/mcp --header "X-Api-Key: KEY"',
    'agent mcp allow --command npx --args "-y mcp-server-time" --yes',
  ],
  args: {
    server: { type: 'positional', description: 'Name in mcp.servers, or id that agent mcp list shows' },
    ...SERVER_FLAGS,
    'command-only': { type: 'boolean', description: 'Do not start it; its tools are pinned at the first use' },
    yes: { type: 'boolean', alias: 'y', description: 'Do not ask' },
    timeout: { type: 'number', integer: true, min: 1, max: 3600, valueHint: 'seconds', description: 'Longest wait' },
  },
  async run(args, context) {
    const loaded = await context.loadConfig();
    const { config } = loaded;
    const needs = openNeeds(loaded);
    const candidate = await findCandidate(args, needs, loaded);
    const { known, target, folders } = candidate;
    if (!context.json) await describe(candidate, needs, config.mcp, context);
    const timeoutMs = (args.timeout ?? config.mcp.default_timeout_seconds) * 1000;
    const tools = args['command-only'] ? null : await readTools(candidate, needs, timeoutMs, context);
    const pinned = known.record?.tools;
    if (!context.json) {
      const lines = pinned && tools ? changeLines(pinned, tools) : tools ? toolLines(tools) : [];
      if (pinned && tools)
        await context.print(
          lines.length > 0 ? 'Changes since it was allowed:' : 'Nothing changed since it was allowed.',
        );
      else if (tools) await context.print(`Tools (${tools.length}), as a model reads them:`);
      for (const line of lines) await context.print(line);
    }
    if (!args.yes && !(await confirm(context))) throw fail('not_allowed', 'Nothing was changed.');
    await needs.approvals.allow(known, tools, folders);
    if (context.json) {
      await context.print({
        id: known.id,
        name: known.name,
        state: 'allowed',
        tools: tools?.map(({ name }) => name) ?? null,
      });
      return;
    }
    const pins = tools
      ? `${tools.length === 1 ? 'one tool is' : `${tools.length} tools are`} pinned`
      : 'its tools are pinned at the first use';
    await context.print(`Allowed: ${known.name ?? known.id}; ${pins}.`);
    if (!target.trusted && !config.mcp.enable_server_configuration)
      await context.warn('Requests may bring servers only with ENABLE_MCP_SERVER_CONFIGURATION=true.');
  },
});

async function findCandidate(
  args: ServerFlags & { server: string | undefined },
  needs: ConnectionNeeds,
  { config, home }: { config: Parameters<typeof createMcpPolicy>[0]; home: string },
): Promise<Candidate> {
  const policy = createMcpPolicy(config);
  const isTyped = args.command !== undefined || args.url !== undefined;
  if ((args.server !== undefined) === isTyped)
    throw usageError('Name one server: NAME or id as agent mcp list shows them, --command, or --url.');
  const found = args.server === undefined ? undefined : await findKnown(config.mcp, needs.approvals, args.server);
  if (found?.spec) return candidateOf(found.known, found.spec);
  const wanted: CheckableServer = found ? rebuild(found.known, args) : readTypedServer(args, false);
  const check = checkServer(wanted, policy);
  if (!check.ok) {
    const [problem] = check.problems;
    throw fail('mcp_refused', `Requests may not use this server: ${problem?.message}`);
  }
  const { target } = check;
  const known = found?.known ?? (await needs.approvals.find(target, null));
  const folders = target.transport === 'stdio' ? foldersForRequests(target.args, home, config.mcp.script_dirs) : [];
  return target.transport === 'stdio'
    ? { known, folders, target: { ...target, sandbox: { enabled: true, folders } } }
    : { known, folders, target };
}

function candidateOf(known: KnownServer, { target }: McpServerSpec): Candidate {
  return { known, target, folders: [] };
}

/** The server as a request would bring it, with the values given here for its variables or headers. */
function rebuild({ server }: KnownServer, flags: ServerFlags): CheckableServer {
  if (server.transport !== 'stdio')
    return { transport: server.transport, url: server.url, headers: readPairs(flags.header, ':', '--header') };
  const { transport, command, args } = server;
  return { transport, command, args, env: readPairs(flags.env, '=', '--env') };
}

async function describe(
  { known, target, folders }: Candidate,
  needs: ConnectionNeeds,
  mcp: { sandbox: string; network: boolean },
  context: CommandContext,
): Promise<void> {
  await context.print(`Server:   ${describeIdentity(known.server)}`);
  if (target.transport !== 'stdio') return;
  const isOff = mcp.sandbox === 'off' || target.sandbox?.enabled === false;
  const look = isOff ? undefined : await needs.sandbox.look();
  const network = (target.sandbox?.network ?? mcp.network) ? 'uses the network' : 'has no network';
  const shared = folders.length > 0 ? `; ${describeFolders(folders)}` : '';
  if (look?.ok) await context.print(`Sandbox:  yes; does not see your home; ${network}${shared}`);
  else await context.print(`Sandbox:  NO${look ? `, ${look.why}` : ''}: it can do whatever this user can`);
}

/** The list the running server saw last, when it had changed; else what the server offers now. */
async function readTools(
  { known, target }: Candidate,
  needs: ConnectionNeeds,
  timeoutMs: number,
  context: CommandContext,
): Promise<PinnedTool[]> {
  if (known.record?.offered) return known.record.offered;
  let stderr = '';
  try {
    const { tools } = await inspectServer(target, needs, timeoutMs, context.signal, (text) => {
      stderr = text;
    });
    return pinTools(tools);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    if (stderr.trim() !== '')
      for (const line of ['The program wrote:', ...indented(stderr.trimEnd())]) await context.note(visible(line));
    const names = known.server.transport === 'stdio' ? known.server.env : known.server.headers;
    const values = names.length > 0 ? ` It may need values for ${names.join(', ')} (--env, --header).` : '';
    throw fail(
      'mcp_not_listed',
      `${error.message} Nothing was allowed.${values} With --command-only it is allowed without a look at its tools.`,
    );
  }
}

async function confirm(context: CommandContext): Promise<boolean> {
  if (!context.stdin.isTerminal || context.json)
    throw usageError(
      'There is no terminal to ask on, so nothing was allowed; pass --yes when all of this is as it should be.',
    );
  return askYesNo(context, 'Allow it?', false);
}

import type { LoadedConfig } from '../../config/load.ts';
import { createGuardedStreamFetch } from '../../crawl/guarded-stream-fetch.ts';
import { isRecord } from '../../lib/json.ts';
import { createConnectionNeeds } from '../../mcp/connection-needs.ts';
import { inspectServer } from '../../mcp/metadata.ts';
import type { McpTarget, McpTool } from '../../mcp/model.ts';
import { defineCliCommand, usageError } from '../command.ts';
import { indented } from '../indented.ts';
import { findConfigured } from './known-servers.ts';
import { readTypedServer, SERVER_FLAGS, type ServerFlags } from './typed-server.ts';

/** `agent mcp inspect`: what the metadata endpoint says, for a server typed here and therefore trusted. */
export const mcpInspectCommand = defineCliCommand({
  description: 'Show the tools of an MCP server: a configured one by name, a program, or an address',
  examples: [
    'agent mcp inspect files',
    'agent mcp inspect --url https://mcp.example.com/mcp',
    'agent mcp inspect --command npx --args "-y mcp-server-time"',
  ],
  args: {
    server: { type: 'positional', description: 'Name of a server in mcp.servers' },
    ...SERVER_FLAGS,
    sandbox: {
      type: 'boolean',
      default: true,
      description: 'Shut the program in where bubblewrap works; --no-sandbox starts it with your home and folder',
    },
    timeout: { type: 'number', integer: true, min: 1, max: 3600, valueHint: 'seconds', description: 'Longest wait' },
  },
  async run(args, context) {
    const loaded = await context.loadConfig();
    const { config, home } = loaded;
    const target = readTarget(args, loaded);
    const openFetch = createGuardedStreamFetch({ allowPrivateNetwork: true, anyPort: true });
    const needs = createConnectionNeeds({ config, home, guardedFetch: openFetch, openFetch });
    const timeoutMs = (args.timeout ?? config.mcp.default_timeout_seconds) * 1000;
    let stderr = '';
    let found: Awaited<ReturnType<typeof inspectServer>>;
    try {
      found = await inspectServer(target, needs, timeoutMs, context.signal, (text) => {
        stderr = text;
      });
    } catch (error) {
      if (stderr.trim() !== '')
        for (const line of ['The program wrote:', ...indented(stderr.trimEnd())]) await context.note(line);
      const isShutIn = target.transport === 'stdio' && target.sandbox?.enabled !== false;
      if (isShutIn && config.mcp.sandbox !== 'off' && (await needs.sandbox.look()).ok)
        await context.note(
          `It ran in the sandbox: without your home, with the folders its arguments name. ${args.server === undefined ? 'Outside of it: --no-sandbox.' : `Outside of it: --no-sandbox, or mcp.servers.${args.server}.sandbox: false.`}`,
        );
      throw error;
    }
    const { serverInfo, tools } = found;
    if (context.json) return context.print({ transport: target.transport, server: serverInfo, tools });
    const name = [serverInfo['title'] ?? serverInfo['name'], serverInfo['version']].filter(Boolean).join(' ');
    await context.print(`${name || 'Unnamed server'} (${target.transport}), ${tools.length} tools`);
    for (const tool of tools) await context.printLines(formatTool(tool, context.stdout.columns));
  },
});

function readTarget(
  args: ServerFlags & { server: string | undefined; sandbox: boolean },
  { config }: LoadedConfig,
): McpTarget {
  const given = [args.server, args.command, args.url].filter((value) => value !== undefined);
  if (given.length !== 1) throw usageError('Name one server: NAME of the configuration, --command, or --url.');
  if (args.server === undefined) return readTypedServer(args, args.sandbox);
  const { target } = findConfigured(config.mcp, args.server);
  const isOutside = target.transport === 'stdio' && !args.sandbox;
  return isOutside ? { ...target, sandbox: { folders: [], ...target.sandbox, enabled: false } } : target;
}

function formatTool(tool: McpTool, columns: number): string[] {
  const properties = tool.inputSchema?.['properties'];
  const required = tool.inputSchema?.['required'];
  const names = (isRecord(properties) ? Object.keys(properties) : []).map((name) =>
    Array.isArray(required) && required.includes(name) ? name : `[${name}]`,
  );
  const summary = (tool.description ?? tool.title ?? '').split('\n')[0] as string;
  const room = Math.max(40, columns - 4);
  const shown = summary.length > room ? `${summary.slice(0, room - 1)}…` : summary;
  return [`  ${[tool.name, ...names].join(' ')}`, ...(shown ? [`    ${shown}`] : [])];
}

import type { LoadedConfig } from '../../config/load.ts';
import { createGuardedStreamFetch } from '../../crawl/guarded-stream-fetch.ts';
import { isRecord } from '../../lib/json.ts';
import { createConnectionNeeds } from '../../mcp/connection-needs.ts';
import { inspectServer } from '../../mcp/metadata.ts';
import { MCP_TRANSPORTS, type McpTarget, type McpTool } from '../../mcp/model.ts';
import { configuredServers } from '../../mcp/policy.ts';
import { defineCliCommand, usageError } from '../command.ts';
import { indented } from '../indented.ts';

interface InspectArgs {
  server: string | undefined;
  command: string | undefined;
  args: string[];
  url: string | undefined;
  transport: string | undefined;
  env: string[];
  header: string[];
}

/** `agent mcp inspect`: what the metadata endpoint says, for a server typed here and therefore trusted. */
export const mcpInspectCommand = defineCliCommand({
  description: 'Show the tools of an MCP server: a configured one by name, a program, or an address',
  args: {
    server: { type: 'positional', description: 'Name of a server in mcp.servers' },
    command: { type: 'string', valueHint: 'program', description: 'Program to start (stdio)' },
    args: {
      type: 'string',
      multiple: true,
      valueHint: 'text',
      description: 'Argument of the program (repeatable; several in one text are split at spaces)',
    },
    url: { type: 'string', valueHint: 'address', description: 'Address of the server' },
    transport: { type: 'enum', options: MCP_TRANSPORTS, description: 'How to talk to it' },
    env: { type: 'string', multiple: true, valueHint: 'NAME=value', description: 'Variable for the program' },
    header: { type: 'string', multiple: true, valueHint: 'Name: value', description: 'HTTP header' },
    timeout: { type: 'number', integer: true, min: 1, max: 3600, valueHint: 'seconds', description: 'Longest wait' },
  },
  async run(args, context) {
    const loaded = await context.loadConfig();
    const { config, home } = loaded;
    const target = readTarget(args, loaded);
    const openFetch = createGuardedStreamFetch({ allowPrivateNetwork: true });
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
        for (const line of ['The program wrote:', ...indented(stderr.trimEnd())]) await context.warn(line);
      throw error;
    }
    const { serverInfo, tools } = found;
    if (context.json) return context.print({ transport: target.transport, server: serverInfo, tools });
    const name = [serverInfo['title'] ?? serverInfo['name'], serverInfo['version']].filter(Boolean).join(' ');
    await context.print(`${name || 'Unnamed server'} (${target.transport}), ${tools.length} tools`);
    for (const tool of tools) await context.printLines(formatTool(tool, context.stdout.columns));
  },
});

function readTarget(args: InspectArgs, { config }: LoadedConfig): McpTarget {
  const given = [args.server, args.command, args.url].filter((value) => value !== undefined);
  if (given.length !== 1) throw usageError('Name one server: NAME of the configuration, --command, or --url.');
  if (args.server !== undefined) {
    const servers = configuredServers(config.mcp);
    const server = servers.find((entry) => entry.name === args.server);
    if (server) return server.target;
    const names = servers.map((entry) => entry.name).join(', ') || 'none';
    throw usageError(`There is no server "${args.server}" in mcp.servers; known are ${names}.`);
  }
  if (args.command !== undefined) {
    if (args.transport !== undefined && args.transport !== 'stdio')
      throw usageError(`The transport ${args.transport} needs --url.`);
    return {
      transport: 'stdio',
      command: args.command,
      args: args.args.length === 1 ? (args.args[0] as string).split(' ').filter(Boolean) : args.args,
      env: readPairs(args.env, '=', '--env'),
      cwd: process.cwd(),
      trusted: true,
    };
  }
  if (args.transport === 'stdio') throw usageError('The transport stdio needs --command.');
  const url = args.url as string;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw usageError('--url must be an http or https address.');
  // Old servers are known by the name of their path.
  const transport = args.transport ?? (/\/sse\/?$/.test(new URL(url).pathname) ? 'sse' : 'streamable_http');
  return {
    transport: transport as 'sse' | 'streamable_http',
    url,
    headers: readPairs(args.header, ':', '--header'),
    trusted: true,
  };
}

function readPairs(texts: readonly string[], separator: string, flag: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(separator);
      if (at < 1) throw usageError(`${flag} must be NAME${separator}VALUE.`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
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

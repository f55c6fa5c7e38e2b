import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { MCP_TRANSPORTS, type McpTarget } from '../../mcp/model.ts';
import { usageError } from '../command.ts';

/** Flags that name a server on the command line. */
export const SERVER_FLAGS = {
  command: { type: 'string', valueHint: 'program', description: 'Program to start (stdio)' },
  args: {
    type: 'string',
    multiple: true,
    valueHint: 'text',
    description: 'Argument of the program; several in one text are split at spaces',
  },
  url: { type: 'string', valueHint: 'address', description: 'Address of the server' },
  transport: { type: 'enum', options: MCP_TRANSPORTS, description: 'How to talk to it' },
  env: { type: 'string', multiple: true, valueHint: 'NAME=value', description: 'Variable for the program' },
  header: { type: 'string', multiple: true, valueHint: 'Name: value', description: 'HTTP header' },
} as const;

export interface ServerFlags {
  command: string | undefined;
  args: string[];
  url: string | undefined;
  transport: string | undefined;
  env: string[];
  header: string[];
}

/** The server that `--command` or `--url` names; trusted, because it was typed here. */
export function readTypedServer(flags: ServerFlags, sandbox: boolean): McpTarget {
  if (flags.command !== undefined) {
    if (flags.transport !== undefined && flags.transport !== 'stdio')
      throw usageError(`The transport ${flags.transport} needs --url.`);
    const words = flags.args.length === 1 ? (flags.args[0] as string).split(' ').filter(Boolean) : flags.args;
    return {
      transport: 'stdio',
      command: flags.command,
      // In the sandbox the working folder is another one.
      args: sandbox ? words.map(absolute) : words,
      env: readPairs(flags.env, '=', '--env'),
      ...(sandbox ? {} : { cwd: process.cwd() }),
      trusted: true,
      sandbox: { enabled: sandbox, folders: [] },
    };
  }
  if (flags.transport === 'stdio') throw usageError('The transport stdio needs --command.');
  const url = flags.url as string;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw usageError('--url must be an http or https address.');
  // Old servers are known by the name of their path.
  const transport = flags.transport ?? (/\/sse\/?$/.test(new URL(url).pathname) ? 'sse' : 'streamable_http');
  return {
    transport: transport as 'sse' | 'streamable_http',
    url,
    headers: readPairs(flags.header, ':', '--header'),
    trusted: true,
  };
}

/** `NAME=value` or `Name: value`, repeated. */
export function readPairs(texts: readonly string[], separator: string, flag: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(separator);
      if (at < 1) throw usageError(`${flag} must be NAME${separator}VALUE.`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}

function absolute(word: string): string {
  return /^\.{0,2}[^-@:]*\//.test(word) && existsSync(word) ? resolve(word) : word;
}

import { type ArgsPolicy, checkArgs } from './check-args.ts';
import { checkEnv } from './check-env.ts';
import { checkHeaders } from './check-headers.ts';
import type { FieldProblem, McpMetadataRequest, McpTarget } from './model.ts';

/** What a server named by a request may be. */
export interface McpPolicy extends ArgsPolicy {
  allowedCommands: readonly string[];
  /** Variables that the operator allows besides those that look like settings. */
  allowedEnv: readonly string[];
  /** Checks an address before anything is resolved; the sentence that refuses it, or undefined. */
  refuseUrl(url: string): string | undefined;
}

/** What a request says of a server. */
export type CheckableServer = Pick<McpMetadataRequest, 'transport' | 'command' | 'args' | 'url' | 'env' | 'headers'>;

/** A request's server that may be used, or every field that forbids it. */
export type ServerCheck = { ok: true; target: McpTarget } | { ok: false; problems: FieldProblem[] };

/** Checks a server that a request names, without touching a program or the network. `at` is the JSON pointer of the server. */
export function checkServer(server: CheckableServer, policy: McpPolicy, at = ''): ServerCheck {
  const problems: FieldProblem[] = [];
  const refuse = (field: string, message: string | undefined) => {
    if (message) problems.push({ path: `${at}/${field}`, message });
  };
  const env = server.env ?? {};
  const headers = server.headers ?? {};
  const badVariable = checkEnv(env, policy.allowedEnv);
  if (badVariable) refuse('env', badVariable.message);
  const badHeader = checkHeaders(headers);
  if (badHeader) refuse('headers', badHeader.message);
  if (server.transport === 'stdio') {
    const command = server.command ?? '';
    const args = server.args ?? [];
    const badCommand = checkCommand(command, policy);
    refuse('command', badCommand);
    if (!badCommand) refuse('args', checkArgs(command, args, policy));
    if (problems.length > 0) return { ok: false, problems };
    return { ok: true, target: { transport: 'stdio', command, args, env, trusted: false } };
  }
  const url = (server.url ?? '').trim();
  refuse('url', url === '' ? `The transport ${server.transport} needs a url.` : policy.refuseUrl(url));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, target: { transport: server.transport, url, headers, trusted: false } };
}

function checkCommand(command: string, { allowedCommands }: McpPolicy): string | undefined {
  const list = allowedCommands.join(', ') || 'none';
  if (command.trim() === '') return 'The transport stdio needs a command.';
  if (/[\\/]/.test(command)) return `The command must be a bare name, not a path; allowed are ${list}.`;
  return allowedCommands.includes(command)
    ? undefined
    : `This command is not allowed; mcp.allowed_commands lists ${list}.`;
}

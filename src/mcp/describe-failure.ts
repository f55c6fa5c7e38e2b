import { AppError, fail } from '../errors.ts';
import type { McpTarget } from './model.ts';

/** JSON-RPC codes of the protocol's own failures (JSON-RPC 2.0, section 5.1). */
const METHOD_NOT_FOUND = -32601;

/**
 * What a failed exchange with a server means; names the server by program or host. Texts of the server, its stderr and
 * its answers stay out of it: they may repeat a secret. `broken` is what the transport knows.
 */
export function describeFailure(error: unknown, target: McpTarget, broken: string | undefined): AppError {
  const inner = innerAppError(error);
  if (inner) return inner;
  const who = describeTarget(target);
  if (broken !== undefined) return unavailable(`${who} cannot be used: ${broken}.`, error);
  const status = statusOf(error);
  if (status === 401 || status === 403)
    return fail('upstream_rejected', `${who} refused the credentials (HTTP ${status}).`, { cause: error });
  if (status !== undefined) {
    return fail('upstream_rejected', `${who} answered with HTTP ${status}.`, {
      retryable: status >= 500,
      cause: error,
    });
  }
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'number' && code <= -32600 && code >= -32768)
    return fail(
      'upstream_rejected',
      code === METHOD_NOT_FOUND ? `${who} has no tools.` : `${who} answered with the error ${code}.`,
      { retryable: false, cause: error },
    );
  if (error instanceof Error && error.message.includes('protocol version'))
    return fail('upstream_rejected', `${who} speaks a version of MCP that is not supported.`, { cause: error });
  return unavailable(`${who} could not be reached or does not speak MCP.`, error);
}

/** "The MCP server npx (stdio)", "The MCP server at mcp.example.org (sse)". */
export function describeTarget(target: McpTarget): string {
  const name =
    target.transport === 'stdio'
      ? target.command.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 100)
      : `at ${URL.parse(target.url)?.host ?? 'an unknown address'}`;
  return `The MCP server ${name} (${target.transport})`;
}

/** What became of tools that are not as they were when they were approved. */
export function describeBlocked(server: string, tools: readonly string[], key: string): string {
  const shown = tools.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 100)));
  const more = tools.length > shown.length ? ` and ${tools.length - shown.length} more` : '';
  return (
    `${tools.length === 1 ? 'A tool' : `${tools.length} tools`} of the MCP server ${JSON.stringify(server)} changed since approval and ` +
    `${tools.length === 1 ? 'is' : 'are'} kept back: ${shown.join(', ')}${more}. Look at the change and allow it on the machine of this server: agent mcp allow ${key}`
  );
}

/** The refusal of the guard, which the SDK may have wrapped. */
function innerAppError(error: unknown): AppError | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if (current instanceof AppError) return current;
    current = current.cause;
  }
  return undefined;
}

function statusOf(error: unknown): number | undefined {
  const { code } = error as { code?: unknown };
  if (typeof code === 'number' && code >= 300 && code < 600) return code;
  const text = error instanceof Error ? /\(HTTP (\d{3})\)/.exec(error.message)?.[1] : undefined;
  return text === undefined ? undefined : Number(text);
}

function unavailable(message: string, cause: unknown): AppError {
  return fail('upstream_unavailable', message, { cause });
}

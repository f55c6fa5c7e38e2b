import { AppError, fail } from '../errors.ts';
import { checkServer, type McpPolicy } from './check-server.ts';
import { type ConnectionNeeds, connect } from './connection.ts';
import { describeBlocked, describeTarget } from './describe-failure.ts';
import { maskRequest } from './mask.ts';
import type { McpMetadataRequest, McpMetadataResponse, McpTarget, McpTool } from './model.ts';
import { refusal } from './validate-settings.ts';

export interface MetadataDeps {
  policy: McpPolicy;
  /** Whether requests may name servers at all. */
  enabled: boolean;
  defaultTimeoutMs: number;
  connection: ConnectionNeeds;
}

/**
 * The tools of the server a request names. 422 for a bad field, then 403 when disabled, not approved or changed since,
 * 500 for what went wrong.
 */
export async function readServerMetadata(
  deps: MetadataDeps,
  request: McpMetadataRequest,
  signal: AbortSignal,
): Promise<McpMetadataResponse> {
  const check = checkServer(request, deps.policy);
  // What may be named is nobody's business where nothing may be named; only an incomplete request is told so first.
  const address = request.transport === 'stdio' ? request.command : request.url;
  if (!check.ok && (deps.enabled || !address?.trim())) throw refusal(check.problems);
  if (!deps.enabled)
    throw fail(
      'mcp_disabled',
      'MCP server configuration is disabled. Set ENABLE_MCP_SERVER_CONFIGURATION=true to enable it.',
    );
  if (!check.ok) throw refusal(check.problems);
  const timeoutMs = request.timeout_seconds ? request.timeout_seconds * 1000 : deps.defaultTimeoutMs;
  const { approvals } = deps.connection;
  // The request has no name for the server, and its address may hold a key.
  const name = (request.transport === 'stdio' ? request.command : URL.parse(address ?? '')?.host) ?? '';
  const asked = { name, target: check.target };
  const target = await approvals.admit(asked);
  const { tools } = await inspectServer(target, deps.connection, timeoutMs, signal);
  const { blocked, key } = await approvals.check(asked, tools);
  if (blocked.length > 0) throw fail('mcp_tools_changed', describeBlocked(asked.name, blocked, key));
  return { ...maskRequest(request), tools };
}

/** Connects, lists the tools and closes; the server is gone when this returns. */
export async function inspectServer(
  target: McpTarget,
  needs: ConnectionNeeds,
  timeoutMs: number,
  signal: AbortSignal,
  /** Called with the end of the program's stderr when it failed. */
  onStderr?: (text: string) => void,
): Promise<{ serverInfo: Record<string, unknown>; tools: McpTool[] }> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const both = AbortSignal.any([signal, timeout]);
  try {
    const connection = await connect(target, needs, both, onStderr);
    try {
      return { serverInfo: connection.serverInfo, tools: await connection.listTools(both) };
    } catch (error) {
      onStderr?.(connection.stderrTail());
      throw error;
    } finally {
      await connection.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted)
      throw fail('upstream_timeout', `${describeTarget(target)} did not answer within ${timeoutMs / 1000} seconds.`, {
        retryable: true,
        cause: error,
      });
    throw asFailure(error, target);
  }
}

/** What the guard refuses while connecting is a failed retrieval like any other: the endpoint answers 500, never 400. */
function asFailure(error: unknown, target: McpTarget): unknown {
  if (!(error instanceof AppError) || error.category !== 'user') return error;
  return fail('upstream_rejected', `${describeTarget(target)} was not contacted: ${error.message}`, {
    retryable: false,
    cause: error,
  });
}

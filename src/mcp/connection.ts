import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { AppError, fail } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import type { Approvals } from './approvals.ts';
import type { ChildPlaces } from './child-process.ts';
import { describeFailure, describeTarget } from './describe-failure.ts';
import { type FetchLike, limitMessages } from './limit-response.ts';
import type { McpTarget, McpTool } from './model.ts';
import type { StdioTransport } from './stdio-transport.ts';

/** Longest list of tools; a server that goes on is cut off. */
const MAX_TOOLS = 10_000;
const MAX_PAGES = 1000;
const GOODBYE_MS = 1000;
/** The SDK's own timer must never fire before ours. */
const NO_SDK_TIMEOUT_MS = 2 ** 31 - 1;

/** What a connection is made with. */
export interface ConnectionNeeds extends ChildPlaces {
  /** What the operator has approved; asked before a connection is made for a request or a run. */
  approvals: Approvals;
  version: string;
  maxMessageBytes: number;
  /** For addresses from requests: every address and redirect is checked. */
  guardedFetch: FetchLike;
  /** For addresses of the operator. */
  openFetch: FetchLike;
}

/** The answer of a tool, unread: see `readToolResult`. */
export type ToolResult = Record<string, unknown>;

/** A server that was greeted. */
export interface McpConnection {
  readonly serverInfo: Record<string, unknown>;
  /** False once it broke or was closed. */
  readonly alive: boolean;
  /** What the program wrote to stderr last; empty for servers on the network. */
  stderrTail(): string;
  listTools(signal: AbortSignal): Promise<McpTool[]>;
  callTool(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
  /** Ends the session and every process of it. */
  close(): Promise<void>;
}

/** Thrown when a call failed because the connection was lost under it. */
export const CONNECTION_LOST = 'mcp_connection_lost';

/** Connects and greets. Throws `upstream_*`, `mcp_server_failed` or `url_refused`, naming server and transport; rejects with the signal's reason on abort. */
export async function connect(
  target: McpTarget,
  needs: ConnectionNeeds,
  signal: AbortSignal,
  onStderr?: (text: string) => void,
): Promise<McpConnection> {
  signal.throwIfAborted();
  const [{ Client }, { ResultSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const link = await createLink(target, needs);
  const client: Client = new Client(
    { name: 'agent', version: needs.version },
    // Schemas of strangers are never compiled to code.
    {
      capabilities: {},
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
  let alive = true;
  client.onclose = () => {
    alive = false;
  };
  client.onerror = () => {
    // Every failure that matters also rejects the call it belongs to.
  };
  const close = async () => {
    alive = false;
    await link.goodbye();
    await client.close();
    // The SDK closes a transport only once; ours also waits for its processes.
    await link.transport.close();
  };
  const failed = (error: unknown): never => {
    signal.throwIfAborted();
    throw error instanceof AppError ? error : describeFailure(error, target, link.broken());
  };
  try {
    // Aborting must also stop a program or a connection that is only being started.
    await untilAbort(client.connect(link.transport, { timeout: NO_SDK_TIMEOUT_MS, signal }), signal);
  } catch (error) {
    await close();
    onStderr?.(link.stderrTail());
    return failed(error);
  }
  const request = async (method: string, params: Record<string, unknown>, callSignal: AbortSignal) => {
    try {
      return await untilAbort(
        client.request({ method, params } as never, ResultSchema, { timeout: NO_SDK_TIMEOUT_MS, signal: callSignal }),
        callSignal,
      );
    } catch (error) {
      callSignal.throwIfAborted();
      if (!alive || link.broken() !== undefined)
        throw new AppError(describeFailure(error, target, link.broken() ?? 'the connection was lost').message, {
          code: CONNECTION_LOST,
          category: 'upstream',
          status: 500,
          retryable: true,
          cause: error,
        });
      throw error instanceof AppError ? error : describeFailure(error, target, undefined);
    }
  };
  return {
    serverInfo: { ...client.getServerVersion() },
    get alive() {
      return alive && link.broken() === undefined;
    },
    stderrTail: link.stderrTail,
    listTools: (callSignal) => listTools((params) => request('tools/list', params, callSignal), target),
    callTool: (name, args, callSignal) =>
      request('tools/call', { name, arguments: args }, callSignal) as Promise<ToolResult>,
    close,
  };
}

async function listTools(
  ask: (params: Record<string, unknown>) => Promise<Record<string, unknown>>,
  target: McpTarget,
): Promise<McpTool[]> {
  const tools: McpTool[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page++) {
    const answer = await ask(cursor === undefined ? {} : { cursor });
    if (!Array.isArray(answer['tools'])) throw malformed(target);
    for (const tool of answer['tools'] as unknown[]) {
      if (!isRecord(tool) || typeof tool['name'] !== 'string' || tool['name'] === '') throw malformed(target);
      if (tools.length < MAX_TOOLS) tools.push(tool as McpTool);
    }
    const next = answer['nextCursor'];
    if (typeof next !== 'string') return tools;
    if (seen.has(next)) return tools;
    seen.add(next);
    cursor = next;
  }
  return tools;
}

function malformed(target: McpTarget): AppError {
  return fail('upstream_rejected', `${describeTarget(target)} sent a malformed list of tools.`);
}

interface Link {
  transport: Transport;
  /** Why the connection is unusable, if it is. */
  broken(): string | undefined;
  stderrTail(): string;
  /** What is said to the server before the connection is closed. */
  goodbye(): Promise<void>;
}

async function createLink(target: McpTarget, needs: ConnectionNeeds): Promise<Link> {
  if (target.transport === 'stdio') {
    const { StdioTransport } = await import('./stdio-transport.ts');
    const transport: StdioTransport = new StdioTransport({ ...needs, target });
    return {
      transport,
      broken: () => transport.failure,
      stderrTail: () => transport.stderrTail,
      goodbye: async () => undefined,
    };
  }
  let broken: string | undefined;
  const tooLarge = () => {
    broken = `it sent a message larger than ${needs.maxMessageBytes} bytes`;
    void transport.close();
  };
  const send = limitMessages(target.trusted ? needs.openFetch : needs.guardedFetch, needs.maxMessageBytes, tooLarge);
  const options = { fetch: send, requestInit: { headers: target.headers } };
  const base = { broken: () => broken, stderrTail: () => '' };
  let transport: Transport;
  if (target.transport === 'sse') {
    const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
    transport = new SSEClientTransport(new URL(target.url), options);
    return { ...base, transport, goodbye: async () => undefined };
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const http = new StreamableHTTPClientTransport(new URL(target.url), {
    ...options,
    reconnectionOptions: {
      maxRetries: 1,
      initialReconnectionDelay: 200,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 2,
    },
  });
  transport = http as Transport;
  return {
    ...base,
    transport,
    // The server may free its session; one that does not answer is left.
    goodbye: async () => {
      if (http.sessionId === undefined || broken !== undefined) return;
      await Promise.race([http.terminateSession().catch(() => undefined), Bun.sleep(GOODBYE_MS)]);
    },
  };
}

async function untilAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

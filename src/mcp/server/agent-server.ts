import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { type AppError, isAbort, toAppError } from '../../errors.ts';
import type { Logger } from '../../lib/log.ts';
import { type TSchema, Value } from '../../schema.ts';
import { VERSION } from '../../version.ts';
import { enhanceTool, podcastTool, slidesTool } from './content-tools.ts';
import { knowledgeTool } from './knowledge-tool.ts';
import type { AgentPorts } from './ports.ts';
import { researchTool } from './research-tool.ts';
import type { AgentTool, AgentToolResult } from './tool.ts';

const TOOLS: readonly AgentTool[] = [researchTool, knowledgeTool, slidesTool, podcastTool, enhanceTool];
const HEARTBEAT_MS = 10_000;
const INSTRUCTIONS =
  'Use "research" for questions that need several sources and a written report, "search_knowledge" for a quick look into the local documents.';

export interface AgentServerOptions {
  ports: AgentPorts;
  log: Logger;
  /** Told when a call begins and ends. */
  onCall?(change: 1 | -1): void;
}

/** Our own MCP server for one client: lists and runs the tools of this installation. Connect it to a transport. */
export async function createAgentServer({ ports, log, onCall }: AgentServerOptions): Promise<Server> {
  const [{ Server: SdkServer }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const tools = TOOLS.filter((tool) => tool.isOffered?.(ports) ?? true);
  const server: Server = new SdkServer(
    { name: 'agent', title: 'Research agent', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: tools.map(describeTool) as never }));
  server.setRequestHandler(types.CallToolRequestSchema, async (request, extra) => {
    const { name, arguments: args = {}, _meta: meta } = request.params;
    const tool = tools.find((entry) => entry.name === name);
    if (!tool) throw new types.McpError(types.ErrorCode.InvalidParams, `There is no tool named ${name.slice(0, 100)}.`);
    const problem = findProblem(tool.input, args);
    if (problem) return failed(problem);
    const gone = extra.authInfo?.extra?.['gone'];
    const signal = gone instanceof AbortSignal ? AbortSignal.any([extra.signal, gone]) : extra.signal;
    let steps = 0;
    let latest = 'Working';
    const progress = (message: string) => {
      latest = message;
      const token = meta?.progressToken;
      if (token === undefined || signal.aborted) return;
      const params = { progressToken: token, progress: ++steps, message };
      // A client that just went away is heard of through the signal.
      extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
    };
    // Clients give up on a silent call; most of them wait on while they hear of it.
    const heartbeat = setInterval(() => progress(latest), HEARTBEAT_MS);
    onCall?.(1);
    try {
      return succeeded(await tool.run(args, { ports, signal, progress }));
    } catch (error) {
      if (signal.aborted || isAbort(error)) return failed('The call was cancelled.');
      const failure = toAppError(error);
      if (failure.category === 'internal')
        log.error('mcp tool failed', { tool: name, error: failure.cause ?? failure });
      return failed(failure.message, failure);
    } finally {
      clearInterval(heartbeat);
      onCall?.(-1);
    }
  });
  return server;
}

function describeTool({ name, title, description, input, output, annotations }: AgentTool) {
  return {
    name,
    title,
    description,
    inputSchema: plain(input),
    outputSchema: plain(output),
    annotations: { title, ...annotations },
  };
}

/** TypeBox schemas carry symbols; the wire gets JSON Schema only. */
function plain(schema: TSchema): unknown {
  return JSON.parse(JSON.stringify(schema));
}

function findProblem(schema: TSchema, args: unknown): string | undefined {
  const first = Value.Errors(schema, args).First();
  if (!first) return undefined;
  const field = first.path.slice(1).replaceAll('/', '.');
  const options = first.schema['anyOf'] as { const?: string }[] | undefined;
  const expected = options ? `must be one of ${options.map((option) => option.const).join(', ')}` : first.message;
  return `The arguments are not valid: ${field ? `"${field}" ` : ''}${expected}.`;
}

function succeeded({ structured, content }: AgentToolResult) {
  return {
    content: content ?? [{ type: 'text' as const, text: JSON.stringify(structured) }],
    structuredContent: structured,
  };
}

/** A failed call; `_meta` carries the code and whether another try may help, for clients that act on it. */
function failed(message: string, failure?: AppError) {
  return {
    isError: true,
    content: [{ type: 'text' as const, text: message }],
    ...(failure && { _meta: { code: failure.code, retryable: failure.retryable } }),
  };
}

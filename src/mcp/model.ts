import { Nullable, type Static, Type } from '../schema.ts';

/** How an MCP server is reached. */
export const MCP_TRANSPORTS = ['stdio', 'sse', 'streamable_http'] as const;

/** Agents that can be given MCP tools. */
export const TOOL_AGENTS = ['researcher', 'analyst', 'coder'] as const;

const Place = {
  command: Nullable(Type.String(), { description: 'Program to start (stdio), by bare name.' }),
  args: Nullable(Type.Array(Type.String()), { description: 'Its arguments (stdio); no shell reads them.' }),
  url: Nullable(Type.String(), { description: 'Address of the server (sse, streamable_http).' }),
  env: Nullable(Type.Record(Type.String(), Type.String()), { description: 'Environment variables (stdio).' }),
  headers: Nullable(Type.Record(Type.String(), Type.String()), { description: 'HTTP headers (sse, streamable_http).' }),
};
const timeoutSeconds = Nullable(Type.Integer({ minimum: 1, maximum: 3600 }), {
  description: 'Longest wait, seconds; MCP_DEFAULT_TIMEOUT_SECONDS when absent.',
});

/** Body of `POST /api/mcp/server/metadata`. */
export const McpMetadataRequest = Type.Object(
  {
    transport: Type.Union([Type.Literal('stdio'), Type.Literal('sse'), Type.Literal('streamable_http')], {
      description: 'Connection type.',
    }),
    ...Place,
    timeout_seconds: timeoutSeconds,
  },
  { description: 'An MCP server whose tools are asked for.' },
);
export type McpMetadataRequest = Static<typeof McpMetadataRequest>;

/** A tool as the server describes it (MCP specification, `Tool`). */
export const McpTool = Type.Object(
  {
    name: Type.String(),
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    inputSchema: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: true, description: 'MCP Tool object.' },
);
export type McpTool = Static<typeof McpTool>;

/** Answer of the metadata endpoint: the request with its secrets masked, and the server's tools. */
export const McpMetadataResponse = Type.Object({
  transport: Type.String(),
  ...Place,
  timeout_seconds: Nullable(Type.Integer()),
  tools: Type.Array(McpTool),
});
export type McpMetadataResponse = Static<typeof McpMetadataResponse>;

/** One entry of `mcp_settings.servers`. */
export const McpServerSetting = Type.Object({
  transport: Type.Union([Type.Literal('stdio'), Type.Literal('sse'), Type.Literal('streamable_http')]),
  ...Place,
  timeout_seconds: timeoutSeconds,
  enabled_tools: Nullable(Type.Array(Type.String())),
  add_to_agents: Nullable(Type.Array(Type.String())),
});
export type McpServerSetting = Static<typeof McpServerSetting>;

/** A program to talk to over its standard streams. */
export interface StdioTarget {
  transport: 'stdio';
  command: string;
  args: string[];
  env: Record<string, string>;
  /** A fresh, empty folder when absent. */
  cwd?: string | undefined;
  /** Written by the operator. */
  trusted: boolean;
  /** How the sandbox is built, where there is one. */
  sandbox?: SandboxWish | undefined;
}

/** What a stdio server gets of the machine. */
interface SandboxWish {
  /** False: the operator lets it out. */
  enabled: boolean;
  /** The configuration's choice when absent. */
  network?: boolean | undefined;
  /** Absolute paths the operator gave or approved, besides the program's own. */
  folders: SharedFolder[];
}

/** A path of the machine that a sandboxed program sees. */
export interface SharedFolder {
  path: string;
  writable: boolean;
}

/** A server on the network. */
interface RemoteTarget {
  transport: 'sse' | 'streamable_http';
  url: string;
  headers: Record<string, string>;
  /** Written by the operator: private addresses are allowed. */
  trusted: boolean;
}

/** A checked way to a server. */
export type McpTarget = StdioTarget | RemoteTarget;

/** A server of a research run. */
export interface McpServerSpec {
  name: string;
  target: McpTarget;
  timeoutMs: number;
  /** Only these tools; all when absent. */
  enabledTools?: string[] | undefined;
  agents: string[];
  /** Whether the tools must be those that were pinned; true when absent. */
  pinTools?: boolean;
}

/** A field that was refused and why; `path` is a JSON pointer. */
export interface FieldProblem {
  path: string;
  message: string;
}

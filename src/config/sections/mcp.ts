import { Type } from '../../schema.ts';

const Text = { minLength: 1, maxLength: 8192 };

/** A server of the configuration: trusted as written, command and arguments are not checked. */
const ConfiguredMcpServer = Type.Object(
  {
    transport: Type.Optional(
      Type.Union([Type.Literal('stdio'), Type.Literal('sse'), Type.Literal('streamable_http')], {
        description: 'How to reach it; stdio when a command is given, else streamable_http.',
      }),
    ),
    command: Type.Optional(Type.String({ ...Text, description: 'Program to start (stdio).' })),
    args: Type.Optional(Type.Array(Type.String(), { description: 'Its arguments, handed on without a shell.' })),
    cwd: Type.Optional(Type.String({ ...Text, description: 'Working folder; a fresh, empty one when absent.' })),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String(), { secret: true, description: 'Variables for the program.' }),
    ),
    url: Type.Optional(Type.String({ ...Text, description: 'Address (sse, streamable_http); may be private.' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { secret: true, description: 'HTTP headers (sse, streamable_http).' }),
    ),
    enabled_tools: Type.Optional(Type.Array(Type.String(), { description: 'Only these tools; all when absent.' })),
    add_to_agents: Type.Optional(
      Type.Array(Type.Union([Type.Literal('researcher'), Type.Literal('analyst'), Type.Literal('coder')]), {
        description: 'Agents that get the tools; the researcher when absent.',
      }),
    ),
    timeout_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3600, unit: 'seconds', description: 'Longest wait for one answer.' }),
    ),
    sandbox: Type.Optional(
      Type.Boolean({ description: 'False starts the program outside the sandbox, with your home (stdio).' }),
    ),
    network: Type.Optional(
      Type.Boolean({ description: 'Whether the program may use the network; mcp.network when absent (stdio).' }),
    ),
    folders: Type.Optional(
      Type.Array(Type.String(Text), {
        description: 'Folders the program may read and write besides those in its arguments (stdio).',
      }),
    ),
    pin_tools: Type.Optional(
      Type.Boolean({ description: 'False uses the tools as they are offered, also when their descriptions change.' }),
    ),
  },
  { additionalProperties: false, description: 'One MCP server.' },
);

/** MCP servers named by requests and by the configuration, and our own MCP server. */
export const McpSection = Type.Object(
  {
    enable_server_configuration: Type.Boolean({
      default: false,
      env: ['ENABLE_MCP_SERVER_CONFIGURATION'],
      description: 'Let requests name MCP servers of their own.',
    }),
    default_timeout_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 60,
      unit: 'seconds',
      env: ['MCP_DEFAULT_TIMEOUT_SECONDS'],
      description: 'Longest wait for a server when nothing else is said.',
    }),
    allowed_commands: Type.Array(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._+-]*$' }), {
      default: ['npx', 'uvx', 'node', 'python3', 'bunx', 'docker'],
      description: 'Programs that requests may start as stdio servers, by bare name.',
    }),
    allowed_env: Type.Array(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }), {
      default: [],
      description: 'Variables that requests may set besides those that look like settings (GITHUB_TOKEN, API_URL).',
    }),
    script_dirs: Type.Array(Type.String({ minLength: 1, pattern: '^(/|[A-Za-z]:)' }), {
      default: [],
      env: ['MCP_SCRIPT_DIRS'],
      description: 'Folders with the scripts that requests may start with node, python3, bun or deno; none when empty.',
    }),
    require_approval: Type.Boolean({
      default: true,
      env: ['MCP_REQUIRE_APPROVAL'],
      description: 'Start a server of a request only after agent mcp allow, and only with the tools seen then.',
    }),
    sandbox: Type.Union([Type.Literal('auto'), Type.Literal('required'), Type.Literal('off')], {
      default: 'auto',
      env: ['MCP_SANDBOX'],
      description: 'Shut stdio servers in with bubblewrap: where it works, always (refuse without it), or never.',
    }),
    network: Type.Boolean({
      default: true,
      env: ['MCP_NETWORK'],
      description: 'Whether sandboxed stdio servers may use the network; npx, uvx and bunx fetch packages with it.',
    }),
    sandbox_folders: Type.Array(Type.String({ minLength: 1, pattern: '^(/|[A-Za-z]:)' }), {
      default: [],
      env: ['MCP_SANDBOX_FOLDERS'],
      description: 'Folders outside /usr that every sandboxed stdio server may read: programs, libraries.',
    }),
    servers: Type.Record(Type.String(), ConfiguredMcpServer, {
      default: {},
      description: 'Servers every research run may use, by name.',
    }),
    max_tools: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 128,
      unit: 'tools',
      description: 'Most MCP tools one agent is given.',
    }),
    max_output_characters: Type.Integer({
      minimum: 1000,
      maximum: 400_000,
      default: 60_000,
      unit: 'characters',
      description: 'Where the result of one tool call is cut.',
    }),
    max_message_bytes: Type.Integer({
      minimum: 65_536,
      default: 8 * 1024 * 1024,
      unit: 'bytes',
      description: 'Largest message a server may send; a larger one ends the connection.',
    }),
    path: Type.String({
      default: '/usr/local/bin:/usr/bin:/bin',
      env: ['PATH'],
      description: 'Folders in which the programs of stdio servers are looked for.',
    }),
    serve_http: Type.Boolean({ default: true, description: 'Offer our own MCP server at /mcp.' }),
    allowed_hosts: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      env: ['MCP_ALLOWED_HOSTS'],
      description: 'Further host names, as in `server.allowed_hosts`; kept for configurations that have it.',
    }),
    max_sessions: Type.Integer({
      minimum: 1,
      default: 100,
      unit: 'sessions',
      description: 'Most clients connected to /mcp at the same time.',
    }),
    session_idle_seconds: Type.Integer({
      minimum: 10,
      default: 1800,
      unit: 'seconds',
      description: 'A silent session at /mcp ends after this time.',
    }),
  },
  { default: {}, description: 'Model Context Protocol servers as tools, and the agent as such a server.' },
);

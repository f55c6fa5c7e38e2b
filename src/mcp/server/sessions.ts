import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Clock } from '../../lib/clock.ts';
import { isRecord } from '../../lib/json.ts';
import type { Logger } from '../../lib/log.ts';
import { createAgentServer } from './agent-server.ts';
import type { AgentPorts } from './ports.ts';

export interface McpSessionsOptions {
  ports: AgentPorts;
  clock: Clock;
  log: Logger;
  maxSessions: number;
  idleMs: number;
}

interface Session {
  id: string;
  server: Server;
  transport: WebStandardStreamableHTTPServerTransport;
  lastUsed: number;
  /** Calls that run and streams that are open: such a session is not idle. */
  busy: number;
}

/** The clients of `/mcp`: one session each, ended by the client, by silence, or by the end of the server. */
export class McpSessions {
  readonly #options: McpSessionsOptions;
  readonly #sessions = new Map<string, Session>();
  #opening = 0;
  #stopped = false;

  constructor(options: McpSessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Answers one HTTP request of the protocol; `body` is its parsed JSON. */
  async handle(request: Request, body: unknown): Promise<Response> {
    await this.#endIdle();
    const id = request.headers.get('mcp-session-id');
    const session = id === null ? await this.#open(body) : this.#sessions.get(id);
    if (session === undefined) return protocolError(404, -32001, 'Session not found.');
    if (session instanceof Response) return session;
    session.lastUsed = this.#options.clock.now();
    if (request.method === 'GET') this.#countStream(session, request.signal);
    const response = await session.transport.handleRequest(request, {
      parsedBody: body,
      // The only way to a tool call: without resumption, nobody can fetch the answer of a client that went away.
      authInfo: { token: '', clientId: '', scopes: [], extra: { gone: request.signal } },
    });
    // A greeting that was refused opened nothing.
    if (session.id === '') await session.server.close();
    return response;
  }

  /** Ends every session; running calls are cancelled. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)));
  }

  async #open(body: unknown): Promise<Session | Response> {
    if (!isRecord(body) || body['method'] !== 'initialize')
      return protocolError(
        400,
        -32000,
        'Send an initialize request first, then its Mcp-Session-Id with every request.',
      );
    if (this.#stopped) return protocolError(503, -32000, 'The server is shutting down.');
    if (this.#sessions.size + this.#opening >= this.#options.maxSessions && !(await this.#endLongestIdle()))
      return protocolError(503, -32000, 'Too many clients are connected; try again later.');
    this.#opening++;
    try {
      return await this.#create();
    } finally {
      this.#opening--;
    }
  }

  async #create(): Promise<Session> {
    const { ports, log, clock } = this.#options;
    const { WebStandardStreamableHTTPServerTransport: Transport } = await import(
      '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
    );
    const transport: WebStandardStreamableHTTPServerTransport = new Transport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        session.id = id;
        this.#sessions.set(id, session);
      },
      onsessionclosed: (id) => {
        this.#sessions.delete(id);
      },
    });
    const server = await createAgentServer({
      ports,
      log,
      onCall: (change) => {
        session.busy += change;
        session.lastUsed = clock.now();
      },
    });
    const session: Session = { id: '', server, transport, lastUsed: clock.now(), busy: 0 };
    await server.connect(transport);
    return session;
  }

  #countStream(session: Session, signal: AbortSignal): void {
    session.busy++;
    signal.addEventListener(
      'abort',
      () => {
        session.busy--;
        session.lastUsed = this.#options.clock.now();
      },
      { once: true },
    );
  }

  async #endIdle(): Promise<void> {
    const limit = this.#options.clock.now() - this.#options.idleMs;
    const idle = [...this.#sessions.values()].filter((session) => session.busy === 0 && session.lastUsed < limit);
    await Promise.all(idle.map((session) => this.#end(session)));
  }

  /** Makes room when the table is full: the client silent for longest has most likely gone without a word. */
  async #endLongestIdle(): Promise<boolean> {
    const idle = [...this.#sessions.values()].filter((session) => session.busy === 0);
    const oldest = idle.toSorted((a, b) => a.lastUsed - b.lastUsed)[0];
    if (oldest) await this.#end(oldest);
    return oldest !== undefined;
  }

  async #end(session: Session): Promise<void> {
    this.#sessions.delete(session.id);
    await session.server.close();
  }
}

function protocolError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}

import { AppError, fail } from '../errors.ts';
import { CONNECTION_LOST, type ConnectionNeeds, connect, type McpConnection, type ToolResult } from './connection.ts';
import { describeBlocked, describeTarget } from './describe-failure.ts';
import type { McpServerSpec, McpTool } from './model.ts';

/** Longest wait for the greeting and the list together is the server's own timeout; it is asked for once per run. */
interface Opened {
  connection: McpConnection;
  tools: McpTool[];
  /** Tools that changed since they were pinned; they are not among `tools`. */
  blocked: string[];
  /** What to hand to `agent mcp allow`. */
  key: string;
}

/**
 * One server in one run: started by the first agent that needs it, shared by all, started once more when it dies, and
 * gone with the run.
 */
export class RunServer {
  readonly spec: McpServerSpec;
  readonly #needs: ConnectionNeeds;
  readonly #closed = new AbortController();
  #opening: Promise<Opened> | undefined;
  #reconnecting: Promise<Opened> | undefined;

  constructor(spec: McpServerSpec, needs: ConnectionNeeds) {
    this.spec = spec;
    this.#needs = needs;
  }

  /**
   * The enabled tools, and a sentence about those that are kept back because they changed; rejects with why the server
   * cannot be used.
   */
  async tools(signal: AbortSignal): Promise<{ tools: McpTool[]; notice: string | undefined }> {
    this.#opening ??= this.#open();
    const { tools, blocked, key } = await follow(this.#opening, signal);
    const { enabledTools, name } = this.spec;
    const isWanted = (tool: string) => enabledTools?.includes(tool) ?? true;
    const missing = blocked.filter(isWanted);
    return {
      tools: tools.filter((tool) => isWanted(tool.name)),
      notice: missing.length > 0 ? describeBlocked(name, missing, key) : undefined,
    };
  }

  /** Calls a tool. A call that was lost with the connection is made once more, unless the tool says it destroys things. */
  async call(tool: McpTool, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult> {
    const timeout = AbortSignal.timeout(this.spec.timeoutMs);
    const both = AbortSignal.any([signal, timeout, this.#closed.signal]);
    try {
      const opened = await this.#usable(both);
      try {
        return await this.#callOn(opened, tool.name, args, both);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== CONNECTION_LOST) throw error;
        if (isDestructive(tool)) throw error;
        const again = await this.#usable(both);
        if (again === opened) throw error;
        return await this.#callOn(again, tool.name, args, both);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted)
        throw fail(
          'upstream_timeout',
          `${describeTarget(this.spec.target)} did not answer within ${this.spec.timeoutMs / 1000} seconds.`,
          { cause: error },
        );
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new DOMException('The run has ended.', 'AbortError'));
    for (const pending of [this.#opening, this.#reconnecting]) {
      const opened = await pending?.catch(() => undefined);
      await opened?.connection.close();
    }
  }

  /** The second process of a run may offer other tools than the first. */
  #callOn({ connection, blocked, key }: Opened, tool: string, args: Record<string, unknown>, signal: AbortSignal) {
    if (blocked.includes(tool)) throw fail('mcp_tools_changed', describeBlocked(this.spec.name, [tool], key));
    return connection.callTool(tool, args, signal);
  }

  /** The live connection; the second one when the first broke. There is no third. */
  async #usable(signal: AbortSignal): Promise<Opened> {
    this.#opening ??= this.#open();
    const first = await follow(this.#opening, signal);
    if (first.connection.alive) return first;
    this.#reconnecting ??= first.connection.close().then(() => this.#open());
    return follow(this.#reconnecting, signal);
  }

  /** Belongs to the run, not to the caller who happened to be first: others wait for the same connection. */
  async #open(): Promise<Opened> {
    const { target, timeoutMs } = this.spec;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([this.#closed.signal, timeout]);
    try {
      const connection = await connect(await this.#needs.approvals.admit(this.spec), this.#needs, signal);
      try {
        const { usable, ...more } = await this.#needs.approvals.check(this.spec, await connection.listTools(signal));
        return { connection, tools: usable, ...more };
      } catch (error) {
        await connection.close();
        throw error;
      }
    } catch (error) {
      this.#closed.signal.throwIfAborted();
      if (!timeout.aborted) throw error;
      throw fail('upstream_timeout', `${describeTarget(target)} did not answer within ${timeoutMs / 1000} seconds.`, {
        cause: error,
      });
    }
  }
}

function isDestructive({ annotations }: McpTool & { annotations?: unknown }): boolean {
  const { destructiveHint, idempotentHint } = (annotations ?? {}) as Record<string, unknown>;
  return destructiveHint === true && idempotentHint !== true;
}

/** Waits for shared work, but only as long as this caller wants. */
async function follow<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

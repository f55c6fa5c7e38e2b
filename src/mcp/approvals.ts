import { type AppError, fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import {
  type ApprovalRecord,
  listApprovals,
  prunePending,
  readApproval,
  removeApproval,
  writeApproval,
} from './approval-files.ts';
import { digestOf, identityOf, idOf, type ServerIdentity } from './identity.ts';
import type { McpTarget, McpTool, SharedFolder } from './model.ts';
import { comparePins, type PinnedTool, pinTools } from './tool-pins.ts';

/** Longest command line, in characters, that is noted for a decision. */
const MAX_NOTED = 16_384;

/** A server that is about to be used. */
export interface AskedServer {
  /** Name in `mcp.servers`, or the name a request gives it. */
  name: string;
  target: McpTarget;
  /** Whether its tools must be those that were pinned; true when absent. */
  pinTools?: boolean;
}

/** What is known of a server and where it is kept. */
export interface KnownServer {
  id: string;
  digest: string;
  name: string | null;
  server: ServerIdentity;
  record: ApprovalRecord | undefined;
}

/** The tools of a server that may be used, and the names of those that may not. */
export interface CheckedTools {
  usable: McpTool[];
  blocked: string[];
  /** What to hand to `agent mcp allow`. */
  key: string;
}

/**
 * What the operator has approved. A server of the configuration is approved as written; one of a request waits for
 * `agent mcp allow`. The tools of both are pinned when they are approved or first used, and a tool that changes later
 * is kept back until it is allowed again.
 */
export class Approvals {
  readonly #home: string;
  readonly #required: boolean;
  readonly #clock: Clock;

  constructor(options: { home: string; required: boolean; clock: Clock }) {
    this.#home = options.home;
    this.#required = options.required;
    this.#clock = options.clock;
  }

  /** Throws `mcp_not_approved` or `mcp_denied`; returns the target as it may be started. */
  async admit({ name, target }: AskedServer): Promise<McpTarget> {
    const known = await this.find(target, target.trusted ? name : null);
    if (known.record?.state === 'denied') throw denied(name, target.trusted ? name : known.id);
    if (target.trusted || !this.#required) return target;
    if (known.record?.state !== 'allowed') {
      await this.#note(known);
      throw notApproved(name, known.id);
    }
    return withFolders(target, known.record.folders);
  }

  /** Compares the tools with the pinned ones; the first list of an approved server is pinned. */
  async check({ name, target, pinTools: wanted = true }: AskedServer, tools: McpTool[]): Promise<CheckedTools> {
    const known = await this.find(target, target.trusted ? name : null);
    const key = known.name ?? known.id;
    if (!wanted || (!target.trusted && !this.#required)) return { usable: tools, blocked: [], key };
    const offered = pinTools(tools);
    const pinned = known.record?.tools;
    if (!pinned) {
      // A server whose service is down may offer nothing today.
      if (offered.length === 0) return { usable: tools, blocked: [], key };
      if (known.name !== null) await this.#forgetOthers(known);
      await this.#write(known, { state: 'allowed', tools: offered, offered: null });
      return { usable: tools, blocked: [], key };
    }
    const { added, changed } = comparePins(pinned, offered);
    const blocked = new Set([...added, ...changed]);
    // What was kept back is shown by `agent mcp allow`; a server that came back to its tools has nothing to show.
    const changes = blocked.size > 0 ? offered : null;
    if (!isSame(known.record?.offered ?? null, changes)) await this.#write(known, { offered: changes });
    return { usable: tools.filter((tool) => !blocked.has(tool.name)), blocked: [...blocked], key };
  }

  /** Allows a server, with these tools or with those of its next use. */
  async allow(known: KnownServer, tools: PinnedTool[] | null, folders: SharedFolder[]): Promise<void> {
    if (known.name !== null) await this.#forgetOthers(known);
    await this.#write(known, { state: 'allowed', tools, offered: null, folders });
  }

  /** Refuses a server, whoever asks for it. */
  async deny(known: KnownServer): Promise<void> {
    await this.#write(known, { state: 'denied', tools: null, offered: null, folders: [] });
  }

  /** What is known of a server; `name` is that of a configured one. */
  async find(target: McpTarget, name: string | null): Promise<KnownServer> {
    const server = identityOf(target);
    const digest = digestOf(server, name);
    return { id: idOf(digest), digest, name, server, record: await readApproval(this.#home, digest) };
  }

  /** Every server that is known, the newest first. */
  async list(): Promise<KnownServer[]> {
    const records = await listApprovals(this.#home);
    return records.map((record) => ({
      id: idOf(record.digest),
      digest: record.digest,
      name: record.name,
      server: record.server,
      record,
    }));
  }

  async #note(known: KnownServer): Promise<void> {
    if (known.record || JSON.stringify(known.server).length > MAX_NOTED) return;
    await this.#write(known, { state: 'pending' });
    await prunePending(this.#home);
  }

  /** A configured server whose command was changed is another server: its pins begin anew. */
  async #forgetOthers({ name, digest }: KnownServer): Promise<void> {
    const records = await listApprovals(this.#home);
    const others = records.filter((record) => record.name === name && record.digest !== digest);
    await Promise.all(others.map((record) => removeApproval(this.#home, record.digest)));
  }

  async #write(known: KnownServer, change: Partial<ApprovalRecord>): Promise<void> {
    const { digest, name, server, record } = known;
    await writeApproval(this.#home, {
      ...(record ?? { state: 'pending' as const, folders: [], tools: null, offered: null }),
      ...change,
      version: 1,
      digest,
      name,
      server,
      updated_at: new Date(this.#clock.now()).toISOString(),
    });
  }
}

function withFolders(target: McpTarget, folders: SharedFolder[]): McpTarget {
  return target.transport === 'stdio' ? { ...target, sandbox: { enabled: true, ...target.sandbox, folders } } : target;
}

function isSame(before: readonly PinnedTool[] | null, now: readonly PinnedTool[] | null): boolean {
  if (!before || !now) return before === now;
  const { added, changed, removed } = comparePins(before, now);
  return added.length + changed.length + removed.length === 0;
}

function notApproved(name: string, id: string): AppError {
  return fail(
    'mcp_not_approved',
    `The MCP server ${JSON.stringify(name)} is not approved yet; look at it and allow it on the machine of this server: agent mcp allow ${id}`,
  );
}

function denied(name: string, key: string): AppError {
  return fail(
    'mcp_denied',
    `The MCP server ${JSON.stringify(name)} was denied by the operator, who can allow it again: agent mcp allow ${key}`,
  );
}

import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../errors.ts';
import { parseJson } from '../lib/json.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { type Static, Type, Value } from '../schema.ts';
import { PinnedTool } from './tool-pins.ts';

/** Folder in the agent home; one file for each server, so that two processes never write over each other's. */
const FOLDER = 'mcp';
/** Servers of requests that nobody has decided on; the oldest make room. */
const MAX_PENDING = 50;
/** Larger files are not ours. */
const MAX_BYTES = 16 * 1024 * 1024;

const Identity = Type.Union([
  Type.Object({
    transport: Type.Literal('stdio'),
    command: Type.String(),
    args: Type.Array(Type.String()),
    cwd: Type.Union([Type.String(), Type.Null()]),
    env: Type.Array(Type.String()),
  }),
  Type.Object({
    transport: Type.Union([Type.Literal('sse'), Type.Literal('streamable_http')]),
    url: Type.String(),
    headers: Type.Array(Type.String()),
  }),
]);

/** What is remembered of a server. */
export const ApprovalRecord = Type.Object({
  version: Type.Literal(1),
  digest: Type.String(),
  /** Name in `mcp.servers`; null for a server of requests. */
  name: Type.Union([Type.String(), Type.Null()]),
  server: Identity,
  state: Type.Union([Type.Literal('pending'), Type.Literal('allowed'), Type.Literal('denied')]),
  /** Folders shared with it, see `agent mcp allow`. */
  folders: Type.Array(Type.Object({ path: Type.String(), writable: Type.Boolean() })),
  /** The tools that may be used; null pins those of the next use. */
  tools: Type.Union([Type.Array(PinnedTool), Type.Null()]),
  /** The last list that differed from the pinned one. */
  offered: Type.Union([Type.Array(PinnedTool), Type.Null()]),
  /** ISO 8601. */
  updated_at: Type.String(),
});
export type ApprovalRecord = Static<typeof ApprovalRecord>;

/** The record of a server; undefined when there is none. Throws `mcp_approval_broken` for a file that is not one. */
export async function readApproval(home: string, digest: string): Promise<ApprovalRecord | undefined> {
  const path = pathOf(home, digest);
  let text: string;
  try {
    if ((await stat(path)).size > MAX_BYTES) throw broken(path);
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const record = parseJson(text);
  if (!Value.Check(ApprovalRecord, record) || record.digest !== digest) throw broken(path);
  return record;
}

/** Writes a record, for its owner only. */
export async function writeApproval(home: string, record: ApprovalRecord): Promise<void> {
  await mkdir(join(home, FOLDER), { recursive: true, mode: 0o700 });
  await replaceFile(pathOf(home, record.digest), `${JSON.stringify(record, null, 2)}\n`);
}

/** Forgets a server. */
export async function removeApproval(home: string, digest: string): Promise<void> {
  await rm(pathOf(home, digest), { force: true });
}

/** Every record, the newest first; files that are none are left out. */
export async function listApprovals(home: string): Promise<ApprovalRecord[]> {
  const names = await readdir(join(home, FOLDER)).catch(() => []);
  const digests = names.flatMap((name) => /^([0-9a-f]{64})\.json$/.exec(name)?.[1] ?? []);
  const found = await Promise.all(digests.map((digest) => readApproval(home, digest).catch(() => undefined)));
  return found.filter((record) => record !== undefined).sort((a, b) => b.updated_at.localeCompare(a.updated_at));
}

/** Keeps the newest servers that wait for a decision. */
export async function prunePending(home: string): Promise<void> {
  const pending = (await listApprovals(home)).filter((record) => record.state === 'pending');
  await Promise.all(pending.slice(MAX_PENDING).map(({ digest }) => removeApproval(home, digest)));
}

function pathOf(home: string, digest: string): string {
  return join(home, FOLDER, `${digest}.json`);
}

function broken(path: string) {
  return fail('mcp_approval_broken', `${path} is damaged; remove it and allow the server again with agent mcp allow.`);
}

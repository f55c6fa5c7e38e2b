import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '../../src/config/schema.ts';
import { createGuardedStreamFetch } from '../../src/crawl/guarded-stream-fetch.ts';
import { type ConnectionNeeds, connect } from '../../src/mcp/connection.ts';
import { createConnectionNeeds } from '../../src/mcp/connection-needs.ts';
import type { McpTarget } from '../../src/mcp/model.ts';
import { readToolResult } from '../../src/mcp/tool-result.ts';
import { defaultConfig } from '../helpers/test-server.ts';

export const SCRIPTS = join(import.meta.dir, '../fixtures/mcp');
export const BURGLAR = join(SCRIPTS, 'burglar.mjs');
export const SHAPESHIFTER = join(SCRIPTS, 'shapeshifter.mjs');
/** The Bun that runs the tests starts the servers, whatever else the machine has. */
export const BUN = process.execPath;
/** Bun by name, and the programs of the system. */
export const PATH = `${dirname(BUN)}:/usr/local/bin:/usr/bin:/bin`;
export const hasBubblewrap = Bun.which('bwrap', { PATH }) !== null;

/** An agent home in a folder of its own, with the defaults of an installation whose requests may bring servers. */
export interface SecurityPlace extends AsyncDisposable {
  /** Holds the home and whatever else a test puts beside it. */
  root: string;
  home: string;
  config: Config;
  needs: ConnectionNeeds;
}

export async function openSecurityPlace(change: (config: Config) => void = () => {}): Promise<SecurityPlace> {
  const root = await mkdtemp(join(tmpdir(), 'agent-mcp-security-'));
  const home = join(root, 'agent');
  await Bun.write(join(home, 'config.yaml'), 'api_key: hunter2\n');
  await Bun.write(join(home, '.env'), 'OPENAI_API_KEY=hunter2\n');
  const config = defaultConfig();
  config.mcp.path = PATH;
  config.mcp.enable_server_configuration = true;
  config.mcp.allowed_commands = ['bun'];
  config.mcp.script_dirs = [SCRIPTS];
  change(config);
  const openFetch = createGuardedStreamFetch({ allowPrivateNetwork: true });
  const needs = createConnectionNeeds({
    config,
    home,
    guardedFetch: openFetch,
    openFetch,
  });
  return {
    root,
    home,
    config,
    needs,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** What a burglar came home with. */
export interface Loot {
  read: Record<string, { ok?: string; failed?: string }>;
  write: Record<string, { ok?: null; failed?: string }>;
  signal: Record<string, { ok?: boolean; failed?: string }>;
  fetch: Record<string, { ok?: string; failed?: string }>;
  env: Record<string, string>;
  home: string;
  cwd: string;
  processes: { ok?: number; failed?: string };
}

/** Starts the server, lets it try everything once, and stops it. */
export async function burgle(
  target: McpTarget,
  needs: ConnectionNeeds,
  attempts: { read?: string[]; write?: string[]; signal?: number[]; fetch?: string[] } = {},
): Promise<Loot> {
  const signal = AbortSignal.timeout(20_000);
  const connection = await connect(target, needs, signal);
  try {
    const result = await connection.callTool('look', attempts, signal);
    return JSON.parse(readToolResult(result, 400_000).content);
  } finally {
    await connection.close();
  }
}

/** A server as a request brings it, approved or not. */
export const requested = (script: string, ...args: string[]): McpTarget => ({
  transport: 'stdio',
  command: 'bun',
  args: [script, ...args],
  env: { API_TOKEN: 'of the request' },
  trusted: false,
});

import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '../../src/config/schema.ts';
import { createGuardedStreamFetch } from '../../src/crawl/guarded-stream-fetch.ts';
import type { ConnectionNeeds } from '../../src/mcp/connection.ts';
import { createConnectionNeeds } from '../../src/mcp/connection-needs.ts';
import { defaultConfig } from '../helpers/test-server.ts';

const MODULES = join(import.meta.dir, '../../node_modules/@modelcontextprotocol');
export const EVERYTHING = join(MODULES, 'server-everything/dist/index.js');
export const FILESYSTEM = join(MODULES, 'server-filesystem/dist/index.js');
export const MISBEHAVE = join(import.meta.dir, '../fixtures/mcp/misbehave.mjs');

/**
 * A PATH on which `node` is the Bun that runs the tests: requests may name `node` and no other program, and the one of
 * the machine may be missing or too old for the servers. Bun under that name behaves like it.
 */
const nodeFolder = mkdtempSync(join(tmpdir(), 'agent-mcp-node-'));
symlinkSync(process.execPath, join(nodeFolder, 'node'));
process.on('exit', () => rmSync(nodeFolder, { recursive: true, force: true }));
export const PATH_WITH_NODE = `${nodeFolder}:${Bun.env['PATH'] ?? '/usr/bin:/bin'}`;

/** A home in a temp folder with what connections need. */
export interface McpPlace extends AsyncDisposable {
  home: string;
  config: Config;
  needs: ConnectionNeeds;
  /** A file in the home. */
  file(name: string): string;
  /** Working folders of servers that are still there. */
  leftFolders(): Promise<string[]>;
}

export async function openPlace(change: (config: Config) => void = () => {}): Promise<McpPlace> {
  const home = await mkdtemp(join(tmpdir(), 'agent-mcp-'));
  const config = defaultConfig();
  config.mcp.path = PATH_WITH_NODE;
  config.mcp.enable_server_configuration = true;
  config.mcp.script_dirs = [MODULES, dirname(MISBEHAVE)];
  // What is approved and what a sandbox hides has tests of its own.
  config.mcp.require_approval = false;
  config.mcp.sandbox = 'off';
  change(config);
  return {
    home,
    config,
    needs: createConnectionNeeds({
      config,
      home,
      guardedFetch: createGuardedStreamFetch({ allowPrivateNetwork: config.crawl.allow_private_network }),
      openFetch: createGuardedStreamFetch({ allowPrivateNetwork: true }),
    }),
    file: (name) => join(home, name),
    leftFolders: async () => readdir(join(home, 'tmp')).catch(() => []),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

/** Whether a process exists and is more than a zombie. */
export function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return false;
  try {
    return !/\) [ZX] /.test(readFileSync(path, 'utf8'));
  } catch {
    return false;
  }
}

/** The notes a misbehaving server wrote: `start 123`, `child 124`, `call name`. */
export function notes(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

export function pidsOf(file: string, word: 'start' | 'child'): number[] {
  return notes(file)
    .filter((line) => line.startsWith(`${word} `))
    .map((line) => Number(line.split(' ')[1]));
}

/** Starts the real "everything" server over HTTP and waits until it listens. */
export async function startEverything(mode: 'sse' | 'streamableHttp'): Promise<{ url: string } & AsyncDisposable> {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  const child = Bun.spawn([process.execPath, '--no-env-file', EVERYTHING, mode], {
    env: { PATH: Bun.env['PATH'] ?? '', PORT: String(port) },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  for (let attempt = 0; attempt < 400; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1000) }).catch(
      () => undefined,
    );
    if (answer) break;
    await Bun.sleep(25);
  }
  return {
    url: `http://127.0.0.1:${port}${mode === 'sse' ? '/sse' : '/mcp'}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

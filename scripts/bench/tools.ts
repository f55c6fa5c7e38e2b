#!/usr/bin/env bun
/**
 * Tools that reach out: every row of MCP, of the sandbox (sandbox.ts) and of the OpenAI API (openai.ts). Build the
 * binary first (bun scripts/build.ts), then:
 *   bun scripts/bench/tools.ts
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { median, printRow, ROOT, startAgent, startProcess } from './lib.ts';

const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const MISBEHAVE = join(ROOT, 'test/fixtures/mcp/misbehave.mjs');
const ROUNDS = 15;
/** Requests may start the packages of this repository at once. */
const OPEN = { MCP_REQUIRE_APPROVAL: 'false', MCP_SCRIPT_DIRS: join(ROOT, 'node_modules') };

await metadata();
await oneProcess();
// Processes of their own: both measure the event loop they run in.
for (const bench of ['sandbox.ts', 'openai.ts'])
  await Bun.spawn(['bun', join(import.meta.dir, bench)], { stdout: 'inherit', stderr: 'inherit' }).exited;

/** The metadata endpoint against the SDK's client in this process; ours also waits until the server is gone. */
async function metadata(): Promise<void> {
  const path = Bun.env['PATH'] ?? '';
  const env = { ENABLE_MCP_SERVER_CONFIGURATION: 'true', PATH: path, ...OPEN };
  await using agent = await startAgent({ ...env, MCP_SANDBOX: 'off' });
  await using shutIn = await startAgent({ ...env, MCP_SANDBOX: 'required' });
  const ours: number[] = [];
  const inside: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS + 2; round++) {
    const [own, sdk, shut] = [await timeOurs(agent.url), await timeSdk(path), await timeOurs(shutIn.url)];
    // The first rounds load the server's files and our code.
    if (round < 2) continue;
    ours.push(own);
    theirs.push(sdk);
    inside.push(shut);
  }
  const ratio = median(ours) / median(theirs);
  printRow(
    'metadata of a local stdio server',
    `${median(ours).toFixed(0)} ms (ratio ${ratio.toFixed(2)})`,
    `SDK client until the list ${median(theirs).toFixed(0)} ms`,
    '≤ 1.15',
    ratio <= 1.15,
  );
  const added = median(inside) - median(ours);
  printRow('the same in the sandbox', `${added.toFixed(0)} ms more`, '-', '≤ 50 ms', added <= 50);
}

async function timeOurs(url: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(`${url}/api/mcp/server/metadata`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ transport: 'stdio', command: 'node', args: [EVERYTHING, 'stdio'] }),
  });
  const { tools } = (await response.json()) as { tools?: unknown[] };
  if (!tools?.length) throw new Error(`metadata answered ${response.status}`);
  return performance.now() - started;
}

async function timeSdk(path: string): Promise<number> {
  const started = performance.now();
  const client = new Client({ name: 'bench', version: '1' });
  const transport = new StdioClientTransport({
    command: 'node',
    args: [EVERYTHING, 'stdio'],
    env: { PATH: path },
    stderr: 'ignore',
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  await client.listTools();
  const elapsed = performance.now() - started;
  // Its goodbye takes seconds with servers that do not follow their input; it is not counted.
  if (transport.pid) process.kill(transport.pid, 'SIGKILL');
  await client.close();
  return elapsed;
}

/** Three steps with tools of one server. */
async function oneProcess(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'agent-bench-mcp-'));
  const notes = join(mkdtempSync(join(tmpdir(), 'agent-bench-notes-')), 'notes');
  writeFileSync(
    join(home, 'config.yaml'),
    `mcp:\n  servers:\n    counted:\n      command: node\n      args: ["${MISBEHAVE}", normal, "${notes}"]\n`,
  );
  try {
    await using model = await startProcess([
      'bun',
      'scripts/bench/model-server.ts',
      '--latency-ms',
      '50',
      '--steps',
      '3',
    ]);
    await using agent = await startAgent({
      AGENT_HOME: home,
      PATH: Bun.env['PATH'] ?? '',
      OPENAI_BASE_URL: `${model.url}/v1`,
      OPENAI_API_KEY: 'k',
      OPENAI_MODEL: 'm',
    });
    const response = await fetch(`${agent.url}/api/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        messages: [{ role: 'user', content: 'Compare tides in three oceans' }],
        auto_accepted_plan: true,
        enable_web_search: false,
        enable_background_investigation: false,
      }),
    });
    if (!(await response.text()).includes('event: citations')) throw new Error('the run did not complete');
    const starts = readFileSync(notes, 'utf8').match(/^start /gm)?.length ?? 0;
    printRow('3 steps that use one MCP server', `${starts} processes started`, '-', '1', starts === 1);
  } finally {
    for (const folder of [home, dirname(notes)]) rmSync(folder, { recursive: true, force: true });
  }
}

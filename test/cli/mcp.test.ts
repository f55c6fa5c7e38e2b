import { describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCliGroup } from '../../src/cli/command.ts';
import { mcpCommands } from '../../src/cli/mcp.ts';
import { EVERYTHING, isRunning, MISBEHAVE, PATH_WITH_NODE, pidsOf, startEverything } from '../mcp/servers.ts';
import { runWords } from './run-cli.ts';

const root = defineCliGroup('test', { mcp: { description: 'mcp', load: async () => mcpCommands } });

async function openHome(config = '') {
  const home = await mkdtemp(join(tmpdir(), 'agent-mcp-cli-'));
  if (config) await writeFile(join(home, 'config.yaml'), config);
  return {
    home,
    inspect: (...words: string[]) =>
      runWords(root, ['mcp', 'inspect', ...words], { env: { AGENT_HOME: home, PATH: PATH_WITH_NODE } }),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

describe('agent mcp inspect', () => {
  test('shows the tools of a program with their arguments', async () => {
    await using cli = await openHome();
    const { status, stdout } = await cli.inspect('--command', 'node', '--args', `${EVERYTHING} stdio`);
    expect(status).toBe(0);
    expect(stdout).toContain('Everything Reference Server 2.0.0 (stdio), 13 tools');
    expect(stdout).toContain('  get-sum a b\n');
    expect(stdout).toContain('  echo message\n');
  });

  test('prints JSON for programs, and takes arguments one by one', async () => {
    await using cli = await openHome();
    const { status, stdout } = await cli.inspect(
      '--command',
      'node',
      '--args',
      EVERYTHING,
      '--args',
      'stdio',
      '--json',
    );
    expect(status).toBe(0);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ transport: 'stdio', server: { version: '2.0.0' } });
    expect(answer.tools.find((tool: { name: string }) => tool.name === 'echo').inputSchema.type).toBe('object');
  });

  test.each(['sse', 'streamableHttp'] as const)('knows %s by its address', async (mode) => {
    await using everything = await startEverything(mode);
    await using cli = await openHome();
    const { status, stdout } = await cli.inspect('--url', everything.url, '--header', 'X-Key: a:b');
    expect(status).toBe(0);
    expect(stdout).toContain(`(${mode === 'sse' ? 'sse' : 'streamable_http'}), `);
  });

  test('shows a server of the configuration by name', async () => {
    await using cli = await openHome(
      `mcp:\n  servers:\n    everything:\n      command: node\n      args: ["${EVERYTHING}", stdio]\n`,
    );
    expect((await cli.inspect('everything')).stdout).toContain('Everything Reference Server');
    const unknown = await cli.inspect('other');
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain('known are everything');
  });

  test('a failure is one line, with what the program wrote before it, and nothing is left running', async () => {
    await using cli = await openHome();
    const notes = join(cli.home, 'notes');
    const { status, stdout, stderr } = await cli.inspect('--command', 'node', '--args', '/nonexistent.js');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/module not found/i);
    expect(stderr.trim().split('\n').at(-1)).toBe(
      'The MCP server node (stdio) cannot be used: it ended with status 1.',
    );
    const slow = await cli.inspect(
      '--command',
      'node',
      '--args',
      `${MISBEHAVE} never ${notes}`,
      '--timeout',
      '1',
      '--no-sandbox',
    );
    expect(slow.status).toBe(1);
    expect(slow.stderr).toContain('did not answer within 1 seconds');
    const [pid] = pidsOf(notes, 'start');
    expect(isRunning(pid as number)).toBe(false);
  });

  test.each([
    [[]],
    [['--command', 'node', '--url', 'http://127.0.0.1/']],
    [['--command', 'node', '--transport', 'sse']],
    [['--url', 'http://127.0.0.1/', '--transport', 'stdio']],
    [['--url', 'file:///etc/passwd']],
    [['--url', 'http://127.0.0.1/', '--transport', 'pipe']],
    [['--command', 'node', '--env', 'NOVALUE']],
    [['--command', 'node', '--timeout', '0']],
    [['--command', 'node', '--timeout', '3601']],
    [['--comand', 'node']],
  ])('%j is wrong use', async (words) => {
    await using cli = await openHome();
    const { status, stderr } = await cli.inspect(...words);
    expect(status).toBe(2);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

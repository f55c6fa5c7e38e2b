import { describe, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../src/version.ts';
import { homeFolder } from '../config/home-folder.ts';
import { binaryPath, runBinary } from './binary.ts';

describe('dist/agent', () => {
  test('knows its version', async () => {
    expect(await runBinary(['--version'], { cwd: homeFolder() })).toEqual({
      status: 0,
      stdout: `${VERSION}\n`,
      stderr: '',
    });
  });

  test('prints its commands without arguments', async () => {
    const { status, stdout } = await runBinary([], { cwd: homeFolder() });
    expect(status).toBe(0);
    for (const name of ['config', 'doctor']) expect(stdout).toMatch(new RegExp(`^ +${name} `, 'm'));
  });

  test('exits 2 on wrong usage and names the nearest', async () => {
    const cwd = homeFolder();
    expect(await runBinary(['confg'], { cwd })).toMatchObject({
      status: 2,
      stdout: '',
      stderr: 'Unknown command "agent confg"; did you mean agent config?\n',
    });
    expect(await runBinary(['config', '--jsno'], { cwd })).toMatchObject({
      status: 2,
      stderr: 'Unknown flag --jsno; did you mean --json?\n',
    });
  });

  test('reads neither .env nor bunfig.toml of the working directory', async () => {
    const cwd = homeFolder({
      '.env': 'AGENT_PORT=1234\nOPENAI_API_KEY=sk-cwd\n',
      'bunfig.toml': 'preload = ["./evil.ts"]\n',
      'evil.ts': 'console.log("preloaded"); process.exit(9);\n',
    });
    const { status, stdout } = await runBinary(['config'], { cwd });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^server\.port += 8000 {2}# default$/m);
    expect(stdout).not.toContain('preloaded');
    expect(stdout).not.toContain('OPENAI');
  });

  test('reads <home>/config.yaml and <home>/.env', async () => {
    const home = homeFolder({
      'config.yaml': 'server:\n  host: ${HOST_NAME}\n',
      '.env': 'HOST_NAME=localhost\nAGENT_PORT=81\n',
    });
    const { stdout } = await runBinary(['config', '--home', home], { cwd: homeFolder() });
    expect(stdout).toMatch(/^server\.host += "localhost" {2}# config\.yaml:2$/m);
    expect(stdout).toMatch(/^server\.port += 81 {2}# \.env:2 \(AGENT_PORT\)$/m);
  });

  test('names every configuration problem', async () => {
    const home = homeFolder({ 'config.yaml': 'server:\n  prot: 1\nlog:\n  level: loud\n' });
    const { status, stderr } = await runBinary(['config'], { cwd: homeFolder(), env: { AGENT_HOME: home } });
    expect(status).toBe(1);
    expect(stderr).toContain('did you mean port? [config.yaml:2]');
    expect(stderr).toContain('log.level is "loud"');
  });

  test('prints a sample it can read', async () => {
    const cwd = homeFolder();
    const { stdout } = await runBinary(['config', '--sample'], { cwd });
    const home = homeFolder({ 'config.yaml': stdout });
    expect((await runBinary(['config', '--home', home], { cwd })).status).toBe(0);
  });

  test('survives a reader that closes early', async () => {
    const child = Bun.spawn(['bash', '-c', `"${binaryPath()}" config --sample | head -1; exit \${PIPESTATUS[0]}`], {
      cwd: homeFolder(),
      stdout: 'pipe',
      stderr: 'pipe',
    });
    expect(await child.exited).toBe(0);
    expect(await new Response(child.stderr).text()).toBe('');
  });

  test('doctor opens the embedded database', async () => {
    const home = homeFolder();
    const env = { AGENT_HOME: home, DUCKDUCKGO_BASE_URL: 'http://127.0.0.1:9' };
    const { status, stdout } = await runBinary(['doctor', '--json'], { cwd: homeFolder(), env });
    expect(status).toBe(0);
    const { findings } = JSON.parse(stdout);
    expect(findings.find((finding: { area: string }) => finding.area === 'database')).toMatchObject({ status: 'ok' });
    expect(statSync(join(home, 'agent.db')).isFile()).toBe(true);
  });
});

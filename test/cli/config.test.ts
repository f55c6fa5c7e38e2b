import { describe, expect, test } from 'bun:test';
import { rootCommand } from '../../src/cli/index.ts';
import { homeFolder } from '../config/home-folder.ts';
import { runWords } from './run-cli.ts';

describe('agent config', () => {
  test('prints every effective value with its origin and no secret', async () => {
    const home = homeFolder({ 'config.yaml': 'server:\n  port: 81\n', '.env': 'OPENAI_API_KEY=sk-secret\n' });
    const env = { AGENT_HOME: home, AGENT_DATABASE_URL: 'postgres://u:hush@db/x' };
    const { status, stdout } = await runWords(rootCommand, ['config'], { env });
    expect(status).toBe(0);
    expect(stdout).toContain(`# home: ${home}\n`);
    expect(stdout).toMatch(/^server\.port += 81 {2}# config\.yaml:2$/m);
    expect(stdout).toMatch(/^models\.basic\.api_key += "\*{8}" {2}# \.env:1 \(OPENAI_API_KEY\)$/m);
    expect(stdout).toMatch(/^models\.basic\.model += "gpt-4o-mini" {2}# default$/m);
    expect(stdout).toMatch(/^database\.url += "postgres:\/\/u:\*{8}@db\/x" {2}# environment \(AGENT_DATABASE_URL\)$/m);
    expect(stdout).not.toContain('sk-secret');
    expect(stdout).not.toContain('hush');
  });

  test('--json gives values and origins as one object', async () => {
    const home = homeFolder({ '.env': 'OPENAI_API_KEY=sk-secret\n' });
    const { stdout } = await runWords(rootCommand, ['config', '--json', '--home', home]);
    const answer = JSON.parse(stdout);
    expect(answer.home).toBe(home);
    expect(answer.config.server.port).toBe(8000);
    expect(answer.config.models.basic.api_key).toBe('********');
    expect(answer.origins['models.basic.api_key']).toBe('.env:1 (OPENAI_API_KEY)');
    expect(answer.origins['server.port']).toBe('default');
    expect(stdout).not.toContain('sk-secret');
  });

  test('names every problem and exits 1', async () => {
    const home = homeFolder({ 'config.yaml': 'server:\n  prot: 81\nlog:\n  level: loud\n' });
    const { status, stdout, stderr } = await runWords(rootCommand, ['config'], { env: { AGENT_HOME: home } });
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^The configuration has 2 problems:\n {2}server\.prot .*\n {2}log\.level .*\n$/);
  });

  test('--sample works even when the configuration is broken', async () => {
    const home = homeFolder({ 'config.yaml': 'nonsense: 1\n' });
    const { status, stdout } = await runWords(rootCommand, ['config', '--sample', '--home', home]);
    expect(status).toBe(0);
    expect(stdout).toContain('#port: 8000');
  });

  test('a flag it does not have is wrong usage', async () => {
    expect((await runWords(rootCommand, ['config', '--smaple'])).stderr).toContain('did you mean --sample?');
  });
});

import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dir, '../../scripts/install.sh');
const folder = mkdtempSync(join(tmpdir(), 'install-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const binary = join(folder, 'agent');
writeFileSync(binary, '#!/bin/sh\necho one\n');
chmodSync(binary, 0o755);

function install(...words: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['sh', SCRIPT, ...words]);
  return { status: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

describe('scripts/install.sh', () => {
  test('--help explains itself', () => {
    const { status, stdout } = install('--help');
    expect(status).toBe(0);
    expect(stdout).toContain('--dry-run');
  });

  test('--dry-run prints the hardened unit and changes nothing', () => {
    const prefix = join(folder, 'dry');
    const { status, stdout } = install(
      '--dry-run',
      '--binary',
      binary,
      '--prefix',
      prefix,
      '--user',
      'agent-test-user',
    );
    expect(status).toBe(0);
    for (const line of [
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'StateDirectory=agent',
      'User=agent-test-user',
      `ExecStart=${prefix}/bin/agent serve`,
    ])
      expect(stdout).toContain(`${line}\n`);
    expect(existsSync(prefix)).toBe(false);
    expect(readFileSync('/etc/passwd', 'utf8')).not.toContain('agent-test-user');
  });

  const wrong: [words: string[], status: number, message: RegExp][] = [
    [['--bad'], 2, /Unknown option --bad/],
    [['--binary'], 2, /Usage/],
    [['--binary', join(folder, 'none')], 1, /is missing: build it first/],
    [['--binary', '/etc/passwd'], 1, /is not executable/],
    [['--dry-run', '--user', 'a; rm -rf x'], 1, /is not a user name/],
  ];
  test.each(wrong)('%o is refused', (words, status, message) => {
    const result = install(...words);
    expect(result.status).toBe(status);
    expect(result.stderr).toMatch(message);
  });

  // Only root may install, also below another prefix.
  test.if(process.getuid?.() === 0)('a second run changes nothing, an update replaces the file', () => {
    const prefix = join(folder, 'prefix');
    const words = ['--no-service', '--binary', binary, '--prefix', prefix];
    expect(install(...words).status).toBe(0);
    expect(install(...words).stdout).toContain('is up to date');
    writeFileSync(binary, '#!/bin/sh\necho two\n');
    expect(install(...words).stdout).not.toContain('is up to date');
    expect(readFileSync(join(prefix, 'bin/agent'), 'utf8')).toContain('echo two');
    expect(readdirSync(join(prefix, 'bin'))).toEqual(['agent']);
  });
});

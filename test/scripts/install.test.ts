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
    [['--prefix', 'relative', '--dry-run', '--binary', binary], 1, /is no absolute path/],
    [['--prefix', '/a b', '--dry-run', '--binary', binary], 1, /is no absolute path/],
    [['--prefix', '/a\nUser=root', '--dry-run', '--binary', binary], 1, /is no absolute path/],
    [['--signers', binary], 1, /name it with --release/],
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

  test('installs below another root without a user and without systemd', () => {
    const root = join(folder, 'image');
    const { status, stdout, stderr } = install('--root', root, '--binary', binary, '--user', 'nobody-yet');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).not.toMatch(/systemctl|useradd/);
    expect(readFileSync(join(root, 'etc/systemd/system/agent.service'), 'utf8')).toContain('User=nobody-yet\n');
    expect(
      install('--root', root, '--binary', binary, '--user', 'nobody-yet').stdout.match(/up to date/g),
    ).toHaveLength(2);
  });

  // A machine of its own by namespaces: nothing of this one is written.
  test.if(process.getuid?.() === 0 && Bun.which('bwrap') !== null)('writes the unit where systemd does not run', () => {
    const inside = ['--dev', '/dev', '--tmpfs', '/run', '--tmpfs', '/etc/systemd/system', '--tmpfs', '/opt'];
    const words = ['--binary', binary, '--prefix', '/opt', '--user', 'root'];
    const look = `sh ${SCRIPT} ${words.join(' ')} && test -x /opt/bin/agent && cat /etc/systemd/system/agent.service`;
    const { exitCode, stdout, stderr } = Bun.spawnSync(['bwrap', '--bind', '/', '/', ...inside, 'sh', '-c', look]);
    expect([exitCode, stderr.toString()]).toEqual([0, '']);
    expect(stdout.toString()).toContain('systemd does not run here: the unit is written but not started.');
    expect(stdout.toString()).toContain('ExecStart=/opt/bin/agent serve');
  });

  test.if(process.getuid?.() === 0 && Bun.which('bwrap') !== null)('refuses what does not run here', () => {
    const foreign = join(folder, 'foreign');
    writeFileSync(foreign, '\x7fELF for another machine', { mode: 0o755 });
    const command = [
      'bwrap',
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      'sh',
      SCRIPT,
      '--binary',
      foreign,
      '--prefix',
      '/opt',
    ];
    const { exitCode, stderr } = Bun.spawnSync(command);
    expect([exitCode, stderr.toString()]).toEqual([1, expect.stringMatching(/^foreign does not run on this machine/)]);
  });

  test.if(Bun.which('shellcheck') !== null)('is shell that shellcheck has nothing to say about', () => {
    expect(Bun.spawnSync(['shellcheck', SCRIPT]).stdout.toString()).toBe('');
  });
});

describe('the service', () => {
  const unit = /^\[Unit\][\s\S]*^WantedBy=.*$/m.exec(install('--dry-run', '--binary', binary).stdout)![0];

  test('is the one of the handbook', () => {
    const handbook = readFileSync(join(import.meta.dir, '../../src/handbook/deployment.md'), 'utf8');
    expect(/```ini\n([\s\S]*?)\n```/.exec(handbook)?.[1]).toBe(unit);
  });

  test('has each setting once, but for lists', () => {
    const names = [...unit.matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
    const lists = ['SystemCallFilter', 'IPAddressAllow', 'ReadWritePaths'];
    const twice = names.filter((name, index) => names.indexOf(name) !== index && !lists.includes(name));
    expect(twice).toEqual([]);
  });

  test('reaches every address but those of its own link', () => {
    const ranges = [...unit.matchAll(/^IPAddressAllow=(.*)$/gm)].flatMap(([, list]) => list!.split(' '));
    const numberOf = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    const isAllowed = (address: string) =>
      ranges
        .filter((range) => range.includes('.'))
        .some((range) => {
          const [start, bits] = range.split('/');
          const size = 2 ** (32 - Number(bits));
          return Math.floor(numberOf(address) / size) === Math.floor(numberOf(start!) / size);
        });
    const open = ['0.0.0.0', '1.1.1.1', '10.0.0.1', '127.0.0.1', '169.253.255.255', '169.255.0.0', '192.168.1.1'];
    expect(open.filter((address) => !isAllowed(address))).toEqual([]);
    expect(isAllowed('255.255.255.255')).toBe(true);
    for (const closed of ['169.254.0.0', '169.254.169.254', '169.254.170.2', '169.254.255.255'])
      expect([closed, isAllowed(closed)]).toEqual([closed, false]);
    expect(ranges).toContain('::/0');
  });

  const analyze = Bun.which('systemd-analyze');
  const version = analyze ? /\d+/.exec(Bun.spawnSync([analyze, '--version']).stdout.toString())?.[0] : undefined;
  // Older ones cannot look at a file.
  test.if(Number(version ?? 0) >= 250)('is exposed by at most 2.0, as systemd-analyze counts', () => {
    const file = join(folder, 'agent.service');
    writeFileSync(file, unit);
    const words = [analyze!, 'security', '--offline=true', '--threshold=20', '--no-pager', file];
    const { exitCode, stdout } = Bun.spawnSync(words);
    expect([exitCode, stdout.toString().trim().split('\n').at(-1)]).toEqual([
      0,
      expect.stringMatching(/: (1\.\d|2\.0) /),
    ]);
  });
});

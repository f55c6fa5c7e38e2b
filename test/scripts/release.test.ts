import { afterAll, describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeSection, readSection } from '../../scripts/changelog.ts';
import { NAMESPACE, writeArchives } from '../../scripts/release-archives.ts';

const ROOT = join(import.meta.dir, '../..');
const folder = mkdtempSync(join(tmpdir(), 'agent-release-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CHANGELOG = `# Changelog

## [Unreleased]

### Added
- Tides, $& and $1.

## [0.1.0] - 2026-01-01

### Added
- The Moon.
`;

describe('the changelog', () => {
  test('a section is what stands below its heading', () => {
    expect(readSection(CHANGELOG, 'Unreleased')).toBe('### Added\n- Tides, $& and $1.');
    expect(readSection(CHANGELOG, '0.1.0')).toBe('### Added\n- The Moon.');
    expect(readSection(CHANGELOG, '9.9.9')).toBeUndefined();
  });

  test('what was unreleased gets the version, and nothing is unreleased any more', () => {
    const closed = closeSection(CHANGELOG, '0.2.0', '2026-02-03');
    expect(closed).toContain('## [0.2.0] - 2026-02-03\n');
    expect(readSection(closed, '0.2.0')).toBe('### Added\n- Tides, $& and $1.');
    expect(readSection(closed, 'Unreleased')).toBe('');
    expect(() => closeSection('# Changelog', '0.2.0', '')).toThrow('no heading [Unreleased]');
  });
});

/** Runs a program without the settings of the person who runs the tests. */
function run(words: string[], cwd: string, env: Record<string, string> = {}, stdin?: string) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(words, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', ...env },
    stdin: stdin === undefined ? 'ignore' : new TextEncoder().encode(stdin),
  });
  return { status: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** A small repository with the scripts of this one. */
function repository() {
  const root = mkdtempSync(join(folder, 'repository-'));
  mkdirSync(join(root, 'scripts'));
  for (const name of ['release.ts', 'release-archives.ts', 'changelog.ts'])
    copyFileSync(join(ROOT, 'scripts', name), join(root, 'scripts', name));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, '.gitignore'), 'node_modules\ndist/\n');
  writeFileSync(join(root, 'package.json'), '{\n  "name": "agent",\n  "version": "0.1.0"\n}\n');
  writeFileSync(join(root, 'CHANGELOG.md'), CHANGELOG);
  const git = (...words: string[]) => run(['git', ...words], root).stdout.trim();
  git('init', '--quiet');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  const release = (words: string[], env: Record<string, string> = {}) =>
    run([process.execPath, '--no-env-file', join(root, 'scripts/release.ts'), ...words], root, env);
  const textOf = (name: string) => readFileSync(join(root, name), 'utf8');
  return { root, git, release, textOf };
}

describe('scripts/release VERSION', () => {
  test('--dry-run says what would be done and changes nothing', () => {
    const at = repository();
    const { status, stdout } = at.release(['0.2.0', '--dry-run']);
    expect(status).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(3);
    expect(stdout).toContain('would commit and tag v0.2.0');
    expect([at.git('status', '--porcelain'), at.git('tag'), at.git('rev-list', '--count', 'HEAD')]).toEqual([
      '',
      '',
      '1',
    ]);
  });

  test('sets the version, closes the changelog, commits and tags', () => {
    const at = repository();
    expect(at.release(['0.2.0'])).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(at.textOf('package.json'))).toEqual({ name: 'agent', version: '0.2.0' });
    expect(readSection(at.textOf('CHANGELOG.md'), '0.2.0')).toContain('Tides');
    expect([at.git('status', '--porcelain'), at.git('tag', '--points-at', 'HEAD')]).toEqual(['', 'v0.2.0']);
    // A second one has nothing to say.
    expect(at.release(['0.3.0']).stderr).toContain('says nothing under [Unreleased]');
    expect(at.release(['0.2.0']).stderr).toBe('The tag v0.2.0 exists.\n');
  });

  test.each([
    ['a version that goes back', ['0.0.9'], /^0\.0\.9 is before 0\.1\.0/],
    ['what is no version', ['next'], /^"next" is no version/],
    ['an unknown option', ['--dryrun'], /^Unknown option '--dryrun'/],
    ['archives without a tag', ['--archives'], /^HEAD is not tagged v0\.1\.0/],
  ])('refuses %s', (_what, words, stderr) => {
    const at = repository();
    const result = at.release(words);
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(stderr);
    expect([at.git('tag'), at.git('rev-list', '--count', 'HEAD')]).toEqual(['', '1']);
  });

  test('refuses a tree with changes, files that git does not know included', () => {
    const at = repository();
    writeFileSync(join(at.root, 'new.txt'), '');
    for (const words of [['0.2.0'], ['--archives'], ['0.2.0', '--dry-run']]) {
      const { status, stderr } = at.release(words);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^The tree is not clean.*\n.*new\.txt/);
    }
    expect(at.git('tag')).toBe('');
  });

  test('archives are not made without the key, and the sentence says which', () => {
    const at = repository();
    at.release(['0.2.0']);
    const { status, stderr } = at.release(['--archives']);
    expect(status).toBe(1);
    expect(stderr).toStartWith('RELEASE_SIGNING_KEY is not set');
    const dry = at.release(['--archives', '--dry-run'], { RELEASE_SIGNING_KEY: 'a key' });
    expect(dry).toMatchObject({ status: 0, stderr: '' });
    expect(at.git('status', '--porcelain', '--ignored')).not.toContain('dist');
  });
});

describe.skipIf(!Bun.which('ssh-keygen') || process.platform !== 'linux')('archives', () => {
  const dist = join(folder, 'dist');
  const key = join(folder, 'key');
  const options = (release: string) => ({
    dist,
    release: join(folder, release),
    documents: [join(ROOT, 'LICENSE'), join(ROOT, 'scripts/install.sh')],
    version: '1.2.3',
    timestamp: 1_790_000_000,
    // As a secret of a CI system: its last line break is gone.
    signingKey: readFileSync(key, 'utf8').trim(),
  });
  const made = (async () => {
    mkdirSync(dist);
    for (const name of ['agent-linux-x64', 'agent-darwin-arm64', 'agent-windows-x64.exe', 'agent'])
      writeFileSync(join(dist, name), `I am ${name}.`);
    writeFileSync(join(dist, 'agent.cdx.json'), '{}');
    run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key], folder);
    return writeArchives(options('release'));
  })();
  const at = (name: string) => join(folder, 'release', name);

  test('hold one folder with the executable and the documents, for every platform', async () => {
    const { files } = await made;
    expect(files).toEqual([
      'agent-1.2.3-darwin-arm64.tar.gz',
      'agent-1.2.3-linux-x64.tar.gz',
      'agent-1.2.3-windows-x64.zip',
      'agent-1.2.3.cdx.json',
      'SHA256SUMS',
      'SHA256SUMS.sig',
    ]);
    const list = run(['tar', '-tvzf', at('agent-1.2.3-linux-x64.tar.gz')], folder).stdout;
    expect(list).toMatch(/^-rwxr-xr-x 0\/0 .* agent-1\.2\.3-linux-x64\/agent$/m);
    expect(list).toMatch(/^-rw-r--r-- 0\/0 .* agent-1\.2\.3-linux-x64\/LICENSE$/m);
    run(['tar', '-xzf', at('agent-1.2.3-linux-x64.tar.gz')], folder);
    expect(readFileSync(join(folder, 'agent-1.2.3-linux-x64/agent'), 'utf8')).toBe('I am agent-linux-x64.');
    expect(readFileSync(at('agent-1.2.3-windows-x64.zip')).toString('latin1')).toContain(
      'agent-1.2.3-windows-x64/agent.exe',
    );
  });

  test('are the same for the same sources', async () => {
    await made;
    await writeArchives(options('again'));
    const sums = (name: string) => readFileSync(join(folder, name, 'SHA256SUMS'), 'utf8');
    expect(sums('again')).toBe(sums('release'));
  });

  test('are checked as the release notes say, and a changed file or list is found', async () => {
    const { publicKey } = await made;
    const copy = join(folder, 'download');
    cpSync(join(folder, 'release'), copy, { recursive: true });
    writeFileSync(join(copy, 'signers'), `agent ${publicKey}\n`);
    const verify = () =>
      run(
        ['ssh-keygen', '-Y', 'verify', '-f', 'signers', '-I', 'agent', '-n', NAMESPACE, '-s', 'SHA256SUMS.sig'],
        copy,
        {},
        readFileSync(join(copy, 'SHA256SUMS'), 'utf8'),
      ).status;
    const check = () => run(['sha256sum', '--check', '--ignore-missing', 'SHA256SUMS'], copy).status;
    expect([verify(), check()]).toEqual([0, 0]);
    writeFileSync(join(copy, 'agent-1.2.3-linux-x64.tar.gz'), 'evil');
    expect(check()).toBe(1);
    writeFileSync(join(copy, 'SHA256SUMS'), 'evil');
    expect(verify()).not.toBe(0);
  });

  test('a key that is none is refused without being shown', async () => {
    await made;
    const failure = await writeArchives({ ...options('bad'), signingKey: 'hush-hush' }).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(String(failure)).not.toContain('hush-hush');
  });
});

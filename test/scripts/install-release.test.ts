import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAMESPACE, writeArchives } from '../../scripts/release-archives.ts';

const SCRIPT = join(import.meta.dir, '../../scripts/install.sh');
const ARCHIVE = 'agent-1.2.3-linux-x64.tar.gz';
const folder = mkdtempSync(join(tmpdir(), 'install-release-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(words: string[], env: Record<string, string> = {}) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(words, {
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
    stdin: 'ignore',
  });
  return { status: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** A key pair; the line of its public key is what a user has. */
function makeKey(name: string): { privateKey: string; signers: string } {
  const path = join(folder, name);
  run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', path]);
  const [type, key] = readFileSync(`${path}.pub`, 'utf8').split(' ');
  writeFileSync(`${path}.signers`, `agent ${type} ${key}\n`);
  return { privateKey: readFileSync(path, 'utf8'), signers: `${path}.signers` };
}

describe.skipIf(!Bun.which('ssh-keygen') || process.platform !== 'linux')('scripts/install.sh --release', () => {
  const key = makeKey('key');
  const other = makeKey('other');
  const released = (async () => {
    const dist = join(folder, 'dist');
    mkdirSync(dist);
    writeFileSync(join(dist, 'agent-linux-x64'), '#!/bin/sh\necho released\n');
    writeFileSync(join(dist, 'agent.cdx.json'), '{}');
    await writeArchives({
      dist,
      release: join(folder, 'release'),
      documents: [SCRIPT],
      version: '1.2.3',
      timestamp: 1_790_000_000,
      signingKey: key.privateKey,
    });
  })();
  /** A fresh download, and an empty machine. */
  let download = '';
  let root = '';
  beforeEach(async () => {
    await released;
    const work = mkdtempSync(join(folder, 'case-'));
    download = join(work, 'download');
    root = join(work, 'root');
    cpSync(join(folder, 'release'), download, { recursive: true });
  });
  const at = (name: string) => join(download, name);
  const installed = () => join(root, 'usr/local/bin/agent');
  const install = (words: string[] = [], env: Record<string, string> = {}, archive = ARCHIVE) =>
    run(['sh', SCRIPT, '--root', root, '--release', at(archive), ...words], env);
  /** Signs SHA256SUMS again, as somebody with another key or for another purpose would. */
  const sign = (privateKey: string, namespace = NAMESPACE) => {
    const path = join(download, 'key');
    writeFileSync(path, privateKey, { mode: 0o600 });
    rmSync(at('SHA256SUMS.sig'), { force: true });
    run(['ssh-keygen', '-q', '-Y', 'sign', '-f', path, '-n', namespace, at('SHA256SUMS')]);
  };
  const sumOf = (path: string) => new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex');

  test('installs what was released, and keeps its key for the next time', () => {
    const first = install(['--signers', key.signers]);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout).toStartWith(`${ARCHIVE}: signature and checksum are right.\n`);
    expect(readFileSync(installed(), 'utf8')).toContain('echo released');
    expect(readFileSync(join(root, 'etc/systemd/system/agent.service'), 'utf8')).toContain(
      'ExecStart=/usr/local/bin/agent serve\n',
    );
    const second = install();
    expect(second).toMatchObject({ status: 0, stderr: '' });
    expect(second.stdout.match(/is up to date/g)).toHaveLength(2);
  });

  test('installs an executable that the sums name', () => {
    writeFileSync(at('agent-linux-x64'), '#!/bin/sh\necho bare\n');
    writeFileSync(at('SHA256SUMS'), `${sumOf(at('agent-linux-x64'))}  agent-linux-x64\n`);
    sign(key.privateKey);
    expect(install(['--signers', key.signers], {}, 'agent-linux-x64').status).toBe(0);
    expect(readFileSync(installed(), 'utf8')).toContain('echo bare');
  });

  test('--dry-run checks and changes nothing', () => {
    const { status, stdout } = install(['--signers', key.signers, '--dry-run']);
    expect(status).toBe(0);
    expect(stdout).toContain('signature and checksum are right');
    expect(existsSync(root)).toBe(false);
  });

  const hostile: [what: string, prepare: () => unknown, words: string[], says: RegExp][] = [
    [
      'an archive that was changed',
      () => writeFileSync(at(ARCHIVE), 'evil'),
      ['--signers', key.signers],
      /is not the file that was released: its SHA-256 is [0-9a-f]{64}, and should be [0-9a-f]{64}\. Nothing was installed\.$/,
    ],
    [
      'an archive that was changed together with its sum',
      () => {
        writeFileSync(at(ARCHIVE), 'evil');
        writeFileSync(at('SHA256SUMS'), `${sumOf(at(ARCHIVE))}  ${ARCHIVE}\n`);
      },
      ['--signers', key.signers],
      /^The signature of SHA256SUMS is not one of the key given/,
    ],
    ['sums that somebody else signed', () => sign(other.privateKey), ['--signers', key.signers], /^The signature of/],
    ['another key', () => {}, ['--signers', other.signers], /^The signature of/],
    [
      'a signature that was made for something else',
      () => sign(key.privateKey, 'file'),
      ['--signers', key.signers],
      /^The signature of/,
    ],
    [
      'an archive without a signature',
      () => rmSync(at('SHA256SUMS.sig')),
      ['--signers', key.signers],
      /^SHA256SUMS\.sig, the signature, is missing beside .*: download it too, and install nothing that has none\.$/,
    ],
    ['an empty signature', () => writeFileSync(at('SHA256SUMS.sig'), ''), ['--signers', key.signers], /^The signature/],
    [
      'an archive without sums',
      () => rmSync(at('SHA256SUMS')),
      ['--signers', key.signers],
      /^SHA256SUMS is missing beside /,
    ],
    [
      'an archive that the sums do not name',
      () => {
        writeFileSync(at('SHA256SUMS'), `${'0'.repeat(64)}  other.tar.gz\n${'0'.repeat(64)}  x${ARCHIVE}\n`);
        sign(key.privateKey);
      },
      ['--signers', key.signers],
      /^SHA256SUMS does not name agent-1\.2\.3-linux-x64\.tar\.gz\. Nothing was installed\.$/,
    ],
    ['no key', () => {}, [], /^There is no key to check the signature with: give the public key/],
    ['a key that is not there', () => {}, ['--signers', '/nonexistent/key'], /^\/nonexistent\/key is missing/],
    ['no archive', () => rmSync(at(ARCHIVE)), ['--signers', key.signers], /tar\.gz is missing\.$/],
    [
      'another key than that of the last installation',
      () => install(['--signers', key.signers, '--no-service']) && rmSync(installed()),
      ['--signers', other.signers],
      /is another key than the one of the last installation/,
    ],
    [
      'a release with another key than that of the last installation',
      () => {
        install(['--signers', key.signers, '--no-service']);
        rmSync(installed());
        sign(other.privateKey);
      },
      [],
      /^The signature of SHA256SUMS is not one of the key given/,
    ],
    ['a release and a binary', () => {}, ['--binary', '/bin/true'], /^Name a release or a binary, not both\.$/],
  ];
  test.each(hostile)('refuses %s', (_what, prepare, words, says) => {
    prepare();
    const { status, stdout, stderr } = install(words);
    expect(status).toBe(1);
    expect(stderr.trim()).toMatch(says);
    expect(stdout).toBe('');
    expect(existsSync(installed())).toBe(false);
  });

  test('says what is missing where there is no ssh-keygen', () => {
    const bin = join(download, 'bin');
    mkdirSync(bin);
    for (const name of ['sh', 'dirname', 'basename', 'mktemp', 'rm', 'cp', 'id'])
      symlinkSync(Bun.which(name)!, join(bin, name));
    const { status, stderr } = install(['--signers', key.signers], { PATH: bin });
    expect([status, stderr]).toEqual([
      1,
      'ssh-keygen is missing, which checks the signature: install openssh-client.\n',
    ]);
  });

  test('leaves nothing behind in the temporary folder', () => {
    const tmp = join(download, 'tmp');
    mkdirSync(tmp);
    install(['--signers', key.signers], { TMPDIR: tmp });
    writeFileSync(at(ARCHIVE), 'evil');
    install([], { TMPDIR: tmp });
    expect([...new Bun.Glob('**').scanSync({ cwd: tmp, onlyFiles: false })]).toEqual([]);
  });

  test('run from an unpacked archive it asks for the archive, which alone can be checked', () => {
    run(['tar', '-xzf', at(ARCHIVE), '-C', download]);
    const unpacked = join(download, ARCHIVE.replace('.tar.gz', ''));
    chmodSync(join(unpacked, 'install.sh'), 0o755);
    const refusal = run([join(unpacked, 'install.sh'), '--root', root]);
    expect([refusal.status, refusal.stderr]).toEqual([
      1,
      `Name the archive this was unpacked from, so that it can be checked: --release ${ARCHIVE}\n`,
    ]);
    const words = ['--root', root, '--release', at(ARCHIVE), '--signers', key.signers];
    expect(run([join(unpacked, 'install.sh'), ...words]).status).toBe(0);
  });
});

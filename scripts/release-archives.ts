import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';

/** Signatures of releases are good for nothing else (ssh-keygen(1), `-n`). */
export const NAMESPACE = 'agent-release';
const SUMS = 'SHA256SUMS';

export interface ArchiveOptions {
  /** Holds the executables (`agent-linux-x64`, `agent-windows-x64.exe`) and the bill of materials. */
  dist: string;
  /** Emptied and filled. */
  release: string;
  /** Files that go into every archive. */
  documents: readonly string[];
  version: string;
  /** Time of every file in an archive, seconds; the same sources then give the same archive. */
  timestamp: number;
  /** The private key, as ssh-keygen writes it. */
  signingKey: string;
}

/** Packs every executable, writes the checksums and signs them; returns the names of the files and the public key. */
export async function writeArchives(options: ArchiveOptions): Promise<{ files: string[]; publicKey: string }> {
  const { dist, release, version } = options;
  rmSync(release, { recursive: true, force: true });
  mkdirSync(release, { recursive: true });
  const binaries = readdirSync(dist).filter((name) => /^agent-[a-z]+-[a-z0-9-]+(\.exe)?$/.test(name));
  if (binaries.length === 0) throw new Error(`There are no executables in ${dist}.`);
  for (const binary of binaries.sort()) await pack(binary, options);
  copyFileSync(join(dist, 'agent.cdx.json'), join(release, `agent-${version}.cdx.json`));
  const files = readdirSync(release).sort();
  const sums = await Promise.all(files.map(async (name) => `${await sha256(join(release, name))}  ${name}\n`));
  writeFileSync(join(release, SUMS), sums.join(''));
  const publicKey = sign(join(release, SUMS), options.signingKey);
  return { files: [...files, SUMS, `${SUMS}.sig`], publicKey };
}

/** One archive with one folder; Windows unpacks zip. */
async function pack(binary: string, { dist, release, documents, version, timestamp }: ArchiveOptions): Promise<void> {
  const isWindows = binary.endsWith('.exe');
  const name = `agent-${version}-${binary.replace(/^agent-|\.exe$/g, '')}`;
  const files = [
    [isWindows ? 'agent.exe' : 'agent', join(dist, binary)],
    ...documents.map((path) => [baseName(path), path]),
  ];
  if (isWindows) {
    const entries: Parameters<typeof zipSync>[0] = {};
    for (const [file, path] of files as [string, string][])
      entries[`${name}/${file}`] = [await Bun.file(path).bytes(), { mtime: new Date(timestamp * 1000) }];
    return void (await Bun.write(join(release, `${name}.zip`), zipSync(entries)));
  }
  const work = mkdtempSync(join(tmpdir(), 'agent-release-'));
  try {
    mkdirSync(join(work, name));
    for (const [file, path] of files as [string, string][]) {
      copyFileSync(path, join(work, name, file));
      chmodSync(join(work, name, file), file === 'agent' || file.endsWith('.sh') ? 0o755 : 0o644);
    }
    const owner = ['--sort=name', `--mtime=@${timestamp}`, '--owner=0', '--group=0', '--numeric-owner'];
    const tar = join(work, `${name}.tar`);
    command(['tar', ...owner, '-C', work, '-cf', tar, name]);
    await Bun.write(join(release, `${name}.tar.gz`), Bun.gzipSync(await Bun.file(tar).bytes()));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Signs the file and checks the signature as a user would; returns the public key. */
function sign(path: string, signingKey: string): string {
  const work = mkdtempSync(join(tmpdir(), 'agent-release-'));
  try {
    const key = join(work, 'key');
    // OpenSSH wants a key to end with a line break, which secrets of CI systems lose.
    writeFileSync(key, `${signingKey.trim()}\n`, { mode: 0o600 });
    // A key with a passphrase would ask: `-P ''` refuses it instead.
    const publicKey = command(['ssh-keygen', '-y', '-P', '', '-f', key]).trim().split(' ').slice(0, 2).join(' ');
    command(['ssh-keygen', '-Y', 'sign', '-f', key, '-n', NAMESPACE, path]);
    const signers = join(work, 'signers');
    writeFileSync(signers, `agent ${publicKey}\n`);
    const verify = ['ssh-keygen', '-Y', 'verify', '-f', signers, '-I', 'agent', '-n', NAMESPACE, '-s', `${path}.sig`];
    command(verify, Bun.file(path));
    return publicKey;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function command(words: string[], stdin?: Blob): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(words, {
    stdin: stdin ?? 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  // The words may name files, never a key.
  if (exitCode !== 0) throw new Error(`${words.slice(0, 3).join(' ')} failed: ${stderr.toString().trim()}`);
  return stdout.toString();
}

async function sha256(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk);
  return hash.digest('hex');
}

function baseName(path: string): string {
  return path.split('/').at(-1) as string;
}

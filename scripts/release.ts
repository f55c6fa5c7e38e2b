#!/usr/bin/env bun
// The work of scripts/release, which says how it is used.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { closeSection, readSection } from './changelog.ts';
import { NAMESPACE, writeArchives } from './release-archives.ts';

const ROOT = join(import.meta.dir, '..');
const USAGE = 'Usage: scripts/release VERSION [--dry-run]\n       scripts/release --archives [--dry-run]';

/** What stops a release; printed as one line. */
class Refusal extends Error {}

function git(...words: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', '-C', ROOT, ...words]);
  if (exitCode !== 0) throw new Refusal(`git ${words[0]} failed: ${stderr.toString().trim()}`);
  return stdout.toString().trim();
}

function refuseChanges(): void {
  const changes = git('status', '--porcelain');
  if (changes !== '') throw new Refusal(`The tree is not clean; commit or stash first:\n${changes}`);
}

/** Version, changelog, commit and tag. */
async function prepare(version: string, dryRun: boolean): Promise<void> {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) throw new Refusal(`"${version}" is no version; write 1.2.3.`);
  refuseChanges();
  const manifest = await Bun.file(join(ROOT, 'package.json')).text();
  const changelog = await Bun.file(join(ROOT, 'CHANGELOG.md')).text();
  const present: string = JSON.parse(manifest).version;
  const tags = git('tag', '--list', 'v*').split('\n').filter(Boolean);
  if (tags.includes(`v${version}`)) throw new Refusal(`The tag v${version} exists.`);
  if (Bun.semver.order(version, present) < 0) throw new Refusal(`${version} is before ${present} of package.json.`);
  if (!readSection(changelog, 'Unreleased'))
    throw new Refusal('CHANGELOG.md says nothing under [Unreleased]: what does a user get?');
  const date = new Date().toISOString().slice(0, 10);
  const say = (text: string) => console.log(`${dryRun ? 'would ' : ''}${text}`);
  say(`set the version ${version} (package.json has ${present})`);
  say(`close [Unreleased] of CHANGELOG.md as [${version}] - ${date}`);
  say(`commit and tag v${version}`);
  if (dryRun) return;
  await Bun.write(join(ROOT, 'package.json'), manifest.replace(/("version": )"[^"]+"/, `$1"${version}"`));
  await Bun.write(join(ROOT, 'CHANGELOG.md'), closeSection(changelog, version, date));
  git('commit', '--quiet', '--message', `Release ${version}`, '--', 'package.json', 'CHANGELOG.md');
  git('tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
  console.log(`Look at it (git show v${version}), then publish it: git push --follow-tags`);
}

/** What a release hands out, from the tag that is checked out. */
async function archives(dryRun: boolean): Promise<void> {
  refuseChanges();
  const { version } = await Bun.file(join(ROOT, 'package.json')).json();
  const tags = git('tag', '--points-at', 'HEAD').split('\n');
  if (!tags.includes(`v${version}`))
    throw new Refusal(`HEAD is not tagged v${version}: run scripts/release ${version} first.`);
  const changes = readSection(await Bun.file(join(ROOT, 'CHANGELOG.md')).text(), version);
  if (!changes) throw new Refusal(`CHANGELOG.md has no section [${version}].`);
  const signingKey = process.env['RELEASE_SIGNING_KEY'];
  if (!signingKey?.trim())
    throw new Refusal(
      `RELEASE_SIGNING_KEY is not set: it is the private key (ssh-keygen -t ed25519 -N "") that releases are signed with.`,
    );
  const dist = join(ROOT, 'dist');
  const release = join(dist, 'release');
  if (dryRun) return console.log(`would build every platform and write ${release}/* and ${dist}/release-notes.md`);
  rmSync(dist, { recursive: true, force: true });
  // Programs that the build starts must not see the key.
  const { RELEASE_SIGNING_KEY: _, ...env } = process.env;
  const build = Bun.spawnSync([process.execPath, '--no-env-file', join(ROOT, 'scripts/build.ts'), '--all'], {
    cwd: ROOT,
    env,
    stdout: 'inherit',
    stderr: 'inherit',
  });
  if (build.exitCode !== 0) throw new Refusal('The build failed.');
  const { files, publicKey } = await writeArchives({
    dist,
    release,
    documents: ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'scripts/install.sh'].map((name) =>
      join(ROOT, name),
    ),
    version,
    timestamp: Number(git('log', '-1', '--format=%ct')),
    signingKey,
  });
  await Bun.write(join(dist, 'release-notes.md'), notes(changes, publicKey));
  console.log(files.join('\n'));
}

function notes(changes: string, publicKey: string): string {
  return `${changes}

### Check what you downloaded
\`\`\`sh
sha256sum --check --ignore-missing SHA256SUMS
echo 'agent ${publicKey}' >signers   # compare the key with the one of an earlier release
ssh-keygen -Y verify -f signers -I agent -n ${NAMESPACE} -s SHA256SUMS.sig <SHA256SUMS
\`\`\`
`;
}

try {
  const { values, positionals } = parseArgs({
    args: Bun.argv.slice(2),
    options: { archives: { type: 'boolean' }, 'dry-run': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  const [version] = positionals;
  const isOne = values.archives ? positionals.length === 0 : positionals.length === 1;
  if (values.help || !isOne) {
    console.log(USAGE);
    process.exit(values.help ? 0 : 2);
  }
  if (version === undefined) await archives(values['dry-run'] ?? false);
  else await prepare(version, values['dry-run'] ?? false);
} catch (error) {
  const isOurs = error instanceof Refusal || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  console.error(isOurs ? (error as Error).message : error);
  process.exit(1);
}

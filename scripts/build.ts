#!/usr/bin/env bun
// Compiles the agent into one file. Run it after a change that a user of the binary should get:
//   bun scripts/build.ts          dist/agent for this machine, started once to see that it works
//   bun scripts/build.ts --all    every platform, with dist/SHA256SUMS and dist/agent.cdx.json (what is inside)
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryPoints } from './entry-points.ts';
import { createSbom } from './sbom.ts';

const ROOT = join(import.meta.dir, '..');
const DIST = join(ROOT, 'dist');
/** Software bill of materials, CycloneDX. */
const SBOM = 'agent.cdx.json';
const TARGETS = [
  'linux-x64',
  'linux-x64-baseline',
  'linux-x64-musl',
  'linux-x64-musl-baseline',
  'linux-arm64',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'windows-x64',
] as const;

/** What `agent version` names; undefined where there is no repository. */
const COMMIT = commitOf(ROOT);

function commitOf(root: string): string | undefined {
  const git = (...words: string[]) => Bun.spawnSync(['git', '-C', root, ...words], { stderr: 'ignore' });
  if (!Bun.which('git')) return undefined;
  const head = git('rev-parse', '--short=12', 'HEAD');
  if (head.exitCode !== 0) return undefined;
  const isDirty = git('status', '--porcelain').stdout.toString() !== '';
  return `${head.stdout.toString().trim()}${isDirty ? '-dirty' : ''}`;
}

/** Compiles one executable; `target` is left out for this machine. */
async function compile(outfile: string, target?: (typeof TARGETS)[number]): Promise<void> {
  const result = await Bun.build({
    entrypoints: entryPoints(ROOT),
    root: ROOT,
    target: 'bun',
    format: 'esm',
    bytecode: true,
    sourcemap: 'linked',
    // Without it every lazily imported library is loaded at start: 20 ms instead of 9 to the first line of main.
    splitting: true,
    // Elysia reads its handlers' source text: minified ones crash.
    minify: false,
    define: COMMIT ? { BUILD_COMMIT: JSON.stringify(COMMIT) } : {},
    compile: {
      outfile,
      ...(target ? { target: `bun-${target}` as Bun.Build.CompileTarget } : {}),
      // The working directory's files belong to somebody else.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    throw: false,
  });
  // The executable carries its source maps; the copies beside it are of no use.
  for (const map of new Bun.Glob('*.map').scanSync({ cwd: DIST })) rmSync(join(DIST, map), { force: true });
  if (!result.success) throw new Error(`${target ?? 'this machine'}: ${result.logs.map(String).join('\n')}`);
}

/** Starts the executable: it must know its version, and its server must answer and stop. */
async function tryOut(binary: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'agent-build-'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, AGENT_HOME: home };
  try {
    const version = Bun.spawnSync([binary, '--version'], { cwd: home, env });
    const text = version.stdout.toString().trim();
    if (version.exitCode !== 0 || !/^\d+\.\d+\.\d+/.test(text))
      throw new Error(`${binary} --version failed: ${version.stderr}`);
    const port = freePort();
    const server = Bun.spawn([binary, 'serve', '--port', String(port)], {
      cwd: home,
      env,
      stdout: 'ignore',
      stderr: 'pipe',
    });
    try {
      await answersHealth(port, server);
      server.kill('SIGTERM');
      const status = await server.exited;
      if (status !== 0) throw new Error(`serve ended with status ${status} after SIGTERM`);
    } finally {
      server.kill('SIGKILL');
    }
    console.log(`${binary} ${text}: starts, answers /health and stops`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

async function answersHealth(port: number, server: Bun.Subprocess<'ignore', 'ignore', 'pipe'>): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (server.exitCode !== null) throw new Error(`serve ended: ${await new Response(server.stderr).text()}`);
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    if (answer?.ok) return;
    await Bun.sleep(50);
  }
  throw new Error('serve did not answer /health within 10 s');
}

async function sha256(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk);
  return hash.digest('hex');
}

mkdirSync(DIST, { recursive: true });
if (Bun.argv.includes('--all')) {
  const sums: string[] = [];
  for (const target of TARGETS) {
    const name = `agent-${target}${target.startsWith('windows') ? '.exe' : ''}`;
    await compile(join(DIST, name), target);
    sums.push(`${await sha256(join(DIST, name))}  ${name}`);
    console.log(sums.at(-1));
  }
  await Bun.write(join(DIST, SBOM), await createSbom(ROOT));
  sums.push(`${await sha256(join(DIST, SBOM))}  ${SBOM}`);
  await Bun.write(join(DIST, 'SHA256SUMS'), `${sums.join('\n')}\n`);
}
const binary = join(DIST, process.platform === 'win32' ? 'agent.exe' : 'agent');
await compile(binary);
chmodSync(binary, 0o755);
await tryOut(binary);

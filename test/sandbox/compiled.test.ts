import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');

test('the sandbox runs inside a compiled binary, away from the sources', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-sandbox-'));
  try {
    const built = await Bun.build({
      entrypoints: [join(import.meta.dir, 'compiled-main.ts'), join(ROOT, 'src/sandbox/quickjs.worker.ts')],
      root: ROOT,
      target: 'bun',
      format: 'esm',
      bytecode: true,
      splitting: true,
      compile: { outfile: join(folder, 'sandbox'), autoloadDotenv: false, autoloadBunfig: false },
    });
    expect(built.success).toBe(true);
    const run = Bun.spawn([join(folder, 'sandbox'), 'let a = 20; a + 1', 'await Promise.resolve(a * 2)', 'fetch'], {
      cwd: folder,
      env: {},
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [stdout, stderr, status] = await Promise.all([
      new Response(run.stdout).text(),
      new Response(run.stderr).text(),
      run.exited,
    ]);
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual(['=> 21', '=> 40', expect.stringContaining('no network')]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);

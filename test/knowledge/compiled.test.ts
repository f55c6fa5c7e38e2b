import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDocx, makePdf, paragraph } from './make-documents.ts';

const ROOT = join(import.meta.dir, '../..');

test('reads, indexes and searches inside a compiled binary, away from the sources', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-compiled-'));
  try {
    const workers = [...new Bun.Glob('src/knowledge/*.worker.ts').scanSync(ROOT)].map((path) => join(ROOT, path));
    const built = await Bun.build({
      entrypoints: [join(import.meta.dir, 'compiled-main.ts'), ...workers],
      root: ROOT,
      target: 'bun',
      format: 'esm',
      bytecode: true,
      compile: { outfile: join(folder, 'knowledge'), autoloadDotenv: false, autoloadBunfig: false },
    });
    expect(built.success).toBe(true);
    writeFileSync(join(folder, 'a.pdf'), makePdf([['Filler.'], ['The quokka sleeps.']]));
    writeFileSync(join(folder, 'b.docx'), makeDocx(paragraph('Tides', 'Heading1') + paragraph('High water at noon.')));
    writeFileSync(join(folder, 'c.html'), '<h1>Lamp</h1><p>Trimmed at dusk.</p>');
    const files = ['a.pdf', 'b.docx', 'c.html'].map((name) => join(folder, name));
    const run = Bun.spawn([join(folder, 'knowledge'), join(folder, 'home'), 'quokka noon dusk', ...files], {
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
    const found = JSON.parse(stdout) as { content: string; page?: number }[];
    expect(found.map((passage) => passage.content).sort()).toEqual([
      '# Lamp\n\nTrimmed at dusk.',
      '# Tides\n\nHigh water at noon.',
      'The quokka sleeps.',
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);

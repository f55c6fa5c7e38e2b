import { join } from 'node:path';

/** What the binary is built from: a worker is started by its file name at run time, so every worker is an entry of its own. */
export function entryPoints(root: string): string[] {
  const workers = [...new Set(new Bun.Glob('src/**/*.worker.ts').scanSync({ cwd: root }))].sort();
  return ['src/main.ts', ...workers].map((path) => join(root, path));
}

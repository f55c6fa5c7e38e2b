import { expect, test } from 'bun:test';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');

test('bun.lock holds exact versions and no registry address, so that any mirror serves it', async () => {
  const lock = await Bun.file(join(ROOT, 'bun.lock')).text();
  expect(lock).not.toMatch(/https?:\/\//);
  const { dependencies, devDependencies } = await Bun.file(join(ROOT, 'package.json')).json();
  const versions = Object.values({ ...dependencies, ...devDependencies });
  expect(versions.length).toBeGreaterThan(0);
  for (const version of versions) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test('every dependency is used by the product, none is there for nothing', async () => {
  const { dependencies } = await Bun.file(join(ROOT, 'package.json')).json();
  const sources = await Promise.all(
    [...new Bun.Glob('src/**/*.ts').scanSync({ cwd: ROOT })].map((path) => Bun.file(join(ROOT, path)).text()),
  );
  const all = sources.join('\n');
  const unused = Object.keys(dependencies).filter((name) => !new RegExp(`['"]${name}['"/]`).test(all));
  expect(unused).toEqual([]);
});

test('the pinned Bun is one version everywhere', async () => {
  const { packageManager } = await Bun.file(join(ROOT, 'package.json')).json();
  const bootstrap = await Bun.file(join(ROOT, 'scripts/bootstrap')).text();
  expect(packageManager).toBe(`bun@${/^BUN_VERSION=(.+)$/m.exec(bootstrap)?.[1]}`);
});

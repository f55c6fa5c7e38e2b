import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveAsWorker, WORKERS } from '../../src/cli/serve-as-worker.ts';

const ROOT = join(import.meta.dir, '../..');

test('a binary can be every worker that is a process', () => {
  const sources = [...new Bun.Glob('src/**/*.ts').scanSync(ROOT)];
  const wanted = sources.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return [...text.matchAll(/kind: 'process',[^}]*\bpath: '([^']+)'/g)].map(([, name]) => name!);
  });
  expect(wanted.length).toBeGreaterThan(1);
  expect(Object.keys(WORKERS).sort()).toEqual([...new Set(wanted)].sort());
});

test.each([[['__worker', 'crawl/parse']], [['__worker']], [['serve']], [[]]])(
  '%j of a person starts no worker',
  async (words) => {
    expect(await serveAsWorker(words)).toBe(false);
  },
);

import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { CORRECTED, findProblems, isAllowed } from '../../scripts/check-licences.ts';
import { type LockedPackage, productionPackages } from '../../scripts/packages.ts';

const ROOT = join(import.meta.dir, '../..');
const packages = await productionPackages(ROOT);
const withOne = (name: string, license: string | undefined): LockedPackage[] => [
  ...packages,
  { key: name, name, version: '1.0.0', integrity: 'sha512-', license, dependencies: [] },
];

describe('an SPDX expression', () => {
  const rows: [expression: string, allowed: boolean][] = [
    ['MIT', true],
    ['Apache-2.0', true],
    ['(MIT OR GPL-3.0-or-later)', true],
    ['GPL-3.0-only OR MIT', true],
    ['(MIT AND Zlib)', true],
    ['MIT AND (BSD-3-Clause OR GPL-2.0-only)', true],
    ['MIT AND GPL-3.0-only', false],
    ['MIT OR ISC AND GPL-3.0-only', true],
    ['(MIT OR ISC) AND GPL-3.0-only', false],
    ['GPL-3.0-only', false],
    ['AGPL-3.0-or-later', false],
    ['LGPL-2.1-only', false],
    ['MPL-2.0', false],
    ['BUSL-1.1', false],
    ['UNLICENSED', false],
    ['SEE LICENSE IN LICENSE.md', false],
    ['BSD', false],
    ['mit', false],
    ['MIT MIT', false],
    ['MIT OR', false],
    ['(MIT', false],
    ['MIT)', false],
    ['Apache-2.0 WITH LLVM-exception', false],
    ['', false],
  ];
  test.each(rows)('%p: %p', (expression, allowed) => {
    expect(isAllowed(expression)).toBe(allowed);
  });
});

describe('the gate', () => {
  test('finds nothing in the dependencies as they are, development tools left out', () => {
    expect(findProblems(packages)).toEqual([]);
    const names = packages.map(({ name }) => name);
    expect(names).toContain('elysia');
    expect(names).toContain('zod');
    for (const tool of ['typescript', '@biomejs/biome', 'stripe', 'lightningcss']) expect(names).not.toContain(tool);
  });

  test.each([
    ['copyleft', 'GPL-3.0-only', 'evil@1.0.0: GPL-3.0-only'],
    ['unknown', 'Custom', 'evil@1.0.0: Custom'],
    ['missing', undefined, 'evil@1.0.0: no licence is stated, or it is not installed'],
  ])('names a package whose licence is %s', (_word, license, problem) => {
    expect(findProblems(withOne('evil', license))).toEqual([problem]);
  });

  test('names an exception that has outlived its package', () => {
    const id = Object.keys(CORRECTED)[0] as string;
    const left = packages.filter(({ name, version }) => `${name}@${version}` !== id);
    expect(findProblems(left)).toEqual([`${id} is corrected here but no dependency any more`]);
    expect(findProblems(packages.filter(({ name }) => name !== 'unpdf'))[0]).toStartWith('unpdf has carried parts');
  });

  test('two versions of a package are two packages, each with its own licence', () => {
    const versions = packages.filter(({ name }) => name === 'entities').map(({ version }) => version);
    expect(versions.length).toBeGreaterThan(1);
  });
});

#!/usr/bin/env bun
// Refuses packages whose licence is unknown or asks more than the product can promise. Run it after a change of the
// dependencies: bun scripts/check-licences.ts
import { join } from 'node:path';
import { CARRIED_PARTS, type LockedPackage, productionPackages } from './packages.ts';

/** SPDX ids of permissive licences: they ask for their notice, not for our source. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  'Zlib',
]);

/** What packages with a licence field that is no SPDX expression stand under, read in their licence file. */
export const CORRECTED: Record<string, string> = { 'duck@0.1.12': 'BSD-2-Clause' };

/** The SPDX expression of a package, corrected where its own field is none. */
export function licenceOf({ name, version, license }: LockedPackage): string | undefined {
  return CORRECTED[`${name}@${version}`] ?? license;
}

/**
 * True when an SPDX expression can be met with allowed licences only: every part of an AND, one part of an OR. What is
 * no expression of ids, AND, OR and brackets is not.
 */
export function isAllowed(expression: string): boolean {
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const term = (): boolean => {
    const word = words[at++];
    if (word !== '(') return word !== undefined && ALLOWED.has(word);
    const inside = either();
    return words[at++] === ')' && inside;
  };
  const both = (): boolean => {
    let met = term();
    while (words[at] === 'AND' && ++at) met = term() && met;
    return met;
  };
  const either = (): boolean => {
    let met = both();
    while (words[at] === 'OR' && ++at) met = both() || met;
    return met;
  };
  return either() && at === words.length;
}

/** One line per package or carried part that must not be there. */
export function findProblems(packages: readonly LockedPackage[]): string[] {
  const ids = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const names = new Set(packages.map(({ name }) => name));
  return [
    ...packages.flatMap((entry) => {
      const licence = licenceOf(entry);
      if (licence !== undefined && isAllowed(licence)) return [];
      return [`${entry.name}@${entry.version}: ${licence ?? 'no licence is stated, or it is not installed'}`];
    }),
    ...Object.entries(CARRIED_PARTS).flatMap(([name, parts]) =>
      parts
        .filter((part) => !isAllowed(part.license) && part.accepted === undefined)
        .map((part) => `${name} carries ${part.name}: ${part.license}`),
    ),
    // An exception outlives what it was made for only by mistake.
    ...Object.keys(CORRECTED)
      .filter((id) => !ids.has(id))
      .map((id) => `${id} is corrected here but no dependency any more`),
    ...Object.keys(CARRIED_PARTS)
      .filter((name) => !names.has(name))
      .map((name) => `${name} has carried parts in scripts/packages.ts but is no dependency any more`),
  ];
}

if (import.meta.main) {
  const packages = await productionPackages(join(import.meta.dir, '..'));
  const problems = findProblems(packages);
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exit(1);
  for (const [name, parts] of Object.entries(CARRIED_PARTS))
    for (const part of parts)
      if (part.accepted) console.log(`Accepted: ${part.name} (${part.license}) in ${name}: ${part.accepted}.`);
  console.log(`Licences hold: ${packages.length} packages.`);
}

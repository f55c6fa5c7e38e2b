#!/usr/bin/env bun
// Prints the software bill of materials of the binary (CycloneDX 1.6, JSON). `bun scripts/build.ts --all` puts it beside
// the release: bun scripts/sbom.ts >agent.cdx.json
import { join, relative, resolve } from 'node:path';
import { licenceOf } from './check-licences.ts';
import { entryPoints } from './entry-points.ts';
import { CARRIED_PARTS, folderOf, type LockedPackage, productionPackages } from './packages.ts';

/** A component of a CycloneDX bill (https://cyclonedx.org/docs/1.6/json/), as far as it is used here. */
interface Component {
  type: 'application' | 'library' | 'platform';
  'bom-ref': string;
  group?: string;
  name: string;
  version?: string;
  hashes?: { alg: 'SHA-512'; content: string }[];
  licenses: ({ license: { id: string } } | { expression: string })[];
  purl?: string;
  components?: Component[];
}

/**
 * The bill of what is inside the file: packages of which code is in the bundle, with the archives they came from, and the
 * runtime. The same sources give the same bytes.
 */
export async function createSbom(root: string): Promise<string> {
  const manifest = await Bun.file(join(root, 'package.json')).json();
  const bundled = await bundledPackages(root);
  const runtime = runtimeComponent(manifest.packageManager);
  const application: Component = {
    type: 'application',
    'bom-ref': `pkg:generic/${manifest.name}@${manifest.version}`,
    name: manifest.name,
    version: manifest.version,
    licenses: licencesOf(manifest.license),
    purl: `pkg:generic/${manifest.name}@${manifest.version}`,
  };
  const refs = new Map(bundled.map((entry) => [entry.key, refOf(entry)]));
  const refsOf = (keys: readonly string[]) => [...new Set(keys.flatMap((key) => refs.get(key) ?? []))].sort();
  const bill = {
    metadata: { lifecycles: [{ phase: 'build' }], component: application },
    components: [runtime, ...bundled.map(componentOf)],
    dependencies: [
      {
        ref: application['bom-ref'],
        dependsOn: [runtime['bom-ref'], ...refsOf(Object.keys(manifest.dependencies))].sort(),
      },
      ...bundled.map((entry) => ({ ref: refOf(entry), dependsOn: refsOf(entry.dependencies) })),
    ],
  };
  const serial = Bun.randomUUIDv5(JSON.stringify(bill), 'url');
  const head = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: `urn:uuid:${serial}`, version: 1 };
  return `${JSON.stringify({ ...head, ...bill }, null, 2)}\n`;
}

/** The packages with at least one file in the bundle, one entry for each version. */
async function bundledPackages(root: string): Promise<LockedPackage[]> {
  const { success, metafile, logs } = await Bun.build({
    entrypoints: entryPoints(root),
    root,
    target: 'bun',
    splitting: true,
    metafile: true,
    throw: false,
  });
  if (!success || !metafile) throw new Error(`The bundle cannot be made: ${logs.map(String).join('\n')}`);
  // The paths are those from the working directory.
  const files = Object.keys(metafile.inputs).map((path) => relative(root, resolve(path)));
  const packages = await productionPackages(root);
  const folders = new Set(files.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const known = new Set(packages.map(({ key }) => folderOf(key)));
  const unknown = [...folders].filter((folder) => !known.has(folder));
  if (unknown.length > 0)
    throw new Error(`The bundle holds what is no dependency of the product: ${unknown.join(', ')}`);
  const byRef = new Map(packages.filter(({ key }) => folders.has(folderOf(key))).map((entry) => [refOf(entry), entry]));
  return [...byRef].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

function componentOf(entry: LockedPackage): Component {
  const [, group, name = ''] = /^(?:(@[^/]+)\/)?(.+)$/.exec(entry.name) ?? [];
  const ref = refOf(entry);
  const parts = CARRIED_PARTS[entry.name];
  return {
    type: 'library',
    'bom-ref': ref,
    ...(group ? { group } : {}),
    name,
    version: entry.version,
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(entry.integrity.replace(/^sha512-/, ''), 'base64').toString('hex') },
    ],
    licenses: licencesOf(licenceOf(entry) ?? 'NOASSERTION'),
    purl: ref,
    ...(parts ? { components: parts.map((part) => partOf(ref, part.name, part.license)) } : {}),
  };
}

/** Bun is in the file; of what it is linked with, the engine has a licence of another kind. */
function runtimeComponent(packageManager: string): Component {
  const version = packageManager.replace(/^bun@/, '');
  const purl = `pkg:github/oven-sh/bun@bun-v${version}`;
  return {
    type: 'platform',
    'bom-ref': purl,
    name: 'bun',
    version,
    licenses: licencesOf('MIT'),
    purl,
    components: [partOf(purl, 'JavaScriptCore', 'LGPL-2.0-or-later')],
  };
}

function partOf(ref: string, name: string, license: string): Component {
  return { type: 'library', 'bom-ref': `${ref}#${name}`, name, licenses: licencesOf(license) };
}

function licencesOf(licence: string): Component['licenses'] {
  return /[\s(]/.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }];
}

/** The package URL (https://github.com/package-url/purl-spec): the scope's `@` is percent-encoded. */
function refOf({ name, version }: LockedPackage): string {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
}

if (import.meta.main) process.stdout.write(await createSbom(join(import.meta.dir, '..')));

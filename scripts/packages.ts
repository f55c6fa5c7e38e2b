import { join } from 'node:path';

/** A package that the product depends on, directly or not. */
export interface LockedPackage {
  /** Its place in the tree of packages: `express/cookie` is the `cookie` that only `express` sees. */
  key: string;
  name: string;
  version: string;
  /** Subresource integrity of its archive, `sha512-…`. */
  integrity: string;
  /** As its package.json states it; undefined when it states nothing readable. */
  license: string | undefined;
  /** Keys of the packages it depends on. */
  dependencies: string[];
}

/** Code of others that a package carries and its own licence field does not name. */
export interface CarriedPart {
  name: string;
  license: string;
  /** Why a licence outside the allow list is accepted. */
  accepted?: string;
}

/** By package name; found by reading what the packages are made of, since no field says it. */
export const CARRIED_PARTS: Record<string, CarriedPart[]> = {
  'wasm-media-encoders': [
    {
      name: 'LAME',
      license: 'LGPL-2.0-or-later',
      accepted:
        'a separate WebAssembly module; the sources and the build are public, so anybody can put another in its place',
    },
  ],
  unpdf: [{ name: 'pdf.js', license: 'Apache-2.0' }],
  '@jitl/quickjs-singlefile-mjs-release-sync': [{ name: 'QuickJS', license: 'MIT' }],
};

type LockEntry = [id: string, registry: string, info: Record<string, unknown>, integrity: string];

/** Everything below `dependencies` of package.json as bun.lock has it, sorted by key; needs the installed packages. */
export async function productionPackages(root: string): Promise<LockedPackage[]> {
  const lock = Bun.JSONC.parse(await Bun.file(join(root, 'bun.lock')).text()) as {
    workspaces: Record<string, { dependencies?: Record<string, string> }>;
    packages: Record<string, LockEntry>;
  };
  const found = new Map<string, LockedPackage>();
  const visit = async (key: string): Promise<void> => {
    if (found.has(key)) return;
    const [id, , info, integrity] = lock.packages[key] as LockEntry;
    const at = id.lastIndexOf('@');
    const entry: LockedPackage = {
      key,
      name: id.slice(0, at),
      version: id.slice(at + 1),
      integrity,
      license: await licenseOf(root, key, id.slice(at + 1)),
      dependencies: wantedNames(info).flatMap((name) => resolveKey(lock.packages, key, name) ?? []),
    };
    found.set(key, entry);
    for (const next of entry.dependencies) await visit(next);
  };
  for (const name of Object.keys(lock.workspaces['']?.dependencies ?? {})) await visit(name);
  return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** The folder of a package below the root: `a/@b/c` is `node_modules/a/node_modules/@b/c`. */
export function folderOf(key: string): string {
  return join('node_modules', segmentsOf(key).join('/node_modules/'));
}

/** Dependencies that are there in every installation; an optional peer is there only when somebody else wants it. */
function wantedNames(info: Record<string, unknown>): string[] {
  const optional = new Set((info['optionalPeers'] as string[] | undefined) ?? []);
  return ['dependencies', 'optionalDependencies', 'peerDependencies']
    .flatMap((kind) => Object.keys((info[kind] as object | undefined) ?? {}))
    .filter((name) => !optional.has(name))
    .sort();
}

/** Looks a name up from a package upwards, as Node.js does. */
function resolveKey(packages: Record<string, unknown>, from: string, name: string): string | undefined {
  const above = segmentsOf(from);
  for (let depth = above.length; depth >= 0; depth--) {
    const key = [...above.slice(0, depth), name].join('/');
    if (key in packages) return key;
  }
  return undefined;
}

function segmentsOf(key: string): string[] {
  return key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? [];
}

async function licenseOf(root: string, key: string, version: string): Promise<string | undefined> {
  const file = Bun.file(join(root, folderOf(key), 'package.json'));
  if (!(await file.exists())) return undefined;
  const manifest = (await file.json()) as { version?: unknown; license?: unknown };
  return manifest.version === version && typeof manifest.license === 'string' ? manifest.license : undefined;
}

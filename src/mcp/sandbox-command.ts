import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Bubblewrap, bindOrLink, SYSTEM_FOLDERS } from '../sandbox/bubblewrap.ts';
import type { SharedFolder } from './model.ts';
import { isWithin } from './shared-folders.ts';

/** What the sandbox of one server is built from. */
export interface SandboxPlan extends Bubblewrap {
  /** True when descriptor 3 has a seccomp program. */
  hasFilter: boolean;
  network: boolean;
  /** Agent home: never seen, whatever is shared. */
  home: string;
  cwd: string;
  /** In any order; a folder in another one may have other rights. */
  folders: SharedFolder[];
}

const TMP_BYTES = 256 * 1024 * 1024;
const SHM_BYTES = 64 * 1024 * 1024;
const MASK_BYTES = 4096;
/** What programs read to find names, hosts, certificates and fonts; private keys beside them stay out. */
const SYSTEM_FILES = [
  ...[
    '/etc/ld.so.cache',
    '/etc/ld.so.conf',
    '/etc/ld.so.conf.d',
    '/etc/alternatives',
    '/etc/localtime',
    '/etc/timezone',
  ],
  ...['/etc/passwd', '/etc/group', '/etc/os-release', '/etc/mime.types', '/etc/fonts', '/nix/store'],
  ...['/etc/resolv.conf', '/etc/hosts', '/etc/host.conf', '/etc/nsswitch.conf', '/etc/gai.conf', '/etc/services'],
  ...['/etc/protocols', '/etc/ssl/certs', '/etc/ssl/cert.pem', '/etc/ssl/openssl.cnf', '/etc/ca-certificates'],
  ...['/etc/pki/ca-trust', '/etc/pki/tls/certs', '/etc/pki/tls/cert.pem', '/etc/crypto-policies'],
];

/**
 * The command in front of a server: it sees the system's programs for reading, the folders it was given and nothing
 * else of the machine, no process but its own, and ends with us. Its environment is the one bwrap is started with, so
 * that no value stands on a command line.
 */
export function sandboxCommand(plan: SandboxPlan): string[] {
  const { bwrap, isRoot, namespaces, hasFilter, network } = plan;
  const mounts = mountsOf(plan);
  return [
    bwrap,
    ...['--unshare-pid', ...namespaces],
    ...(network ? [] : ['--unshare-net']),
    ...(isRoot ? ['--cap-drop', 'ALL'] : ['--unshare-user']),
    ...(hasFilter ? ['--seccomp', '3'] : []),
    ...['--die-with-parent', '--ro-bind', '/usr', '/usr'],
    ...SYSTEM_FOLDERS.flatMap(bindOrLink),
    ...SYSTEM_FILES.flatMap((path) => ['--ro-bind-try', path, path]),
    // The folder of the devices is a tmpfs without a limit.
    ...['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/dev', ...tmpfs(plan, '/dev/shm', SHM_BYTES)],
    ...mounts.flatMap(({ path, how }) => {
      if (how === 'tmp') return tmpfs(plan, path, TMP_BYTES);
      if (how === 'mask') return tmpfs(plan, path, MASK_BYTES);
      return [how === 'write' ? '--bind-try' : '--ro-bind-try', path, path];
    }),
    ...linksTo(plan, mounts).flatMap(({ at, to }) => ['--symlink', to, at]),
    ...['--remount-ro', '/', '--chdir', plan.cwd, '--'],
  ];
}

interface Mount {
  path: string;
  how: 'tmp' | 'mask' | 'read' | 'write';
}

/** At their real places, outer folders first, because a mount hides what was mounted below its place before. */
function mountsOf({ home, folders }: SandboxPlan): Mount[] {
  const real = folders.map(({ path, writable }) => ({ path: realPath(path), writable }));
  const mounts: Mount[] = [
    { path: '/tmp', how: 'tmp' },
    ...real.map(({ path, writable }): Mount => ({ path, how: writable ? 'write' : 'read' })),
    ...(real.some(({ path }) => isWithin(home, path)) ? [{ path: home, how: 'mask' as const }] : []),
  ];
  const depth = ({ path }: Mount) => path.split('/').filter(Boolean).length;
  return mounts.sort((a, b) => depth(a) - depth(b));
}

/** The links by which folders were named, where no mount brings them along. */
function linksTo({ folders }: SandboxPlan, mounts: readonly Mount[]): { at: string; to: string }[] {
  const links = new Map<string, string>();
  const visible = ['/usr', ...mounts.filter(({ how }) => how === 'read' || how === 'write').map(({ path }) => path)];
  for (const { path } of folders)
    for (const { at, to } of linksOn(path)) {
      const isThere = SYSTEM_FOLDERS.includes(at) || visible.some((folder) => isWithin(at, folder));
      if (!isThere) links.set(at, to);
    }
  return [...links].map(([at, to]) => ({ at, to }));
}

/** Every symbolic link on the way to a path. */
function linksOn(path: string): { at: string; to: string }[] {
  const links: { at: string; to: string }[] = [];
  let rest = path.split('/').filter(Boolean);
  let here = '/';
  // As many as the kernel follows (path_resolution(7)).
  while (rest.length > 0 && links.length < 40) {
    const next = join(here, rest[0] as string);
    rest = rest.slice(1);
    if (lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink()) {
      const to = resolve(dirname(next), readlinkSync(next));
      links.push({ at: next, to });
      rest = [...to.split('/').filter(Boolean), ...rest];
      here = '/';
    } else here = next;
  }
  return links;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function tmpfs({ canSize }: SandboxPlan, path: string, bytes: number): string[] {
  return [...(canSize ? ['--size', String(bytes)] : []), '--tmpfs', path];
}

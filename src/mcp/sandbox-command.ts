import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bindOrLink, SYSTEM_FOLDERS } from '../sandbox/bubblewrap.ts';
import type { SharedFolder } from './model.ts';
import { isWithin } from './shared-folders.ts';

/** What the sandbox of one server is built from. */
export interface SandboxPlan {
  /** Path of bwrap. */
  bwrap: string;
  /** True when this version can bound a tmpfs. */
  canSize: boolean;
  isRoot: boolean;
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
  const { bwrap, isRoot, hasFilter, network } = plan;
  return [
    bwrap,
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--hostname', 'sandbox'],
    ...(network ? [] : ['--unshare-net']),
    ...(isRoot ? ['--cap-drop', 'ALL'] : ['--unshare-user']),
    ...(hasFilter ? ['--seccomp', '3'] : []),
    ...['--die-with-parent', '--ro-bind', '/usr', '/usr'],
    ...SYSTEM_FOLDERS.flatMap(bindOrLink),
    ...SYSTEM_FILES.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--proc', '/proc', '--dev', '/dev', ...tmpfs(plan, '/dev/shm', SHM_BYTES)],
    ...mountsOf(plan).flatMap(({ path, how }) => {
      if (how === 'tmp') return tmpfs(plan, path, TMP_BYTES);
      if (how === 'mask') return tmpfs(plan, path, MASK_BYTES);
      return [how === 'write' ? '--bind-try' : '--ro-bind-try', path, path];
    }),
    ...['--remount-ro', '/', '--chdir', plan.cwd, '--'],
  ];
}

interface Mount {
  path: string;
  how: 'tmp' | 'mask' | 'read' | 'write';
}

/** Outer folders first, because a mount hides what was mounted below its place before. */
function mountsOf({ home, folders }: SandboxPlan): Mount[] {
  const mounts: Mount[] = [
    { path: '/tmp', how: 'tmp' },
    ...folders.map(({ path, writable }): Mount => ({ path, how: writable ? 'write' : 'read' })),
    ...folders.flatMap(({ path }) => maskIn(path, home)),
  ];
  const depth = ({ path }: Mount) => path.split('/').filter(Boolean).length;
  return mounts.sort((a, b) => depth(a) - depth(b));
}

/** Where the agent home would be seen through a shared folder, which may be a link. */
function maskIn(path: string, home: string): Mount[] {
  const real = realPath(path);
  return isWithin(home, real) ? [{ path: join(path, relative(real, home)), how: 'mask' }] : [];
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

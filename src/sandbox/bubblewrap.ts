import { lstatSync, readlinkSync } from 'node:fs';

/** The bubblewrap of this machine, and what this process may do with it. */
export interface Bubblewrap {
  /** Path of bwrap. */
  bwrap: string;
  /** True when this version can bound a tmpfs. */
  canSize: boolean;
  /** True when this process is root: the mounts are made with its rights, and the program gives them up. */
  isRoot: boolean;
  /** Words for namespaces beside those that a sandbox must have. */
  namespaces: readonly string[];
}

/** What the sandbox of a call is built from. */
export interface BubblewrapOptions extends Bubblewrap {
  /** True when descriptor 3 has a seccomp program. */
  hasFilter: boolean;
  /** Folders outside /usr that the interpreter needs: from where they are to where the code sees them. */
  binds: { from: string; to: string }[];
}

/** Where an interpreter from outside /usr is seen: its own path would tell of the home it may lie in. */
export const RELOCATED_PYTHON = '/opt/python';

/** A hardened service may not make these; the one of scripts/install.sh has its own for all it runs. */
const FURTHER_NAMESPACES = ['--unshare-ipc', '--unshare-uts', '--hostname', 'sandbox', '--unshare-cgroup-try'];
const LOOK_MS = 10_000;
const TMP_BYTES = 64 * 1024 * 1024;
const SHM_BYTES = 16 * 1024 * 1024;
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  LD_LIBRARY_PATH: `${RELOCATED_PYTHON}/lib`,
};
/** What programs need beside /usr; everything else of the machine does not exist for them. */
export const SYSTEM_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64'];
const SYSTEM_FILES = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime', '/nix/store'];

/** Finds out what a bubblewrap can do for us, by doing it. */
export async function lookAtBubblewrap(bwrap: string): Promise<Bubblewrap> {
  const isRoot = process.getuid?.() === 0;
  const run = async (words: string[]) => {
    const child = Bun.spawn([bwrap, ...words], { env: {}, stdio: ['ignore', 'pipe', 'ignore'], timeout: LOOK_MS });
    return { text: await new Response(child.stdout).text(), status: await child.exited };
  };
  const user = isRoot ? [] : ['--unshare-user'];
  const [help, trial] = await Promise.all([
    run(['--help']),
    run([...user, ...FURTHER_NAMESPACES, '--ro-bind', '/', '/', '--', bwrap, '--version']),
  ]);
  return {
    bwrap,
    canSize: help.text.includes('--size '),
    isRoot,
    namespaces: trial.status === 0 ? FURTHER_NAMESPACES : [],
  };
}

/**
 * The command that runs a program without network, with the system's programs read-only, a private /tmp, and neither
 * the home folders nor the configuration of the machine. Whatever it starts ends with it.
 */
export function bubblewrapCommand(options: BubblewrapOptions): string[] {
  const { bwrap, canSize, isRoot, namespaces, hasFilter, binds } = options;
  const tmpfs = (path: string, bytes: number) => [...(canSize ? ['--size', String(bytes)] : []), '--tmpfs', path];
  return [
    bwrap,
    ...['--unshare-pid', '--unshare-net', ...namespaces],
    ...(isRoot ? ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'] : ['--unshare-user']),
    ...(hasFilter ? ['--seccomp', '3'] : []),
    ...['--die-with-parent', '--new-session', '--clearenv'],
    ...Object.entries(ENVIRONMENT).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--ro-bind', '/usr', '/usr'],
    ...SYSTEM_FOLDERS.flatMap(bindOrLink),
    ...['--dir', '/etc'],
    ...SYSTEM_FILES.flatMap((path) => ['--ro-bind-try', path, path]),
    ...binds.flatMap(({ from, to }) => [...parentsOf(to), '--ro-bind', from, to]),
    ...['--proc', '/proc', '--dev', '/dev'],
    // Mapped by two processes it is memory that belongs to neither.
    ...['--dev-bind', '/dev/null', '/dev/zero'],
    // Its folder is a tmpfs without a limit, and writable for whoever owns the sandbox.
    ...['--remount-ro', '/dev'],
    ...tmpfs('/dev/shm', SHM_BYTES),
    ...tmpfs('/tmp', TMP_BYTES),
    ...['--chdir', '/tmp', '--remount-ro', '/', '--'],
  ];
}

/** On most systems these are links into /usr. */
export function bindOrLink(path: string): string[] {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? ['--symlink', readlinkSync(path), path] : ['--ro-bind-try', path, path];
}

/** Parents are made by name: those bubblewrap makes by itself are closed to the user the code runs as. */
function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(1, -1);
  return parts.flatMap((_, index) => ['--dir', `/${parts.slice(0, index + 1).join('/')}`]);
}

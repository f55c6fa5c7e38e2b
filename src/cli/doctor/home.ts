import { constants } from 'node:fs';
import { access, realpath, stat, statfs } from 'node:fs/promises';
import { isSharedFolder } from '../../config/home.ts';
import type { Check, Finding } from './check.ts';
import { findLoose, type LooseEntry } from './private-tree.ts';

const area = 'home';
const LOW_DISK_BYTES = 200 * 1024 * 1024;
/** Files and folders named one by one. */
const SHOWN = 10;

/** The agent home: there, ours, private with everything in it, with room left. */
export const checkHome: Check = async ({ home, fix = false }) => {
  const info = await stat(home).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!info) return [{ area, status: 'ok', message: `${home} does not exist yet; it is created on the first start.` }];
  if (!info.isDirectory())
    return [{ area, status: 'fail', message: `${home} is not a folder.`, advice: ['Move it away or set AGENT_HOME.'] }];
  const findings: Finding[] = [];
  if (!(await isWritable(home)))
    findings.push({
      area,
      status: 'fail',
      message: `${home} is not writable for this user.`,
      advice: [`chown -R "$(id -u)" ${home}`],
    });
  findings.push(...(await checkModes(home, info, fix)));
  const disk = await statfs(home);
  if (disk.bavail * disk.bsize < LOW_DISK_BYTES)
    findings.push({ area, status: 'warn', message: `Less than 200 MB are left on the disk of ${home}.` });
  const isFine = findings.every((finding) => finding.status === 'ok');
  return isFine ? [...findings, { area, status: 'ok', message: `${home} is private and writable.` }] : findings;
};

async function checkModes(home: string, info: { uid: number; gid: number; mode: number }, fix: boolean) {
  const uid = process.getuid?.();
  // Systems without users of this kind have no modes either.
  if (uid === undefined) return [];
  const path = await realpath(home);
  if (isSharedFolder(path) || info.mode & 0o1000)
    return [
      {
        area,
        status: 'warn' as const,
        message: `${home} is a folder that others use too.`,
        advice: ['Set AGENT_HOME to a folder of its own; "agent doctor --fix" closes nothing here.'],
      },
    ];
  // Root looks after the home of the user the service runs as.
  const owner = uid === 0 ? info : { uid, gid: process.getgid?.() ?? info.gid };
  const loose = findLoose(path, owner, fix);
  return [mended(loose), openToOthers(loose), ofStrangers(loose, home, owner, uid === 0)].filter(
    (finding) => finding !== undefined,
  );
}

function mended(loose: readonly LooseEntry[]): Finding | undefined {
  const done = loose.filter((entry) => entry.mended);
  if (done.length === 0) return undefined;
  const advice = shown(
    done,
    ({ path, mode, wantedMode, strangerUid }) =>
      `${path}: mode ${octal(mode)} → ${octal(wantedMode)}${strangerUid === undefined ? '' : `, taken from user ${strangerUid}`}`,
  );
  return { area, status: 'ok', message: `Closed ${count(done)} to other users:`, advice };
}

function openToOthers(loose: readonly LooseEntry[]): Finding | undefined {
  const open = loose.filter((entry) => !entry.mended && entry.mode !== entry.wantedMode);
  const [first] = open;
  if (!first) return undefined;
  return {
    area,
    status: 'warn',
    message: `Modes let other users of this machine into ${count(open)} (${first.path} has ${octal(first.mode)}).`,
    advice: [
      ...shown(open, ({ path, wantedMode }) => `chmod ${octal(wantedMode)} ${path}`),
      'All of it at once: agent doctor --fix',
    ],
  };
}

function ofStrangers(
  loose: readonly LooseEntry[],
  home: string,
  owner: { uid: number; gid: number },
  isRoot: boolean,
): Finding | undefined {
  const strange = loose.filter((entry) => !entry.mended && entry.strangerUid !== undefined);
  if (strange.length === 0) return undefined;
  return {
    area,
    status: 'warn',
    message: `In ${home} other users than ${owner.uid} own ${count(strange)}.`,
    advice: [
      ...shown(strange, ({ path, strangerUid }) => `${path} (user ${strangerUid})`),
      isRoot
        ? 'To take them: agent doctor --fix'
        : `To take them, as root: chown -R -P ${owner.uid}:${owner.gid} ${home}`,
    ],
  };
}

function shown(entries: readonly LooseEntry[], line: (entry: LooseEntry) => string): string[] {
  const more = entries.length - SHOWN;
  return [...entries.slice(0, SHOWN).map(line), ...(more > 0 ? [`… and ${more} more`] : [])];
}

function count(entries: readonly LooseEntry[]): string {
  return entries.length === 1 ? 'one file or folder' : `${entries.length} files and folders`;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, '0');
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

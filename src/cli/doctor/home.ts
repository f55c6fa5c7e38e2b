import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Check, Finding } from './check.ts';

const area = 'home';
const LOW_DISK_BYTES = 200 * 1024 * 1024;

/** The agent home: there, ours, private, with room left. */
export const checkHome: Check = async ({ home }) => {
  const info = await statOf(home);
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
  for (const [path, mode, wanted] of [[home, info.mode, '700'], ...(await filesWithSecrets(home))] as const)
    if (mode & 0o077)
      findings.push({
        area,
        status: 'warn',
        message: `${path} can be opened by other users of this machine (mode ${(mode & 0o777).toString(8)}).`,
        advice: [`chmod ${wanted} ${path}`],
      });
  const disk = await statfs(home);
  if (disk.bavail * disk.bsize < LOW_DISK_BYTES)
    findings.push({ area, status: 'warn', message: `Less than 200 MB are left on the disk of ${home}.` });
  return findings.length > 0 ? findings : [{ area, status: 'ok', message: `${home} is private and writable.` }];
};

async function filesWithSecrets(home: string): Promise<[string, number, string][]> {
  const found: [string, number, string][] = [];
  for (const name of ['config.yaml', '.env', 'webhook_subscriptions.json']) {
    const path = join(home, name);
    const info = await statOf(path);
    if (info) found.push([path, info.mode, '600']);
  }
  return found;
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

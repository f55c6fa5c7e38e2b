import { chmod, mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fail } from '../errors.ts';

/** Absolute path of the agent home: the override, `AGENT_HOME`, else `~/.agent`. */
export function resolveHome(env: Record<string, string | undefined>, override?: string): string {
  const userHome = env['HOME'] || homedir();
  const chosen = override || env['AGENT_HOME'];
  if (!chosen) return join(userHome, '.agent');
  return resolve(chosen === '~' || chosen.startsWith('~/') ? join(userHome, chosen.slice(1)) : chosen);
}

/**
 * Makes the home its owner's only (0700): a new one from the start, one that somebody else made wider when it is ours.
 * Answers whether it is closed; `agent doctor` says what to do when it is not.
 */
export async function ensureHome(home: string): Promise<boolean> {
  try {
    const created = await mkdir(home, { recursive: true, mode: 0o700 });
    // The umask may have taken bits away from, never added to, the mode above; parents keep the umask's choice.
    if (created) await chmod(home, 0o700);
    const { mode, uid } = await stat(home);
    // Windows has no modes of this kind.
    if ((mode & 0o077) === 0 || !process.getuid) return true;
    if (uid !== process.getuid() || (mode & 0o1000) !== 0 || isSharedFolder(home)) return false;
    return await chmod(home, 0o700).then(
      () => true,
      // A file system without modes, or one that cannot be written: nothing to create, so no reason to fail.
      () => false,
    );
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw fail('home_unusable', `The agent home ${home} cannot be created (${reason}); set AGENT_HOME.`, {
      cause: error,
    });
  }
}

/** True for a folder of the system and one that homes of users lie in: closing it would lock out more than our files. */
export function isSharedFolder(home: string): boolean {
  const isAbove = !relative(home, dirname(homedir())).startsWith('..');
  return isAbove || /^\/(?:bin|boot|dev|etc|home|lib\w*|media|mnt|opt|proc|run|sbin|srv|sys|tmp|usr|var)$/.test(home);
}

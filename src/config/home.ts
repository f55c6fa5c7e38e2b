import { chmod, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fail } from '../errors.ts';

/** Absolute path of the agent home: the override, `AGENT_HOME`, else `~/.agent`. */
export function resolveHome(env: Record<string, string | undefined>, override?: string): string {
  const userHome = env['HOME'] || homedir();
  const chosen = override || env['AGENT_HOME'];
  if (!chosen) return join(userHome, '.agent');
  return resolve(chosen === '~' || chosen.startsWith('~/') ? join(userHome, chosen.slice(1)) : chosen);
}

/** Creates the home for its owner only (0700); an existing one keeps its mode, which `agent doctor` judges. */
export async function ensureHome(home: string): Promise<void> {
  try {
    const created = await mkdir(home, { recursive: true, mode: 0o700 });
    // The umask may have taken bits away from, never added to, the mode above; parents keep the umask's choice.
    if (created) await chmod(home, 0o700);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw fail('home_unusable', `The agent home ${home} cannot be created (${reason}); set AGENT_HOME.`, {
      cause: error,
    });
  }
}

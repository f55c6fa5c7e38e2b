import { homedir } from 'node:os';
import { dirname } from 'node:path';

/**
 * All that a program we start knows of our environment: enough to run and to find its own files (shims of pyenv and the
 * like look below HOME), and none of our settings and keys.
 */
export function programEnvironment(program: string): Record<string, string> {
  return { PATH: `${dirname(program)}:/usr/local/bin:/usr/bin:/bin`, HOME: homedir(), LANG: 'C.UTF-8' };
}

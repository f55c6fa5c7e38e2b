import { closeSync, openSync } from 'node:fs';

/** Makes sure the file is there; a new one is its owner's from the first byte, whatever the umask. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}

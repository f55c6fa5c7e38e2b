import { afterEach } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A fresh agent home with the given files, removed after the test. */
export function homeFolder(files: Record<string, string> = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'agent-home-'));
  folders.push(home);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  return home;
}

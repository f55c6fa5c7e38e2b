import { readdirSync, readFileSync } from 'node:fs';

/** Command lines that hold the mark, asked again for up to a second: a killed process takes a moment to go. */
export async function stillRunning(mark: string): Promise<string[]> {
  for (let attempt = 0; ; attempt++) {
    const found = commandLines().filter((line) => line.includes(mark));
    if (found.length === 0 || attempt === 40) return found;
    await Bun.sleep(25);
  }
}

/** The command lines of all processes, words separated by spaces; from /proc where there is one, else by `ps`. */
function commandLines(): string[] {
  if (process.platform !== 'linux') return Bun.spawnSync(['ps', '-axo', 'args']).stdout.toString().split('\n');
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return line || [];
    } catch {
      // It has ended since the folder was listed.
      return [];
    }
  });
}

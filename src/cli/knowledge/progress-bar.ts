import { escapeLine } from '../../lib/escape-controls.ts';
import type { CliOutput } from '../context.ts';

/** Shows how far a list of things is. */
export interface ProgressBar {
  /** One more is done. */
  step(label: string): Promise<void>;
  /** Clears the line. */
  end(): Promise<void>;
}

const BAR_WIDTH = 24;

/** A bar on one line of a terminal; silent elsewhere and for a single thing. */
export function createProgressBar(output: CliOutput, total: number, wanted = true): ProgressBar {
  const visible = wanted && output.isTerminal && total > 1;
  let done = 0;
  const draw = (name: string) => {
    const label = escapeLine(name);
    const filled = Math.round((done / total) * BAR_WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
    const counts = `${String(done).padStart(String(total).length)}/${total}`;
    const room = Math.max(0, output.columns - BAR_WIDTH - counts.length - 4);
    const tail = label.length > room ? `…${label.slice(label.length - room + 1)}` : label;
    return output.write(`\r\x1b[2K${bar} ${counts} ${room > 1 ? tail : ''}`);
  };
  return {
    async step(label) {
      done++;
      if (visible) await draw(label);
    },
    async end() {
      if (visible) await output.write('\r\x1b[2K');
    },
  };
}

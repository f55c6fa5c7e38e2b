import type { Clock } from '../lib/clock.ts';
import type { LogFields, Logger } from '../lib/log.ts';

const QUIET_MS = 10_000;
const MAX_KEYS = 1000;

/** Lines that whoever reaches the listener can cause: one line for each key in ten seconds, with the number left out. */
export class ThrottledLog {
  readonly #seen = new Map<string, { at: number; left: number }>();

  constructor(
    private readonly log: Logger,
    private readonly clock: Clock,
  ) {}

  warn(key: string, message: string, fields: LogFields): void {
    this.#write('warn', key, message, fields);
  }

  info(key: string, message: string, fields: LogFields): void {
    this.#write('info', key, message, fields);
  }

  #write(level: 'info' | 'warn', key: string, message: string, fields: LogFields): void {
    const now = this.clock.now();
    const last = this.#seen.get(key);
    if (last && now - last.at < QUIET_MS) {
      last.left++;
      return;
    }
    if (!last && this.#seen.size >= MAX_KEYS) this.#seen.clear();
    this.#seen.set(key, { at: now, left: 0 });
    this.log[level](message, last?.left ? { ...fields, left_out: last.left } : fields);
  }
}

import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';

/** How often the event loop is expected to come round. */
const BEAT_MS = 250;
/** Names in one line of the log. */
const MAX_NAMES = 8;
/** A loop that is held again and again is told of once in this time. */
const QUIET_MS = 10_000;

/**
 * Notices when the event loop was held, and logs for how long and what was under way: the routes of open requests and the
 * kinds of active runs, never their content.
 */
export class LoopAlarm {
  readonly #log: Logger;
  readonly #thresholdMs: number;
  readonly #clock: Clock;
  readonly #active = new Map<string, number>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: { log: Logger; thresholdMs: number; clock: Clock }) {
    this.#log = options.log;
    this.#thresholdMs = options.thresholdMs;
    this.#clock = options.clock;
  }

  /** Notes that work of this name is under way until the returned function is called. */
  begin(name: string): () => void {
    this.#active.set(name, (this.#active.get(name) ?? 0) + 1);
    return () => {
      const left = (this.#active.get(name) ?? 0) - 1;
      if (left > 0) this.#active.set(name, left);
      else this.#active.delete(name);
    };
  }

  start(): void {
    if (this.#timer) return;
    let last = this.#clock.now();
    this.#timer = setInterval(() => {
      const now = this.#clock.now();
      this.#judge(now - last - BEAT_MS, now);
      last = now;
    }, BEAT_MS);
    // It keeps no process alive.
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #judge(heldMs: number, now: number): void {
    if (heldMs < this.#thresholdMs || now - this.#toldAt < QUIET_MS) return;
    this.#toldAt = now;
    const names = [...this.#active]
      .slice(0, MAX_NAMES)
      .map(([name, count]) => (count > 1 ? `${name} ×${count}` : name));
    this.#log.warn('the event loop was held', {
      held_ms: Math.round(heldMs),
      under_way: names.join(', ') || 'nothing',
    });
  }
}
